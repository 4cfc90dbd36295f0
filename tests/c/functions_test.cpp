// Every function of C: what is missing, unknown or bad is an error with a message; texts, structures, options by name.
#include <cstring>
#include <fstream>
#include <functional>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

#include "c_support.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 3});

using namespace weft;
using namespace weft::test;

template <class... Arguments>
int with_nothing(int (*function)(Arguments...)) {
  return function(Arguments{}...);
}

struct Call {
  const char* name;
  std::function<int()> refused;  ///< with arguments that cannot be
};

#define WITH_NOTHING(function) {#function, [] { return with_nothing(function); }}

std::vector<Call> calls() {
  const MPI_Comm world = MPI_COMM_WORLD;
  const int number = detail::number_of(world);
  return {
      {"weft_agree", [=] { return weft_agree("not today", world); }},
      {"weft_agree_f", [=] { return weft_agree_f("not today", number); }},
      WITH_NOTHING(weft_agree_on),
      WITH_NOTHING(weft_layout_create_grid),
      WITH_NOTHING(weft_layout_create_slab),
      WITH_NOTHING(weft_layout_create_pencil),
      WITH_NOTHING(weft_layout_create_boxes),
      WITH_NOTHING(weft_layout_create_patches),
      WITH_NOTHING(weft_layout_gather_on),
      {"weft_layout_gather", [=] { return weft_layout_gather(nullptr, nullptr, world, nullptr); }},
      {"weft_layout_gather_f", [=] { return weft_layout_gather_f(nullptr, nullptr, number, nullptr); }},
      WITH_NOTHING(weft_layout_destroy),
      WITH_NOTHING(weft_layout_ranks),
      WITH_NOTHING(weft_layout_shape),
      WITH_NOTHING(weft_layout_box),
      WITH_NOTHING(weft_layout_boxes),
      WITH_NOTHING(weft_layout_overlaps),
      WITH_NOTHING(weft_layout_describe),
      WITH_NOTHING(weft_problem_create),
      WITH_NOTHING(weft_problem_destroy),
      WITH_NOTHING(weft_problem_set),
      WITH_NOTHING(weft_problem_set_int),
      WITH_NOTHING(weft_problem_get),
      WITH_NOTHING(weft_problem_set_lengths),
      WITH_NOTHING(weft_three_halves),
      WITH_NOTHING(weft_two_thirds),
      WITH_NOTHING(weft_options_create),
      WITH_NOTHING(weft_options_copy),
      WITH_NOTHING(weft_options_destroy),
      WITH_NOTHING(weft_options_set),
      WITH_NOTHING(weft_options_set_int),
      WITH_NOTHING(weft_options_get),
      WITH_NOTHING(weft_options_set_layout),
      WITH_NOTHING(weft_options_set_nodes),
      WITH_NOTHING(weft_options_apply_environment),
      WITH_NOTHING(weft_option_count),
      {"weft_option_at", [] { return weft_option_at(-1, nullptr, nullptr, nullptr, nullptr, nullptr); }},
      WITH_NOTHING(weft_memory_create),
      WITH_NOTHING(weft_memory_destroy),
      WITH_NOTHING(weft_strategy_count),
      {"weft_strategy_at", [] { return weft_strategy_at(1000, nullptr, nullptr, nullptr); }},
      WITH_NOTHING(weft_strategy_obstacle_on),
      {"weft_strategy_obstacle", [=] { return weft_strategy_obstacle(nullptr, world, nullptr); }},
      {"weft_strategy_obstacle_f", [=] { return weft_strategy_obstacle_f(nullptr, number, nullptr); }},
      WITH_NOTHING(weft_backend_count),
      {"weft_backend_at", [] { return weft_backend_at(-1, nullptr); }},
      WITH_NOTHING(weft_plan_create),
      WITH_NOTHING(weft_plan_destroy),
      WITH_NOTHING(weft_plan_rank),
      WITH_NOTHING(weft_plan_input),
      WITH_NOTHING(weft_plan_output),
      WITH_NOTHING(weft_plan_input_layout),
      WITH_NOTHING(weft_plan_output_layout),
      WITH_NOTHING(weft_plan_workspace_bytes),
      WITH_NOTHING(weft_plan_traffic),
      WITH_NOTHING(weft_plan_flows),
      WITH_NOTHING(weft_plan_option),
      WITH_NOTHING(weft_plan_explain),
      WITH_NOTHING(weft_plan_json),
      WITH_NOTHING(weft_transform_create_on),
      {"weft_transform_create", [=] { return weft_transform_create(nullptr, nullptr, world, nullptr); }},
      {"weft_transform_create_f", [=] { return weft_transform_create_f(nullptr, nullptr, number, nullptr); }},
      WITH_NOTHING(weft_transform_destroy),
      WITH_NOTHING(weft_transform_get_plan),
      WITH_NOTHING(weft_transform_input_box),
      WITH_NOTHING(weft_transform_output_box),
      WITH_NOTHING(weft_transform_input_size),
      WITH_NOTHING(weft_transform_output_size),
      WITH_NOTHING(weft_transform_forward),
      WITH_NOTHING(weft_transform_backward),
      WITH_NOTHING(weft_transform_execute),
      WITH_NOTHING(weft_transform_raise),
      WITH_NOTHING(weft_transform_statistics),
      WITH_NOTHING(weft_transform_exchange),
      WITH_NOTHING(weft_transform_reset_statistics),
      WITH_NOTHING(weft_transform_write_trace),
      WITH_NOTHING(weft_transform_drop_trace),
      WITH_NOTHING(weft_redistribution_create_on),
      {"weft_redistribution_create",
       [=] { return weft_redistribution_create(nullptr, nullptr, 8, 1, nullptr, world, nullptr); }},
      {"weft_redistribution_create_f",
       [=] { return weft_redistribution_create_f(nullptr, nullptr, 8, 1, nullptr, number, nullptr); }},
      WITH_NOTHING(weft_redistribution_destroy),
      WITH_NOTHING(weft_redistribution_execute),
      WITH_NOTHING(weft_redistribution_raise),
      WITH_NOTHING(weft_redistribution_drop_trace),
      WITH_NOTHING(weft_ghost_exchange_create_on),
      {"weft_ghost_exchange_create",
       [=] { return weft_ghost_exchange_create(nullptr, nullptr, nullptr, WEFT_DOUBLE, 1, 1, 1, world, nullptr); }},
      {"weft_ghost_exchange_create_f",
       [=] { return weft_ghost_exchange_create_f(nullptr, nullptr, nullptr, WEFT_DOUBLE, 1, 1, 1, number, nullptr); }},
      WITH_NOTHING(weft_ghost_exchange_destroy),
      WITH_NOTHING(weft_ghost_exchange_part_box),
      WITH_NOTHING(weft_ghost_exchange_part_boxes),
      WITH_NOTHING(weft_ghost_exchange_scatter),
      WITH_NOTHING(weft_ghost_exchange_gather),
      WITH_NOTHING(weft_ghost_exchange_accumulate),
      WITH_NOTHING(weft_ghost_exchange_update),
      WITH_NOTHING(weft_ghost_exchange_fold),
      WITH_NOTHING(weft_ghost_exchange_raise),
      WITH_NOTHING(weft_plane_waves),
      WITH_NOTHING(weft_sphere_grid),
      WITH_NOTHING(weft_deal_columns),
      WITH_NOTHING(weft_sphere_problem_create),
      WITH_NOTHING(weft_sphere_problem_destroy),
      WITH_NOTHING(weft_sphere_problem_set),
      WITH_NOTHING(weft_sphere_problem_set_int),
      WITH_NOTHING(weft_sphere_problem_get),
      WITH_NOTHING(weft_sphere_problem_set_results),
      WITH_NOTHING(weft_sphere_plan_create),
      WITH_NOTHING(weft_sphere_plan_destroy),
      WITH_NOTHING(weft_sphere_plan_sizes),
      WITH_NOTHING(weft_sphere_plan_traffic),
      WITH_NOTHING(weft_sphere_plan_option),
      WITH_NOTHING(weft_sphere_plan_explain),
      WITH_NOTHING(weft_sphere_plan_json),
      WITH_NOTHING(weft_sphere_create_on),
      {"weft_sphere_create",
       [=] { return weft_sphere_create(nullptr, 0, nullptr, -1, nullptr, nullptr, world, nullptr); }},
      WITH_NOTHING(weft_sphere_create_sharing),
      {"weft_sphere_create_f",
       [=] { return weft_sphere_create_f(nullptr, 0, nullptr, -1, nullptr, nullptr, number, nullptr); }},
      WITH_NOTHING(weft_sphere_destroy),
      WITH_NOTHING(weft_sphere_get_plan),
      WITH_NOTHING(weft_sphere_bands_here),
      WITH_NOTHING(weft_sphere_backward),
      WITH_NOTHING(weft_sphere_forward),
      WITH_NOTHING(weft_sphere_apply),
      WITH_NOTHING(weft_sphere_apply_complex),
      WITH_NOTHING(weft_sphere_density),
      WITH_NOTHING(weft_sphere_density_by_parts),
      WITH_NOTHING(weft_sphere_raise),
      WITH_NOTHING(weft_sphere_statistics),
      WITH_NOTHING(weft_sphere_exchange),
      WITH_NOTHING(weft_sphere_reset_statistics),
      WITH_NOTHING(weft_sphere_drop_trace),
      WITH_NOTHING(weft_function_named),
      WITH_NOTHING(weft_function_named_f),
      WITH_NOTHING(weft_function_of_tiles),
      WITH_NOTHING(weft_function_multiply),
      WITH_NOTHING(weft_function_multiply_separable),
      WITH_NOTHING(weft_function_convolution_on),
      {"weft_function_convolution",
       [=] { return weft_function_convolution(nullptr, nullptr, 0, 0, nullptr, world, nullptr); }},
      {"weft_function_convolution_f",
       [=] { return weft_function_convolution_f(nullptr, nullptr, 0, 0, nullptr, number, nullptr); }},
      WITH_NOTHING(weft_function_destroy),
      WITH_NOTHING(weft_operator_plan_create),
      WITH_NOTHING(weft_operator_plan_destroy),
      WITH_NOTHING(weft_operator_plan_sizes),
      WITH_NOTHING(weft_operator_plan_layout),
      WITH_NOTHING(weft_operator_plan_places),
      WITH_NOTHING(weft_operator_plan_traffic),
      WITH_NOTHING(weft_operator_plan_option),
      WITH_NOTHING(weft_operator_plan_explain),
      WITH_NOTHING(weft_operator_plan_json),
      WITH_NOTHING(weft_operator_create_on),
      {"weft_operator_create", [=] { return weft_operator_create(nullptr, nullptr, nullptr, world, nullptr); }},
      {"weft_operator_create_f", [=] { return weft_operator_create_f(nullptr, nullptr, nullptr, number, nullptr); }},
      WITH_NOTHING(weft_operator_destroy),
      WITH_NOTHING(weft_operator_get_plan),
      WITH_NOTHING(weft_operator_set_function),
      WITH_NOTHING(weft_operator_apply),
      WITH_NOTHING(weft_operator_execute),
      WITH_NOTHING(weft_operator_raise),
      WITH_NOTHING(weft_operator_statistics),
      WITH_NOTHING(weft_operator_exchange),
      WITH_NOTHING(weft_operator_reset_statistics),
      WITH_NOTHING(weft_operator_drop_trace),
      WITH_NOTHING(weft_poisson_problem_create),
      WITH_NOTHING(weft_poisson_problem_destroy),
      WITH_NOTHING(weft_poisson_problem_set),
      WITH_NOTHING(weft_poisson_problem_get),
      WITH_NOTHING(weft_poisson_problem_set_spacings),
      WITH_NOTHING(weft_poisson_problem_set_kernel),
      WITH_NOTHING(weft_poisson_create_on),
      {"weft_poisson_create", [=] { return weft_poisson_create(nullptr, nullptr, world, nullptr); }},
      {"weft_poisson_create_f", [=] { return weft_poisson_create_f(nullptr, nullptr, number, nullptr); }},
      WITH_NOTHING(weft_poisson_destroy),
      WITH_NOTHING(weft_poisson_get_sizes),
      WITH_NOTHING(weft_poisson_layout),
      WITH_NOTHING(weft_poisson_coordinates),
      WITH_NOTHING(weft_poisson_get_plan),
      WITH_NOTHING(weft_poisson_explain),
      WITH_NOTHING(weft_poisson_solve),
      WITH_NOTHING(weft_poisson_execute),
      WITH_NOTHING(weft_poisson_set_shift),
      WITH_NOTHING(weft_poisson_set_wall),
      WITH_NOTHING(weft_poisson_wall_size),
      WITH_NOTHING(weft_poisson_mean),
      WITH_NOTHING(weft_poisson_raise),
      WITH_NOTHING(weft_poisson_statistics),
      WITH_NOTHING(weft_poisson_exchange),
      WITH_NOTHING(weft_poisson_reset_statistics),
      WITH_NOTHING(weft_poisson_drop_trace),
      WITH_NOTHING(weft_tuning_create),
      WITH_NOTHING(weft_tuning_destroy),
      WITH_NOTHING(weft_tuning_set),
      WITH_NOTHING(weft_tuning_get),
      WITH_NOTHING(weft_tuning_set_progress),
      WITH_NOTHING(weft_tune_on),
      {"weft_tune", [=] { return weft_tune(nullptr, nullptr, nullptr, world, nullptr); }},
      {"weft_tune_f", [=] { return weft_tune_f(nullptr, nullptr, nullptr, number, nullptr); }},
      WITH_NOTHING(weft_tune_sphere_on),
      {"weft_tune_sphere",
       [=] { return weft_tune_sphere(nullptr, 0, nullptr, -1, nullptr, nullptr, nullptr, world, nullptr, nullptr); }},
      {"weft_tune_sphere_f",
       [=] {
         return weft_tune_sphere_f(nullptr, 0, nullptr, -1, nullptr, nullptr, nullptr, number, nullptr, nullptr);
       }},
      WITH_NOTHING(weft_tune_poisson_on),
      {"weft_tune_poisson", [=] { return weft_tune_poisson(nullptr, nullptr, nullptr, world, nullptr); }},
      {"weft_tune_poisson_f", [=] { return weft_tune_poisson_f(nullptr, nullptr, nullptr, number, nullptr); }},
      WITH_NOTHING(weft_tune_operator_on),
      {"weft_tune_operator", [=] { return weft_tune_operator(nullptr, nullptr, nullptr, nullptr, world, nullptr); }},
      {"weft_tune_operator_f",
       [=] { return weft_tune_operator_f(nullptr, nullptr, nullptr, nullptr, number, nullptr); }},
      WITH_NOTHING(weft_tuned_destroy),
      WITH_NOTHING(weft_tuned_options),
      WITH_NOTHING(weft_tuned_get_summary),
      WITH_NOTHING(weft_tuned_source),
      WITH_NOTHING(weft_tuned_text),
      WITH_NOTHING(weft_tuned_json),
      WITH_NOTHING(weft_tuning_file_entries),
      WITH_NOTHING(weft_tuning_file_merge),
      {"weft_tuning_file_forget", [] { return weft_tuning_file_forget("none", -1, nullptr); }},
      WITH_NOTHING(weft_predict),
      WITH_NOTHING(weft_sphere_predict),
      WITH_NOTHING(weft_operator_predict),
  };
}

TEST(CInterface, EveryFunctionRefusesWhatIsMissing) {
  for (const Call& call : calls()) {
    SCOPED_TRACE(call.name);
    done(weft_option_at(0, nullptr, nullptr, nullptr, nullptr, nullptr));
    const std::string message = common_error([&] { done(call.refused()); });
    EXPECT_FALSE(message.empty());
    EXPECT_EQ(message.find("an exception"), std::string::npos) << message;
  }
}

// Against the header, so that no function is forgotten.
TEST(CInterface, EveryFunctionIsCalledWithNothing) {
  std::ifstream file(WEFT_C_HEADER);
  std::stringstream header;
  header << file.rdbuf();
  const std::string text = header.str();
  const std::regex declaration(R"(\bint (weft_\w+)\()");
  std::set<std::string> declared, called;
  for (std::sregex_iterator at(text.begin(), text.end(), declaration), end; at != end; ++at) declared.insert((*at)[1]);
  for (const Call& call : calls()) called.insert(call.name);
  EXPECT_EQ(declared, called);
  EXPECT_GT(declared.size(), 100u);
}

TEST(CInterface, MemoryForFields) {
  void* memory = nullptr;
  done(weft_memory_create(1000, &memory));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0u);
  std::memset(memory, 1, 1000);
  done(weft_memory_destroy(&memory));
  EXPECT_EQ(memory, nullptr);
  done(weft_memory_destroy(&memory));
  expect_refused(weft_memory_create(-1, &memory), {"bytes is -1; at least 0 is needed"});
  EXPECT_EQ(memory, nullptr);
  expect_refused(weft_memory_create(INT64_MAX, &memory), {"out of memory"});
}

TEST(CInterface, UnknownNamesAndBadValues) {
  OwnedProblem problem;
  OwnedSphereProblem sphere;
  OwnedOptions options;
  OwnedTuning tuning;
  done(weft_problem_create(3, kShape, &problem));
  done(weft_sphere_problem_create(kShape, &sphere));
  done(weft_options_create(&options));
  done(weft_tuning_create(&tuning));
  expect_refused(weft_problem_set(problem, "norm", "ortho"),
                 {"property 'norm' is unknown; did you mean 'normalization'?", "kind, precision, batch"});
  expect_refused(weft_problem_set(problem, "colour", "red"), {"property 'colour' is unknown; allowed are kind"});
  expect_refused(weft_problem_set(problem, "kind", "q2c"), {"kind", "q2c", "c2c, r2c, c2r"});
  expect_refused(weft_problem_set(problem, "batch", "many"), {"batch is 'many'; allowed are whole numbers"});
  for (const char* modes : {"", "4", "4x4x", "4x4x4x4", "4xfourx4"}) {
    expect_refused(weft_problem_set(problem, "modes", modes),
                   {"modes is '", "two or three whole numbers, as in 64x64x64"});
  }
  expect_refused(weft_problem_set(problem, nullptr, "1"), {"name is NULL"});
  expect_refused(weft_problem_set(problem, "batch", nullptr), {"value is NULL"});
  expect_refused(weft_options_set(options, "stratgy", "shared"), {"option 'stratgy'", "did you mean 'strategy'?"});
  expect_refused(weft_options_set(options, "strategy", "telepathy"), {"telepathy", "alltoallv"});
  expect_refused(weft_options_set_int(options, "tile", -1), {"tile is '-1'", "whole numbers from 0"});
  expect_refused(weft_options_set_layout(options, "middle", nullptr), {"end is 'middle'", "input, output"});
  expect_refused(weft_options_apply_environment(options, "walk"), {"operation is 'walk'"});
  expect_refused(weft_sphere_problem_set(sphere, "gama", "true"), {"did you mean 'gamma'?"});
  expect_refused(weft_sphere_problem_set(sphere, "gamma", "maybe"), {"gamma is 'maybe'; allowed are true, false"});
  expect_refused(weft_tuning_set(tuning, "effort", "some"), {"effort is 'some'", "patient"});
  expect_refused(weft_tuning_set(tuning, "budget", "little"), {"budget is 'little'; allowed are numbers"});
  expect_refused(weft_strategy_obstacle("sharde", MPI_COMM_WORLD, nullptr), {"did you mean 'shared'?"});
  weft_problem none = nullptr;
  expect_refused(weft_problem_create(9, kShape, &none), {"axes is 9"});

  // What no transform can have is refused where it is said, and the problem stays as it was.
  const int64_t negative[3] = {8, -6, 5}, huge[3] = {INT64_MAX, 4, 4};
  int64_t grid[3] = {7, 7, 7};
  OwnedProblem operated;
  weft_sphere_problem no_sphere = nullptr;
  done(weft_problem_create(3, kShape, &operated));
  expect_refused(weft_problem_create(3, negative, &none), {"shape is 8 x -6 x 5", "at least 1"});
  expect_refused(weft_problem_create(2, huge, &none), {"overflows"});
  expect_refused(weft_sphere_problem_create(negative, &no_sphere), {"grid is 8 x -6 x 5"});
  expect_refused(weft_problem_set(problem, "batch", "0"), {"batch is 0"});
  expect_refused(weft_problem_set_int(problem, "batch", INT64_MAX), {"overflows"});
  expect_refused(weft_problem_set(problem, "modes", "8x7x5"), {"modes is 8 x 7 x 5", "axis 1", "6"});
  expect_refused(weft_problem_set(problem, "modes", "-1x6x5"), {"modes is -1 x 6 x 5"});
  expect_refused(weft_sphere_problem_set(sphere, "howmany", "-3"), {"howmany is -3"});
  expect_refused(weft_sphere_problem_set(sphere, "padded", "3"), {"padded is '3'", "as in 65x64"});
  expect_refused(weft_sphere_problem_set(sphere, "padded", "1x0"), {"padded is 1 x 0", "rows of at least"});
  expect_refused(weft_problem_set(operated, "batch", "0"), {"batch is 0"});
  expect_refused(weft_problem_set(operated, "howmany", "2"), {"property 'howmany' is unknown", "batch"});
  expect_refused(weft_problem_set(operated, "modes", "9x6x5"), {"modes is 9 x 6 x 5"});
  expect_refused(weft_problem_set(operated, "lengths", "1x2"), {"lengths is '1x2'; allowed are three numbers"});
  expect_refused(weft_problem_set(operated, "lengths", "1x2x0"), {"lengths has 0; lengths of a box are positive"});
  const double lengths[3] = {1, -1, 1};
  expect_refused(weft_problem_set_lengths(operated, lengths), {"lengths has -1"});
  expect_refused(weft_three_halves(huge, grid), {"modes is", "overflow"});
  expect_refused(weft_three_halves(negative, grid), {"modes is 8 x -6 x 5"});
  expect_refused(weft_two_thirds(negative, grid), {"shape is 8 x -6 x 5"});
  EXPECT_EQ(grid[0], 7);
  EXPECT_EQ(text_of(weft_problem_get, problem, "batch"), "1");
  EXPECT_EQ(text_of(weft_problem_get, problem, "modes"), "8x6x5");
}

TEST(CInterface, WhatIsSetIsGot) {
  OwnedProblem problem;
  done(weft_problem_create(3, kShape, &problem));
  for (const auto& [name, value] : std::vector<std::array<const char*, 2>>{{"kind", "r2c"},
                                                                           {"precision", "single"},
                                                                           {"batch", "3"},
                                                                           {"normalization", "ortho"},
                                                                           {"interleaved", "true"},
                                                                           {"input_order", "102"},
                                                                           {"output_order", "210"},
                                                                           {"padded_rows", "true"},
                                                                           {"modes", "2x3x1"}}) {
    EXPECT_NE(text_of(weft_problem_get, problem, name), value);
    done(weft_problem_set(problem, name, value));
    EXPECT_EQ(text_of(weft_problem_get, problem, name), value);
  }
  OwnedProblem line;
  done(weft_problem_create(1, kShape, &line));
  EXPECT_EQ(text_of(weft_problem_get, line, "output_order"), "210");
  done(weft_problem_set(line, "kind", "r2c"));
  EXPECT_EQ(text_of(weft_problem_get, line, "input_order"), "210");
  EXPECT_EQ(text_of(weft_problem_get, line, "output_order"), "012");
  const int64_t modes[] = {64, 63, 1};
  int64_t grid[3], back[3];
  done(weft_three_halves(modes, grid));
  done(weft_two_thirds(grid, back));
  EXPECT_EQ(std::vector<int64_t>(grid, grid + 3), (std::vector<int64_t>{96, 95, 1}));
  EXPECT_TRUE(std::equal(modes, modes + 3, back));
  OwnedSphereProblem sphere;
  done(weft_sphere_problem_create(kShape, &sphere));
  for (const auto& [name, value] : std::vector<std::array<const char*, 2>>{{"gamma", "true"},
                                                                           {"precision", "single"},
                                                                           {"howmany", "3"},
                                                                           {"normalization", "forward"},
                                                                           {"padded", "11x9"}}) {
    EXPECT_NE(text_of(weft_sphere_problem_get, sphere, name), value);
    done(weft_sphere_problem_set(sphere, name, value));
    EXPECT_EQ(text_of(weft_sphere_problem_get, sphere, name), value);
  }
  OwnedTuning tuning;
  done(weft_tuning_create(&tuning));
  for (const auto& [name, value] : std::vector<std::array<const char*, 2>>{{"effort", "patient"},
                                                                           {"budget", "2.5"},
                                                                           {"file", "a.json"},
                                                                           {"machine", "b.toml"},
                                                                           {"keep", "tile, window"},
                                                                           {"may_transpose", "true"},
                                                                           {"tolerance", "1e-06"},
                                                                           {"again", "true"},
                                                                           {"force", "true"}}) {
    EXPECT_NE(text_of(weft_tuning_get, tuning, name), value);
    done(weft_tuning_set(tuning, name, value));
    EXPECT_EQ(text_of(weft_tuning_get, tuning, name), value);
  }
}

TEST(CInterface, OptionsAreThoseOfCxx) {
  OwnedOptions options, copy;
  done(weft_options_create(&options));
  int count = 0;
  done(weft_option_count(&count));
  const auto described = Options::describe();
  ASSERT_EQ(static_cast<std::size_t>(count), described.size());
  for (int i = 0; i < count; ++i) {
    const char *name = nullptr, *values = nullptr, *help = nullptr, *usual = nullptr, *applies_to = nullptr;
    done(weft_option_at(i, &name, &values, &help, &usual, &applies_to));
    const auto& expected = described[static_cast<std::size_t>(i)];
    EXPECT_EQ(name, expected.name);
    EXPECT_EQ(values, expected.values);
    EXPECT_EQ(help, expected.help);
    EXPECT_EQ(applies_to, expected.applies_to);
    EXPECT_EQ(text_of(weft_options_get, options, name), usual);
  }
  done(weft_options_set(options, "grid", "2x4"));
  done(weft_options_set_int(options, "tile", 7));
  done(weft_options_copy(options, &copy));
  done(weft_options_set_int(options, "tile", 8));
  EXPECT_EQ(text_of(weft_options_get, copy, "grid"), "2x4");
  EXPECT_EQ(text_of(weft_options_get, copy, "tile"), "7");

  int strategies_count = 0, backends_count = 0;
  done(weft_strategy_count(&strategies_count));
  const auto all = describe_strategies(MPI_COMM_WORLD);
  ASSERT_EQ(static_cast<std::size_t>(strategies_count), all.size());
  for (int i = 0; i < strategies_count; ++i) {
    const char *name = nullptr, *summary = nullptr, *obstacle = nullptr, *here = nullptr;
    done(weft_strategy_at(i, &name, &summary, nullptr));
    done(weft_strategy_obstacle(name, MPI_COMM_WORLD, &obstacle));
    EXPECT_EQ(name, all[static_cast<std::size_t>(i)].name);
    EXPECT_EQ(summary, all[static_cast<std::size_t>(i)].summary);
    EXPECT_EQ(obstacle, all[static_cast<std::size_t>(i)].obstacle);
    const std::string first = obstacle;
    done(weft_strategy_obstacle_f(name, detail::number_of(MPI_COMM_WORLD), &here));
    EXPECT_EQ(here, first);
  }
  done(weft_backend_count(&backends_count));
  for (int i = 0; i < backends_count; ++i) {
    const char* name = nullptr;
    done(weft_backend_at(i, &name));
    EXPECT_EQ(name, backends()[static_cast<std::size_t>(i)]);
  }
}

TEST(CInterface, EnvironmentIsAppliedWhereItIsAsked) {
  OwnedOptions options;
  done(weft_options_create(&options));
  setenv("WEFT_TILE", "5", 1);
  done(weft_options_apply_environment(options, "transform"));
  EXPECT_EQ(text_of(weft_options_get, options, "tile"), "5");
  setenv("WEFT_TILE", "many", 1);
  expect_refused(weft_options_apply_environment(options, "sphere"), {"WEFT_TILE", "many"});
  unsetenv("WEFT_TILE");
  // Module files set it.
  setenv("WEFT_ROOT", "/opt/weft", 1);
  done(weft_options_apply_environment(options, "transform"));
  unsetenv("WEFT_ROOT");
}

TEST(CInterface, StructuresMayGrow) {
  OwnedProblem problem;
  OwnedOptions options;
  OwnedPlan plan;
  done(weft_problem_create(3, kShape, &problem));
  done(weft_options_create(&options));
  done(weft_options_set(options, "strategy", "pairwise"));
  done(weft_plan_create(problem, options, 4, 1, &plan));
  weft_traffic whole;
  done(weft_plan_traffic(plan, WEFT_FORWARD, sizeof whole, &whole));
  EXPECT_GT(whole.all_messages, 0);
  // A program that knows fewer members gets these, and nothing beside them is written.
  weft_traffic part;
  std::memset(&part, 0x55, sizeof part);
  done(weft_plan_traffic(plan, WEFT_FORWARD, offsetof(weft_traffic, bytes), &part));
  EXPECT_EQ(part.messages, whole.messages);
  EXPECT_EQ(part.data_messages, whole.data_messages);
  EXPECT_EQ(part.bytes, 0x5555555555555555);
  // What only a newer program knows is zero.
  struct {
    weft_traffic known;
    int64_t newer = -1;
  } more;
  done(weft_plan_traffic(plan, WEFT_FORWARD, sizeof more, &more.known));
  EXPECT_EQ(std::memcmp(&more.known, &whole, sizeof whole), 0);
  EXPECT_EQ(more.newer, 0);
  expect_refused(weft_plan_traffic(plan, WEFT_FORWARD, 0, &part), {"size is 0"});
  expect_refused(weft_plan_traffic(plan, 0, sizeof part, &part), {"direction is 0", "WEFT_FORWARD (-1)"});
}

TEST(CInterface, MessagesAreOfTheThread) {
  expect_refused(weft_layout_ranks(nullptr, nullptr), {"layout is NULL"});
  std::string first = "?", second;
  std::thread([&] {
    first = weft_error_message();
    weft_plan_explain(nullptr, nullptr);
    second = weft_error_message();
  }).join();
  EXPECT_EQ(first, "");
  EXPECT_NE(second.find("plan is NULL"), std::string::npos);
  EXPECT_NE(std::string(weft_error_message()).find("layout is NULL"), std::string::npos);
  EXPECT_EQ(weft_version(), version());
}

}  // namespace
