// Transforms and redistributions of C, and what is wrong on one rank. What transforms compute is the contract's.
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "c_support.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 3});

using namespace weft;
using namespace weft::test;

using Complex = std::complex<double>;

/// A transform of kShape.
void make(OwnedTransform& fft, const std::vector<std::array<const char*, 2>>& properties,
          const std::vector<std::array<const char*, 2>>& settings = {}) {
  OwnedProblem problem;
  OwnedOptions options;
  done(weft_problem_create(3, kShape, &problem));
  for (const auto& [name, value] : properties) done(weft_problem_set(problem, name, value));
  done(weft_options_create(&options));
  for (const auto& [name, value] : settings) done(weft_options_set(options, name, value));
  done(weft_transform_create_f(problem, options, detail::number_of(MPI_COMM_WORLD), &fft));
}

TEST(CInterface, TransformsTellTheirPlanAndCosts) {
  OwnedTransform fft;
  make(fft, {{"kind", "r2c"}}, {{"strategy", "pairwise"}, {"tile", "2"}});
  weft_plan plan = nullptr;
  weft_array in, out;
  weft_box box;
  int64_t size = 0;
  done(weft_transform_get_plan(fft, &plan));
  done(weft_plan_input(plan, sizeof in, &in));
  done(weft_plan_output(plan, sizeof out, &out));
  done(weft_transform_input_box(fft, &box));
  EXPECT_EQ(box_of(box), box_of(in.box));
  done(weft_transform_output_box(fft, &box));
  EXPECT_EQ(box_of(box), box_of(out.box));
  done(weft_transform_input_size(fft, &size));
  EXPECT_EQ(size, in.size);
  done(weft_transform_output_size(fft, &size));
  EXPECT_EQ(size, out.size);
  weft_plan borrowed = plan;
  expect_refused(weft_plan_destroy(&borrowed), {"belongs to its transform"});

  std::vector<double> field(static_cast<std::size_t>(in.size) + 1, 1.0);
  std::vector<Complex> spectrum(static_cast<std::size_t>(out.size) + 1);
  done(weft_transform_forward(fft, field.data(), spectrum.data()));
  done(weft_transform_backward(fft, spectrum.data(), field.data()));
  done(weft_transform_execute(fft, WEFT_FORWARD, field.data(), WEFT_DOUBLE, in.size, spectrum.data(),
                              WEFT_COMPLEX_DOUBLE, -1));
  EXPECT_NEAR(field[0], in.size > 0 ? 8 * 6 * 5 : 1, 1e-11);
  weft_statistics statistics;
  done(weft_transform_statistics(fft, sizeof statistics, &statistics));
  EXPECT_EQ(statistics.executions, 3);
  weft_traffic forward, backward;
  done(weft_plan_traffic(plan, WEFT_FORWARD, sizeof forward, &forward));
  done(weft_plan_traffic(plan, WEFT_BACKWARD, sizeof backward, &backward));
  EXPECT_EQ(statistics.bytes_sent, 2 * forward.bytes + backward.bytes);
  EXPECT_EQ(statistics.messages, 2 * forward.messages + backward.messages);
  EXPECT_GT(statistics.total, 0);
  EXPECT_EQ(statistics.wire_error, 0);
  EXPECT_GE(statistics.core_round_trip, 0);
  EXPECT_LE(statistics.core_moves, 3);
  if (size_of() > 1) {
    ASSERT_EQ(statistics.exchanges, 4);
  }
  int64_t sent = 0;
  int before = WEFT_FORWARD;
  for (int64_t i = 0; i < statistics.exchanges; ++i) {
    weft_exchange_statistics exchange;
    done(weft_transform_exchange(fft, i, sizeof exchange, &exchange));
    EXPECT_GE(exchange.direction, before) << "forward's are first";
    before = exchange.direction;
    sent += exchange.bytes_sent;
  }
  EXPECT_EQ(sent, statistics.bytes_sent);
  weft_exchange_statistics exchange;
  expect_refused(weft_transform_exchange(fft, statistics.exchanges, sizeof exchange, &exchange), {"counted from 0"});
  done(weft_transform_reset_statistics(fft));
  done(weft_transform_statistics(fft, sizeof statistics, &statistics));
  EXPECT_EQ(statistics.executions, 0);
}

TEST(CInterface, TracesAreWrittenAndDropped) {
  const std::string path = "c-test-trace-" + std::to_string(size_of()) + ".json";
  const auto remove = [&] {
    if (rank_of() == 0) std::remove(path.c_str());
    MPI_Barrier(MPI_COMM_WORLD);
  };
  remove();
  {
    OwnedTransform fft;
    make(fft, {}, {{"trace", path.c_str()}});
    std::vector<Complex> in(8 * 6 * 5), out(8 * 6 * 5);
    done(weft_transform_forward(fft, in.data(), out.data()));
    done(weft_transform_write_trace(fft));
    EXPECT_TRUE(std::ifstream(path).good());
    MPI_Barrier(MPI_COMM_WORLD);
    remove();
    done(weft_transform_forward(fft, in.data(), out.data()));
    done(weft_transform_drop_trace(fft));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_FALSE(std::ifstream(path).good());
  remove();
}

TEST(CInterface, CreationOnOneRank) {
  OwnedProblem problem;
  OwnedOptions options;
  weft_transform fft = nullptr;
  done(weft_problem_create(3, kShape, &problem));
  done(weft_options_create(&options));
  const auto create = [&](weft_problem p, weft_options o) {
    fft = reinterpret_cast<weft_transform>(&fft);
    done(weft_transform_create(p, o, MPI_COMM_WORLD, &fft));
  };
  expect_common_error([&] { create(wrong_here() ? weft_problem{} : problem, options); }, {"problem is NULL"});
  EXPECT_EQ(fft, nullptr);
  if (size_of() == 1) return;
  OwnedOptions other;
  done(weft_options_create(&other));
  done(weft_options_set_int(other, "tile", 3));
  expect_common_error([&] { create(problem, wrong_here() ? other : options); }, {"must be the same on all ranks"});
  OwnedProblem single;
  done(weft_problem_create(3, kShape, &single));
  done(weft_problem_set(single, "precision", "single"));
  expect_common_error([&] { create(wrong_here() ? single : problem, nullptr); }, {"precision=single"});
  expect_common_error(
      [&] {
        const int64_t bad[3] = {8, 0, 5};
        OwnedProblem empty;
        const int code = weft_problem_create(3, wrong_here() ? bad : kShape, &empty);
        EXPECT_EQ(code, wrong_here() ? WEFT_ERROR : WEFT_SUCCESS);
        create(empty, nullptr);
      },
      {"problem is NULL"});
  EXPECT_EQ(fft, nullptr);
}

TEST(CInterface, ExecutionOnOneRank) {
  OwnedTransform fft;
  make(fft, {{"precision", "single"}});
  const std::size_t room = 8 * 6 * 5;
  std::vector<std::complex<float>> in(room), out(room);
  const bool wrong = wrong_here();
  const std::string here = "on rank " + std::to_string(size_of() - 1);
  int64_t size = 0;
  done(weft_transform_input_size(fft, &size));
  expect_common_error([&] { done(weft_transform_forward(fft, wrong ? nullptr : in.data(), out.data())); },
                      {"in is null", here});
  expect_common_error(
      [&] { done(weft_transform_backward(fft, in.data(), wrong ? static_cast<void*>(in.data()) : out.data())); },
      {"in and out overlap", here});
  const auto execute = [&](int in_type, int64_t in_size, int out_type) {
    done(weft_transform_execute(fft, WEFT_FORWARD, in.data(), in_type, in_size, out.data(), out_type, -1));
  };
  expect_common_error([&] { execute(wrong ? WEFT_COMPLEX_DOUBLE : WEFT_COMPLEX_FLOAT, size, WEFT_COMPLEX_FLOAT); },
                      {"in holds complex double " + here, "complex float is needed"});
  expect_common_error([&] { execute(WEFT_COMPLEX_FLOAT, size, wrong ? WEFT_FLOAT : WEFT_COMPLEX_FLOAT); },
                      {"out holds float " + here});
  expect_common_error([&] { execute(WEFT_COMPLEX_FLOAT, wrong ? size - 1 : size, WEFT_COMPLEX_FLOAT); },
                      {"in holds ", "elements " + here, "at least"});
  // Raised by a wrapper, while the others execute.
  expect_common_error(
      [&] {
        if (wrong) return done(weft_transform_raise(fft, WEFT_FORWARD, "not today"));
        done(weft_transform_forward(fft, in.data(), out.data()));
      },
      {"not today"});
  const auto go = [&](int direction) {
    done(weft_transform_execute(fft, direction, in.data(), WEFT_COMPLEX_FLOAT, -1, out.data(), WEFT_COMPLEX_FLOAT, -1));
  };
  expect_common_error([&] { go(wrong ? 2 : WEFT_BACKWARD); }, {"direction is 2"});
  expect_common_error([&] { wrong ? done(weft_transform_raise(fft, 0, "")) : go(WEFT_FORWARD); }, {"direction is 0"});
  if (size_of() > 1) expect_common_error([&] { go(wrong ? WEFT_BACKWARD : WEFT_FORWARD); }, {"forward", "backward"});
  // And all is well afterwards.
  done(weft_transform_forward(fft, in.data(), out.data()));
}

TEST(CInterface, OneArrayInPlace) {
  OwnedTransform two, one;
  make(two, {});
  make(one, {}, {{"in_place", "true"}});
  std::vector<Complex> data(8 * 6 * 5, 1.0), other(data.size());
  expect_common_error([&] { done(weft_transform_forward(one, data.data(), other.data())); }, {"in_place takes one"});
  expect_common_error([&] { done(weft_transform_forward(two, data.data(), data.data())); },
                      {"set the option in_place"});
  done(weft_transform_forward(one, data.data(), data.data()));
  done(weft_transform_backward(one, data.data(), data.data()));
  EXPECT_NEAR(data[0].real(), 8 * 6 * 5, 1e-11);
}

TEST(CInterface, RanksWithoutPoints) {
  for (const auto& [axes, shape] : {std::pair{2, Shape{1, 13, 0}}, {2, {13, 13, 0}}, {3, {1, 5, 1}}}) {
    for (const char* decomposition : {"auto", "pencil"}) {
      OwnedProblem problem;
      OwnedOptions options;
      OwnedTransform fft;
      done(weft_problem_create(axes, shape.data(), &problem));
      done(weft_options_create(&options));
      done(weft_options_set(options, "decomposition", decomposition));
      done(weft_transform_create(problem, options, MPI_COMM_WORLD, &fft));
      weft_box input, output;
      int64_t in = -1, out = -1;
      done(weft_transform_input_box(fft, &input));
      done(weft_transform_output_box(fft, &output));
      done(weft_transform_input_size(fft, &in));
      done(weft_transform_output_size(fft, &out));
      ASSERT_EQ(in, box_of(input).count());
      ASSERT_EQ(out, box_of(output).count());
      // A constant becomes a peak. Behind each array is a number that nobody writes.
      std::vector<Complex> field(static_cast<std::size_t>(in) + 1, 1.0),
          spectrum(static_cast<std::size_t>(out) + 1, 7.0);
      done(weft_transform_forward(fft, field.data(), spectrum.data()));
      double sum = 0;
      for (int64_t i = 0; i < out; ++i) sum += spectrum[static_cast<std::size_t>(i)].real();
      MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      EXPECT_NEAR(sum, static_cast<double>(shape[0] * shape[1] * (axes == 3 ? shape[2] : 1)), 1e-11);
      EXPECT_EQ(spectrum.back(), 7.0);
      done(weft_transform_backward(fft, spectrum.data(), field.data()));
      EXPECT_EQ(field.back(), 1.0);
    }
  }
}

TEST(CInterface, AnotherMpiLibraryIsRefused) {
  OwnedProblem problem;
  done(weft_problem_create(3, kShape, &problem));
  const MPI_Comm world = MPI_COMM_WORLD;
  weft_transform fft = nullptr;
  const weft_comm other{"another MPI", sizeof(MPI_Comm), &world}, size{WEFT_MPI_LIBRARY, 3, &world};
  for (const weft_comm* comm : {&other, &size}) {
    EXPECT_EQ(weft_transform_create_on(problem, nullptr, comm, &fft), WEFT_ERROR_MPI_LIBRARY);
    const std::string message = weft_error_message();
    EXPECT_NE(message.find(comm->library), std::string::npos) << message;
    EXPECT_NE(message.find(WEFT_MPI_LIBRARY), std::string::npos) << message;
  }
  expect_refused(weft_transform_create(problem, nullptr, MPI_COMM_NULL, &fft), {"comm is MPI_COMM_NULL"});
  EXPECT_EQ(fft, nullptr);
}

TEST(CInterface, RedistributionsMoveFields) {
  const Shape shape{8, 6, 5};
  const Layout from = Layout::slab(shape, size_of(), 0), to = Layout::slab(shape, size_of(), 2);
  OwnedLayout source, target;
  OwnedRedistribution move;
  done(weft_layout_create_slab(kShape, size_of(), 0, &source));
  done(weft_layout_create_slab(kShape, size_of(), 2, &target));
  done(weft_redistribution_create(source, target, 8, 2, nullptr, MPI_COMM_WORLD, &move));
  std::vector<double> in, wanted;
  for (const Index field : {0, 1}) {
    for (const double value : values_of<double>({verify::FieldType::real, 5, field, shape}, from.box(rank_of()))) {
      in.push_back(value);
    }
    for (const double value : values_of<double>({verify::FieldType::real, 5, field, shape}, to.box(rank_of()))) {
      wanted.push_back(value);
    }
  }
  in.push_back(0);
  std::vector<double> out(wanted.size() + 1, -1);
  weft_moved moved;
  done(weft_redistribution_execute(move, in.data(), out.data(), sizeof moved, &moved));
  out.pop_back();
  EXPECT_EQ(out, wanted);
  EXPECT_EQ(moved.bytes_kept + moved.bytes_sent, static_cast<int64_t>(8 * (in.size() - 1)));
  EXPECT_EQ(sum(moved.bytes_sent), moved.bytes_sent_all);
  out.push_back(0);
  done(weft_redistribution_execute(move, in.data(), out.data(), 0, nullptr));
  expect_common_error(
      [&] { done(weft_redistribution_execute(move, in.data(), out.data(), wrong_here() ? 0 : sizeof moved, &moved)); },
      {"size is 0"});
  done(weft_redistribution_drop_trace(move));

  weft_redistribution none = nullptr;
  expect_common_error(
      [&] {
        done(weft_redistribution_create(wrong_here() ? weft_layout{} : source, target, 8, 1, nullptr, MPI_COMM_WORLD,
                                        &none));
      },
      {"from is NULL"});
  expect_common_error(
      [&] {
        done(weft_redistribution_create_f(source, target, 7, 1, nullptr, detail::number_of(MPI_COMM_WORLD), &none));
      },
      {"7"});
}

// Patches and ghosts at both ends of a transform: a round trip gives the same, with ghosts.
TEST(CInterface, EndsHaveSeveralBoxesAndGhosts) {
  std::vector<weft_box> boxes;
  std::vector<int> owners;
  for (int64_t i = 0; i < kShape[0]; ++i) {
    boxes.push_back({{i, 0, 0}, {i + 1, kShape[1], kShape[2]}});
    owners.push_back(static_cast<int>(i) % size_of());
  }
  OwnedLayout patches;
  done(weft_layout_create_patches(kShape, size_of(), kShape[0], boxes.data(), owners.data(), &patches));
  OwnedProblem problem;
  done(weft_problem_create(3, kShape, &problem));
  done(weft_problem_set(problem, "normalization", "backward"));
  OwnedOptions options;
  done(weft_options_create(&options));
  done(weft_options_set_layout(options, "input", patches));
  done(weft_options_set(options, "input_ghosts", "1x0x0"));
  OwnedTransform transform;
  done(weft_transform_create(problem, options, MPI_COMM_WORLD, &transform));
  int64_t in = 0, out = 0, count = 0;
  done(weft_transform_input_size(transform, &in));
  done(weft_transform_output_size(transform, &out));
  done(weft_layout_boxes(patches, rank_of(), 0, nullptr, &count));
  const int64_t plane = kShape[1] * kShape[2];
  EXPECT_EQ(in, 3 * count * plane);
  weft_box row;
  done(weft_transform_input_box(transform, &row));
  if (kShape[0] > size_of()) {
    EXPECT_EQ(row.hi[2], in);
  }
  std::vector<std::complex<double>> x(static_cast<std::size_t>(in)), y(static_cast<std::size_t>(out)), z(x.size());
  std::size_t at = 0;
  for (int64_t i = rank_of(); i < kShape[0]; i += size_of()) {
    for (const int64_t ghost : {-1, 0, 1}) {
      const auto number = static_cast<double>((i + ghost + kShape[0]) % kShape[0]);
      for (int64_t p = 0; p < plane; ++p) x[at++] = {number, static_cast<double>(p)};
    }
  }
  done(weft_transform_forward(transform, x.data(), y.data()));
  done(weft_transform_backward(transform, y.data(), z.data()));
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(std::abs(x[i] - z[i]), 0, 1e-12);
}

TEST(CInterface, GhostsAreFilledAndSummed) {
  OwnedLayout source, target;
  done(weft_layout_create_slab(kShape, size_of(), 0, &source));
  done(weft_layout_create_slab(kShape, size_of(), 2, &target));
  const weft_ghosts ghosts{{1, 2, 0}, {0, 1, 2}, {1, 1, 1}};
  const Layout from = Layout::slab({8, 6, 5}, size_of(), 0), to = Layout::slab({8, 6, 5}, size_of(), 2);
  for (const int type : {WEFT_FLOAT, WEFT_DOUBLE, WEFT_COMPLEX_FLOAT, WEFT_COMPLEX_DOUBLE}) {
    OwnedGhostExchange exchange;
    done(weft_ghost_exchange_create(source, target, &ghosts, type, 2, 1, 1, MPI_COMM_WORLD, &exchange));
    weft_box box;
    done(weft_ghost_exchange_part_box(exchange, &box));
    const Box own = to.box(rank_of());
    for (std::size_t axis = 0; axis < 3 && !own.empty(); ++axis) {
      EXPECT_EQ(box.lo[axis], own.lo[axis] - ghosts.below[axis]);
      EXPECT_EQ(box.hi[axis], own.hi[axis] + ghosts.above[axis]);
    }
    Index points = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) points *= box.hi[axis] - box.lo[axis];
    // Ones: every point of the field is then seen as often as its sum says.
    const auto ones = [&](const auto& one) {
      using Number = std::decay_t<decltype(one)>;
      std::vector<Number> field(static_cast<std::size_t>(2 * from.box(rank_of()).count()) + 1, one), sums = field;
      std::vector<Number> parts(static_cast<std::size_t>(2 * points) + 1, Number(-1));
      weft_moved moved;
      done(weft_ghost_exchange_scatter(exchange, field.data(), parts.data(), sizeof moved, &moved));
      EXPECT_EQ(moved.bytes_sent_all, sum(moved.bytes_sent));
      EXPECT_EQ(std::count(parts.begin(), parts.end(), one), 2 * points);
      done(weft_ghost_exchange_update(exchange, parts.data(), 0, nullptr));
      EXPECT_EQ(std::count(parts.begin(), parts.end(), one), 2 * points);
      done(weft_ghost_exchange_gather(exchange, parts.data(), sums.data(), 0, nullptr));
      EXPECT_EQ(sums, field);
      done(weft_ghost_exchange_accumulate(exchange, parts.data(), sums.data(), 0, nullptr));
      Index seen = 0;
      for (std::size_t i = 0; i + 1 < sums.size(); ++i) seen += static_cast<Index>(std::abs(sums[i] / one) + 0.5F);
      EXPECT_EQ(sum(seen), sum(2 * points));
      done(weft_ghost_exchange_fold(exchange, parts.data(), 0, nullptr));
    };
    switch (type) {
      case WEFT_FLOAT: ones(1.0F); break;
      case WEFT_DOUBLE: ones(1.0); break;
      case WEFT_COMPLEX_FLOAT: ones(std::complex<float>(1, 2)); break;
      default: ones(std::complex<double>(1, 2)); break;
    }
    done(weft_ghost_exchange_raise(exchange, nullptr));
  }
  weft_ghost_exchange none = nullptr;
  expect_common_error(
      [&] {
        done(weft_ghost_exchange_create(source, target, &ghosts, wrong_here() ? 0 : WEFT_DOUBLE, 1, 1, 1,
                                        MPI_COMM_WORLD, &none));
      },
      {"type is 0"});
}

TEST(CInterface, TuningChoosesOptions) {
  OwnedProblem problem;
  OwnedOptions options, chosen;
  OwnedTuning tuning;
  OwnedTuned tuned;
  done(weft_problem_create(3, kShape, &problem));
  done(weft_options_create(&options));
  done(weft_options_set(options, "strategy", "pairwise"));
  done(weft_tuning_create(&tuning));
  done(weft_tuning_set(tuning, "file", "none"));
  done(weft_tuning_set(tuning, "budget", "0.05"));
  std::string lines;
  done(weft_tuning_set_progress(
      tuning, [](const char* line, void* data) { *static_cast<std::string*>(data) += line; }, &lines));
  done(weft_tune(problem, options, tuning, MPI_COMM_WORLD, &tuned));
  EXPECT_EQ(lines.empty(), rank_of() != 0) << lines;
  EXPECT_EQ(text_of(weft_tuned_source, tuned), "timed");
  EXPECT_NE(text_of(weft_tuned_text, tuned), "");
  EXPECT_EQ(text_of(weft_tuned_json, tuned).front(), '{');
  weft_tuned_summary summary;
  done(weft_tuned_get_summary(tuned, sizeof summary, &summary));
  EXPECT_GT(summary.seconds, 0);
  EXPECT_GT(summary.default_seconds, 0);
  EXPECT_GE(summary.tried, 1);
  done(weft_tuned_options(tuned, &chosen));
  EXPECT_EQ(text_of(weft_options_get, chosen, "strategy"), "pairwise") << "what is given stays";
  OwnedTransform fft;
  done(weft_transform_create(problem, chosen, MPI_COMM_WORLD, &fft));
  weft_tuned none = nullptr;
  expect_common_error(
      [&] {
        done(weft_tune_f(wrong_here() ? weft_problem{} : problem, nullptr, tuning, detail::number_of(MPI_COMM_WORLD),
                         &none));
      },
      {"problem is NULL"});
}

TEST(CInterface, TuningFiles) {
  if (rank_of() != 0) return;
  const auto folder = std::filesystem::temp_directory_path() / ("weft-c-" + std::to_string(getpid()));
  const std::string path = (folder / "tuning.json").string();
  EXPECT_EQ(text_of(weft_tuning_file_entries, path.c_str()), "[]");
  int taken = 0;
  expect_refused(weft_tuning_file_merge(path.c_str(), "no-such-file.json", &taken), {"no-such-file.json"});
  const int places[1] = {7};
  expect_refused(weft_tuning_file_forget(path.c_str(), 1, places), {"7"});
  std::filesystem::remove_all(folder);
}

}  // namespace
