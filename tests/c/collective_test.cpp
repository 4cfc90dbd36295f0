// Every collective function of C, with good arguments on all ranks but the last, which has a bad one: the same error on
// all.
#include <cmath>
#include <fstream>
#include <functional>
#include <regex>
#include <set>
#include <sstream>

#include "c_support.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 3});

using namespace weft;
using namespace weft::test;

/// A call with an argument that is bad where `bad` says so.
struct Call {
  const char* function;
  const char* argument;
  std::function<int(bool bad)> call;
  bool differs = false;  ///< it is bad only because the others have another one
};

TEST(CInterface, EveryCollectiveCallWithABadArgumentOnOneRank) {
  OwnedProblem problem, few;
  OwnedOptions wrong;
  OwnedLayout from, to;
  OwnedSphereProblem grid;
  OwnedProblem fields, single;
  OwnedFunction laplacian, other;
  OwnedTuning tuning, wrong_tuning;
  done(weft_problem_create(3, kShape, &problem));
  done(weft_problem_create(3, kShape, &few));
  done(weft_problem_set(few, "modes", "2x2x2"));
  done(weft_options_create(&wrong));
  done(weft_options_set_nodes(wrong, 4, std::vector<int>(4).data()));
  done(weft_layout_create_slab(kShape, size_of(), 0, &from));
  done(weft_layout_create_slab(kShape, size_of(), 1, &to));
  done(weft_sphere_problem_create(kShape, &grid));
  done(weft_problem_create(3, kShape, &fields));
  done(weft_problem_create(3, kShape, &single));
  done(weft_problem_set(single, "precision", "single"));
  done(weft_function_named(fields, "laplacian", 0, nullptr, &laplacian));
  done(weft_function_named(single, "laplacian", 0, nullptr, &other));
  for (weft_tuning* one : {&tuning, &wrong_tuning}) {
    done(weft_tuning_create(one));
    done(weft_tuning_set(*one, "file", "none"));
    done(weft_tuning_set(*one, "effort", "estimate"));
  }
  done(weft_tuning_set(wrong_tuning, "effort", "measure"));
  const int64_t waves[3] = {rank_of(), 0, 0};
  std::vector<std::complex<double>> in(241), out(241);
  const int type = WEFT_COMPLEX_DOUBLE;
  const weft_bands none{-7, 0, 0, 0, 0};
  weft_box box;
  done(weft_layout_box(from, rank_of(), &box));
  const weft_box nowhere{{-1, 0, 0}, {2, 2, 2}};

  OwnedTransform fft;
  OwnedRedistribution move;
  OwnedSphere sphere;
  OwnedOperator op;
  const MPI_Comm world = MPI_COMM_WORLD;
  done(weft_transform_create(problem, nullptr, world, &fft));
  done(weft_redistribution_create(from, to, 16, 1, nullptr, world, &move));
  const weft_ghosts around{{1, 0, 1}, {0, 1, 1}, {1, 1, 0}};
  OwnedGhostExchange ghosts;
  done(weft_ghost_exchange_create(from, to, &around, type, 1, 1, 1, world, &ghosts));
  done(weft_ghost_exchange_part_box(ghosts, &box));
  std::vector<std::complex<double>> parts(
      static_cast<std::size_t>((box.hi[0] - box.lo[0]) * (box.hi[1] - box.lo[1]) * (box.hi[2] - box.lo[2]) + 1));
  done(weft_layout_box(from, rank_of(), &box));
  done(weft_sphere_create(grid, 1, waves, -1, nullptr, nullptr, world, &sphere));
  done(weft_operator_create(fields, laplacian, nullptr, world, &op));
  OwnedPoissonProblem box_problem;
  OwnedPoisson solver;
  done(weft_poisson_problem_create(3, kShape, &box_problem));
  done(weft_poisson_create(box_problem, nullptr, world, &solver));
  const auto reals_or = [&](bool bad) { return bad ? nullptr : reinterpret_cast<double*>(in.data()); };
  double* const u = reinterpret_cast<double*>(out.data());
  double mean = 0;
  weft_poisson made_solver;

  const auto problem_or = [&](bool bad) { return bad ? nullptr : static_cast<weft_problem>(problem); };
  const auto options_or = [&](bool bad) { return bad ? static_cast<weft_options>(wrong) : nullptr; };
  const auto tuning_or = [&](bool bad) { return static_cast<weft_tuning>(bad ? wrong_tuning : tuning); };
  const auto in_or = [&](bool bad) { return bad ? nullptr : in.data(); };
  // What a call makes.
  weft_layout layout;
  weft_transform transform;
  weft_redistribution redistribution;
  weft_ghost_exchange made_ghosts;
  weft_sphere made_sphere;
  weft_function function;
  weft_operator made_operator;
  weft_tuned tuned, tuned_too;
  const auto address_or = [](bool bad, auto* address) { return bad ? nullptr : address; };
  const std::vector<Call> calls{
      {"weft_agree_on", "message", [&](bool bad) { return weft_agree(bad ? "not today" : nullptr, world); }},
      {"weft_layout_gather_on", "shape",
       [&](bool bad) { return weft_layout_gather(bad ? nullptr : kShape, &box, world, &layout); }},
      {"weft_layout_gather_on", "mine",
       [&](bool bad) { return weft_layout_gather(kShape, bad ? &nowhere : &box, world, &layout); }},
      {"weft_layout_gather_on", "layout",
       [&](bool bad) { return weft_layout_gather(kShape, &box, world, address_or(bad, &layout)); }},
      {"weft_transform_create_on", "problem",
       [&](bool bad) { return weft_transform_create(problem_or(bad), nullptr, world, &transform); }},
      {"weft_transform_create_on", "options",
       [&](bool bad) { return weft_transform_create(problem, options_or(bad), world, &transform); }},
      {"weft_transform_create_on", "transform",
       [&](bool bad) { return weft_transform_create(problem, nullptr, world, address_or(bad, &transform)); }},
      {"weft_transform_forward", "in", [&](bool bad) { return weft_transform_forward(fft, in_or(bad), out.data()); }},
      {"weft_transform_forward", "out",
       [&](bool bad) { return weft_transform_forward(fft, in.data(), bad ? in.data() : out.data()); }},
      {"weft_transform_backward", "in", [&](bool bad) { return weft_transform_backward(fft, in_or(bad), out.data()); }},
      {"weft_transform_execute", "direction",
       [&](bool bad) { return weft_transform_execute(fft, bad ? 0 : 1, in.data(), type, -1, out.data(), type, -1); }},
      {"weft_transform_execute", "in_type",
       [&](bool bad) { return weft_transform_execute(fft, 1, in.data(), bad ? 77 : type, -1, out.data(), type, -1); }},
      {"weft_transform_execute", "out_size",
       [&](bool bad) { return weft_transform_execute(fft, 1, in.data(), type, -1, out.data(), type, bad ? 0 : -1); }},
      {"weft_transform_raise", "message",
       [&](bool bad) { return weft_transform_raise(fft, WEFT_FORWARD, bad ? "not today" : nullptr); }},
      {"weft_transform_raise", "direction",
       [&](bool bad) { return weft_transform_raise(fft, bad ? 5 : WEFT_FORWARD, nullptr); }},
      {"weft_transform_write_trace", "the call",
       [&](bool bad) {
         return bad ? weft_transform_write_trace(fft) : weft_transform_forward(fft, in.data(), out.data());
       }},
      {"weft_redistribution_create_on", "from",
       [&](bool bad) {
         return weft_redistribution_create(bad ? nullptr : static_cast<weft_layout>(from), to, 8, 1, nullptr, world,
                                           &redistribution);
       }},
      {"weft_redistribution_create_on", "element_bytes",
       [&](bool bad) {
         return weft_redistribution_create(from, to, bad ? -8 : 8, 1, nullptr, world, &redistribution);
       }},
      {"weft_redistribution_create_on", "batch",
       [&](bool bad) {
         return weft_redistribution_create(from, to, 8, bad ? INT64_MIN : 1, nullptr, world, &redistribution);
       }},
      {"weft_redistribution_create_on", "options",
       [&](bool bad) { return weft_redistribution_create(from, to, 8, 1, options_or(bad), world, &redistribution); }},
      {"weft_redistribution_execute", "in",
       [&](bool bad) { return weft_redistribution_execute(move, in_or(bad), out.data(), 0, nullptr); }},
      {"weft_redistribution_execute", "size",
       [&](bool bad) {
         weft_moved moved;
         return weft_redistribution_execute(move, in.data(), out.data(), bad ? 0 : sizeof moved, &moved);
       }},
      {"weft_redistribution_raise", "message",
       [&](bool bad) { return weft_redistribution_raise(move, bad ? "not today" : nullptr); }},
      {"weft_ghost_exchange_create_on", "field",
       [&](bool bad) {
         return weft_ghost_exchange_create(bad ? nullptr : static_cast<weft_layout>(from), to, &around, type, 1, 1, 1,
                                           world, &made_ghosts);
       }},
      {"weft_ghost_exchange_create_on", "ghosts",
       [&](bool bad) {
         return weft_ghost_exchange_create(from, to, bad ? nullptr : &around, type, 1, 1, 1, world, &made_ghosts);
       }},
      {"weft_ghost_exchange_create_on", "type",
       [&](bool bad) {
         return weft_ghost_exchange_create(from, to, &around, bad ? 5 : type, 1, 1, 1, world, &made_ghosts);
       }},
      {"weft_ghost_exchange_create_on", "batch",
       [&](bool bad) {
         return weft_ghost_exchange_create(from, to, &around, type, bad ? -1 : 1, 1, 1, world, &made_ghosts);
       }},
      {"weft_ghost_exchange_create_on", "numbers",
       [&](bool bad) {
         return weft_ghost_exchange_create(from, to, &around, type, 1, bad ? INT64_MAX : 1, 1, world, &made_ghosts);
       }},
      {"weft_ghost_exchange_scatter", "field",
       [&](bool bad) { return weft_ghost_exchange_scatter(ghosts, in_or(bad), parts.data(), 0, nullptr); }},
      {"weft_ghost_exchange_gather", "field",
       [&](bool bad) {
         return weft_ghost_exchange_gather(ghosts, parts.data(), bad ? nullptr : out.data(), 0, nullptr);
       }},
      {"weft_ghost_exchange_accumulate", "size",
       [&](bool bad) {
         weft_moved moved;
         return weft_ghost_exchange_accumulate(ghosts, parts.data(), out.data(), bad ? 0 : sizeof moved, &moved);
       }},
      {"weft_ghost_exchange_update", "the call",
       [&](bool bad) {
         return bad ? weft_ghost_exchange_fold(ghosts, parts.data(), 0, nullptr)
                    : weft_ghost_exchange_update(ghosts, parts.data(), 0, nullptr);
       },
       true},
      {"weft_ghost_exchange_fold", "parts",
       [&](bool bad) { return weft_ghost_exchange_fold(ghosts, bad ? nullptr : parts.data(), 0, nullptr); }},
      {"weft_ghost_exchange_raise", "message",
       [&](bool bad) { return weft_ghost_exchange_raise(ghosts, bad ? "not today" : nullptr); }},
      {"weft_sphere_create_on", "problem",
       [&](bool bad) {
         return weft_sphere_create(bad ? nullptr : static_cast<weft_sphere_problem>(grid), 1, waves, -1, nullptr,
                                   nullptr, world, &made_sphere);
       }},
      {"weft_sphere_create_on", "waves",
       [&](bool bad) {
         const int64_t outside[3] = {bad ? INT64_MIN : rank_of(), 0, 0};
         return weft_sphere_create(grid, 1, outside, -1, nullptr, nullptr, world, &made_sphere);
       }},
      {"weft_sphere_create_on", "planes",
       [&](bool bad) {
         return weft_sphere_create(grid, 1, waves, bad ? -2 : kShape[2] / size_of(), nullptr, nullptr, world,
                                   &made_sphere);
       }},
      {"weft_sphere_create_on", "forward",
       [&](bool bad) { return weft_sphere_create(grid, 1, waves, -1, nullptr, options_or(bad), world, &made_sphere); }},
      {"weft_sphere_create_sharing", "waves",
       [&](bool bad) {
         return weft_sphere_create_sharing(grid, 1, bad ? nullptr : waves, -1, nullptr, nullptr, sphere, &made_sphere);
       }},
      {"weft_sphere_backward", "waves",
       [&](bool bad) { return weft_sphere_backward(sphere, in_or(bad), out.data(), nullptr); }},
      {"weft_sphere_backward", "bands",
       [&](bool bad) { return weft_sphere_backward(sphere, in.data(), out.data(), bad ? &none : nullptr); }},
      {"weft_sphere_forward", "waves",
       [&](bool bad) { return weft_sphere_forward(sphere, out.data(), in_or(bad), nullptr); }},
      {"weft_sphere_apply", "out",
       [&](bool bad) { return weft_sphere_apply(sphere, out.data(), in.data(), in_or(bad), nullptr); }},
      {"weft_sphere_apply_complex", "out",
       [&](bool bad) { return weft_sphere_apply_complex(sphere, out.data(), in.data(), in_or(bad), nullptr); }},
      {"weft_sphere_density", "waves",
       [&](bool bad) { return weft_sphere_density(sphere, in_or(bad), nullptr, out.data(), nullptr); }},
      {"weft_sphere_density_by_parts", "waves",
       [&](bool bad) {
         return weft_sphere_density_by_parts(sphere, in_or(bad), nullptr, nullptr, out.data(), nullptr);
       }},
      {"weft_sphere_raise", "message",
       [&](bool bad) { return weft_sphere_raise(sphere, bad ? "not today" : nullptr); }},
      {"weft_function_convolution_on", "kernel",
       [&](bool bad) { return weft_function_convolution(fields, in_or(bad), 241, 0, nullptr, world, &function); }},
      {"weft_function_convolution_on", "count",
       [&](bool bad) {
         return weft_function_convolution(fields, in.data(), bad ? 0 : 240, 1, nullptr, world, &function);
       }},
      {"weft_operator_create_on", "function",
       [&](bool bad) {
         return weft_operator_create(fields, static_cast<weft_function>(bad ? other : laplacian), nullptr, world,
                                     &made_operator);
       }},
      {"weft_operator_create_on", "options",
       [&](bool bad) { return weft_operator_create(fields, laplacian, options_or(bad), world, &made_operator); }},
      {"weft_operator_apply", "in", [&](bool bad) { return weft_operator_apply(op, in_or(bad), out.data()); }},
      {"weft_operator_execute", "out_type",
       [&](bool bad) {
         return weft_operator_execute(op, in.data(), type, -1, out.data(), bad ? WEFT_FLOAT : type, -1);
       }},
      {"weft_operator_raise", "message",
       [&](bool bad) { return weft_operator_raise(op, bad ? "not today" : nullptr); }},
      {"weft_poisson_create_on", "problem",
       [&](bool bad) {
         return weft_poisson_create(bad ? nullptr : static_cast<weft_poisson_problem>(box_problem), nullptr, world,
                                    &made_solver);
       }},
      {"weft_poisson_create_on", "options",
       [&](bool bad) { return weft_poisson_create(box_problem, options_or(bad), world, &made_solver); }},
      {"weft_poisson_solve", "f", [&](bool bad) { return weft_poisson_solve(solver, reals_or(bad), u); }},
      {"weft_poisson_execute", "u_type",
       [&](bool bad) {
         return weft_poisson_execute(solver, in.data(), WEFT_DOUBLE, -1, u, bad ? WEFT_FLOAT : WEFT_DOUBLE, -1);
       }},
      {"weft_poisson_execute", "f_size",
       [&](bool bad) {
         return weft_poisson_execute(solver, in.data(), WEFT_DOUBLE, bad ? 0 : -1, u, WEFT_DOUBLE, -1);
       }},
      {"weft_poisson_set_shift", "shift", [&](bool bad) { return weft_poisson_set_shift(solver, bad ? NAN : 0); }},
      {"weft_poisson_mean", "f", [&](bool bad) { return weft_poisson_mean(solver, reals_or(bad), &mean); }},
      {"weft_poisson_mean", "means",
       [&](bool bad) { return weft_poisson_mean(solver, reals_or(false), bad ? nullptr : &mean); }},
      {"weft_poisson_raise", "message",
       [&](bool bad) { return weft_poisson_raise(solver, bad ? "not today" : nullptr); }},
      {"weft_tune_on", "problem", [&](bool bad) { return weft_tune(problem_or(bad), nullptr, tuning, world, &tuned); }},
      {"weft_tune_on", "options", [&](bool bad) { return weft_tune(problem, options_or(bad), tuning, world, &tuned); }},
      {"weft_tune_on", "tuning", [&](bool bad) { return weft_tune(problem, nullptr, tuning_or(bad), world, &tuned); },
       true},
      {"weft_tune_on", "modes",
       [&](bool bad) { return weft_tune(bad ? few : problem, nullptr, tuning, world, &tuned); }, true},
      {"weft_tune_sphere_on", "count",
       [&](bool bad) {
         return weft_tune_sphere(grid, bad ? -1 : 1, waves, -1, nullptr, nullptr, tuning, world, &tuned, &tuned_too);
       }},
      {"weft_tune_sphere_on", "tuning",
       [&](bool bad) {
         return weft_tune_sphere(grid, 1, waves, -1, nullptr, nullptr, tuning_or(bad), world, &tuned, &tuned_too);
       },
       true},
      {"weft_tune_poisson_on", "problem",
       [&](bool bad) {
         return weft_tune_poisson(bad ? nullptr : static_cast<weft_poisson_problem>(box_problem), nullptr, tuning,
                                  world, &tuned);
       }},
      {"weft_tune_operator_on", "function",
       [&](bool bad) {
         return weft_tune_operator(fields, bad ? nullptr : static_cast<weft_function>(laplacian), nullptr, tuning,
                                   world, &tuned);
       }},
      {"weft_tune_operator_on", "tuning",
       [&](bool bad) { return weft_tune_operator(fields, laplacian, nullptr, tuning_or(bad), world, &tuned); }, true},
  };
  std::set<std::string> called;
  for (const Call& one : calls) {
    called.insert(one.function);
    SCOPED_TRACE(std::string(one.function) + ", " + one.argument);
    if (one.differs && size_of() == 1) continue;
    const std::string message = common_error([&] { done(one.call(wrong_here())); });
    EXPECT_NE(message, "");
  }

  // Against the header: what takes a communicator, and what moves data. (This one does not communicate.)
  const std::set<std::string> local{"weft_strategy_obstacle_on"};
  std::ifstream file(WEFT_C_HEADER);
  std::stringstream header;
  header << file.rdbuf();
  const std::string text = header.str();
  const std::regex collective(
      R"(\nint (weft_\w+_on|weft_\w+_sharing|weft_\w+_(?:forward|backward|execute|apply|apply_complex|density|density_by_parts|raise|write_trace|solve|set_shift|mean)|)"
      R"(weft_ghost_exchange_(?:scatter|gather|accumulate|update|fold))\()");
  std::set<std::string> declared;
  for (std::sregex_iterator at(text.begin(), text.end(), collective), end; at != end; ++at) {
    if (!local.contains((*at)[1])) declared.insert((*at)[1]);
  }
  EXPECT_EQ(declared, called);
}

}  // namespace
