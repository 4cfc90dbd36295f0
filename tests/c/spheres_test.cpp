// Spheres of C compute what those of C++ do, to the last bit.
#include <cmath>

#include "c_support.hpp"
#include "weft/sphere.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 3});

using namespace weft;
using namespace weft::test;

using Complex = std::complex<double>;

const weft_cutoff kCutoff{{{6, 0, 0}, {0, 7, 0}, {0, 0, 8}}, 5.0, {0, 0, 0}};

struct Waves {
  std::array<Index, 3> grid;
  std::vector<std::vector<GVector>> dealt;
  const std::vector<GVector>& mine() const { return dealt[static_cast<std::size_t>(rank_of())]; }
  const int64_t* data() const { return mine().empty() ? nullptr : mine().front().data(); }
  int64_t count() const { return static_cast<int64_t>(mine().size()); }
};

/// The sphere by C++, which C's functions are held to.
Waves waves_of_sphere(bool gamma) {
  Cutoff cutoff;
  for (std::size_t i = 0; i < 3; ++i) cutoff.lattice[i][i] = kCutoff.lattice[i][i];
  cutoff.energy = kCutoff.energy;
  const auto expected = plane_waves(cutoff, gamma);
  Waves out{sphere_grid(cutoff, 2), deal_columns(expected, size_of())};
  int64_t count = 0, grid[3];
  done(weft_plane_waves(&kCutoff, gamma ? 1 : 0, 0, nullptr, &count));
  std::vector<GVector> all(static_cast<std::size_t>(count));
  done(weft_plane_waves(&kCutoff, gamma ? 1 : 0, count, all.front().data(), &count));
  EXPECT_EQ(all, expected);
  done(weft_sphere_grid(&kCutoff, 2, grid));
  EXPECT_EQ((std::array<Index, 3>{grid[0], grid[1], grid[2]}), out.grid);
  std::vector<int> owners(all.size());
  done(weft_deal_columns(count, all.front().data(), size_of(), 1, owners.data()));
  std::vector<GVector> mine;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (owners[i] == rank_of()) mine.push_back(all[i]);
  }
  EXPECT_EQ(mine, out.mine());
  done(weft_deal_columns(count, all.front().data(), 2 * size_of(), 2, owners.data()));
  const auto shared = deal_columns(expected, 2 * size_of(), 2);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& theirs = shared[static_cast<std::size_t>(owners[i])];
    EXPECT_NE(std::find(theirs.begin(), theirs.end(), all[i]), theirs.end());
  }
  return out;
}

void make(OwnedSphereProblem& problem, const Waves& waves, bool gamma, const char* precision) {
  done(weft_sphere_problem_create(waves.grid.data(), &problem));
  done(weft_sphere_problem_set(problem, "gamma", gamma ? "true" : "false"));
  done(weft_sphere_problem_set(problem, "precision", precision));
  done(weft_sphere_problem_set_int(problem, "howmany", 2));
}

/// All that a sphere computes, by C and by C++: to the last bit.
template <class Real>
void compare(bool gamma, const char* precision) {
  const Waves waves = waves_of_sphere(gamma);
  OwnedSphereProblem problem;
  OwnedOptions backward, forward;
  OwnedSphere sphere;
  make(problem, waves, gamma, precision);
  done(weft_options_create(&backward));
  done(weft_options_set(backward, "strategy", "pairwise"));
  done(weft_options_copy(backward, &forward));
  done(weft_options_set_int(forward, "tile", 2));
  done(weft_sphere_create(problem, waves.count(), waves.data(), -1, backward, forward, MPI_COMM_WORLD, &sphere));
  Options there, back;
  there.strategy = back.strategy = "pairwise";
  back.tile = 2;
  SphereTransform<Real> expected({.grid = waves.grid, .gamma = gamma, .howmany = 2}, waves.mine(), MPI_COMM_WORLD,
                                 there, back);

  weft_sphere_plan plan = nullptr;
  weft_sphere_sizes sizes;
  done(weft_sphere_get_plan(sphere, &plan));
  EXPECT_EQ(text_of(weft_sphere_plan_json, plan), expected.plan().json());
  EXPECT_EQ(text_of(weft_sphere_plan_explain, plan), expected.plan().explain());
  EXPECT_EQ((text_of(weft_sphere_plan_option, plan, WEFT_FORWARD, "tile")), "2");
  done(weft_sphere_plan_sizes(plan, sizeof sizes, &sizes));
  EXPECT_EQ(sizes.waves, expected.plan().waves());
  EXPECT_EQ(sizes.all_columns, expected.plan().all_columns());
  EXPECT_EQ(box_of(sizes.space_box), expected.plan().space_box());
  EXPECT_EQ(sizes.workspace_bytes, expected.plan().workspace_bytes());
  EXPECT_EQ(sizes.lines[1], expected.plan().lines().lines[1]);
  EXPECT_EQ(sizes.full_lines[2], expected.plan().lines().full[2]);
  weft_traffic traffic;
  done(weft_sphere_plan_traffic(plan, WEFT_BACKWARD, sizeof traffic, &traffic));
  EXPECT_EQ(traffic.all_bytes, expected.plan().traffic(Direction::backward).all_bytes);
  weft_sphere_plan borrowed = plan;
  expect_refused(weft_sphere_plan_destroy(&borrowed), {"belongs to its transform"});
  int64_t first = -1, end = -1;
  done(weft_sphere_bands_here(sphere, 5, &first, &end));
  EXPECT_EQ(std::pair(first, end), std::pair(Index{0}, Index{5}));

  const weft_bands bands{3, sizes.waves + 2, sizes.space_size + 1, 0, 0};
  const Bands same{bands.count, bands.waves_apart, bands.points_apart};
  const int points_width = gamma ? 1 : 2;
  std::vector<Real> c(static_cast<std::size_t>(2 * 3 * bands.waves_apart)), c1 = c, c2 = c;
  std::vector<Real> s1(static_cast<std::size_t>(points_width * 3 * bands.points_apart)), s2 = s1;
  std::vector<Real> v(static_cast<std::size_t>(sizes.space_size) + 1), r1 = v, r2 = v;
  for (std::size_t i = 0; i < c.size(); ++i) c[i] = static_cast<Real>(std::sin(0.7 * static_cast<double>(i)));
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<Real>(std::cos(0.3 * static_cast<double>(i)));
  const double weights[3] = {1, 0.5, 2};
  const auto as_complex = [](auto& numbers) { return reinterpret_cast<std::complex<Real>*>(numbers.data()); };

  done(weft_sphere_backward(sphere, c.data(), s1.data(), &bands));
  done(weft_sphere_forward(sphere, s1.data(), c1.data(), &bands));
  if (gamma) {
    expected.backward(as_complex(c), s2.data(), same);
    expected.forward(s2.data(), as_complex(c2), same);
  } else {
    expected.backward(as_complex(c), as_complex(s2), same);
    expected.forward(as_complex(s2), as_complex(c2), same);
  }
  EXPECT_EQ(s1, s2);
  EXPECT_EQ(c1, c2);
  done(weft_sphere_apply(sphere, v.data(), c.data(), c1.data(), &bands));
  expected.apply(v.data(), as_complex(c), as_complex(c2), same);
  EXPECT_EQ(c1, c2);
  if (!gamma) {
    done(weft_sphere_apply_complex(sphere, s1.data(), c.data(), c1.data(), &bands));
    expected.apply(as_complex(s2), as_complex(c), as_complex(c2), same);
    EXPECT_EQ(c1, c2);
  } else {
    expect_refused(weft_sphere_apply_complex(sphere, v.data(), c.data(), c1.data(), &bands),
                   {"complex numbers in v", "gamma"});
  }
  if (!gamma) {
    done(weft_sphere_problem_set(problem, "spinors", "true"));
    OwnedSphere spinors;
    done(weft_sphere_create_sharing(problem, waves.count(), waves.data(), -1, backward, forward, sphere, &spinors));
    SphereTransform<Real> pairs({.grid = waves.grid, .howmany = 2, .spinors = true}, waves.mine(), MPI_COMM_WORLD,
                                there, back);
    const weft_bands two{2, bands.waves_apart, 0, 0, 0};
    std::vector<Real> matrix(static_cast<std::size_t>(4 * sizes.space_size)), n1 = matrix, n2 = matrix;
    for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = static_cast<Real>(std::sin(static_cast<double>(i)));
    done(weft_sphere_apply(spinors, matrix.data(), c.data(), c1.data(), &two));
    pairs.apply(matrix.data(), as_complex(c), as_complex(c2), {2, two.waves_apart});
    EXPECT_EQ(c1, c2);
    done(weft_sphere_density(spinors, c.data(), weights, n1.data(), &two));
    pairs.density(as_complex(c), weights, n2.data(), {2, two.waves_apart});
    EXPECT_EQ(n1, n2);
    expect_refused(weft_sphere_apply(spinors, matrix.data(), c.data(), c1.data(), &bands), {"bands is 3", "spinors"});
    done(weft_sphere_problem_set(problem, "spinors", "false"));
  }
  const weft_bands adding{bands.count, bands.waves_apart, bands.points_apart, 1, 0};
  const Bands also{same.count, same.waves_apart, same.points_apart, true};
  OwnedSphere sharing;  // the memory of the other
  done(weft_sphere_create_sharing(problem, waves.count(), waves.data(), -1, backward, forward, sphere, &sharing));
  done(weft_sphere_apply(sharing, v.data(), c.data(), c1.data(), &adding));
  expected.apply(v.data(), as_complex(c), as_complex(c2), also);
  EXPECT_EQ(c1, c2);
  done(weft_sphere_forward(sharing, s1.data(), c1.data(), &adding));
  if (gamma) {
    expected.forward(s2.data(), as_complex(c2), also);
  } else {
    expected.forward(as_complex(s2), as_complex(c2), also);
  }
  EXPECT_EQ(c1, c2);
  done(weft_sphere_density(sphere, c.data(), weights, r1.data(), &bands));
  expected.density(as_complex(c), weights, r2.data(), same);
  EXPECT_EQ(r1, r2);
  done(weft_sphere_density(sphere, c.data(), nullptr, r1.data(), nullptr));  // the problem's two bands
  expected.density(as_complex(c), nullptr, r2.data());
  EXPECT_EQ(r1, r2);
  if (!gamma) {
    const double others[] = {3, 0.25};
    done(weft_sphere_density_by_parts(sphere, c.data(), weights, others, r1.data(), nullptr));
    expected.density_by_parts(as_complex(c), weights, others, r2.data());
    EXPECT_EQ(r1, r2);
  }

  weft_statistics statistics;
  done(weft_sphere_statistics(sphere, sizeof statistics, &statistics));
  EXPECT_EQ(statistics.executions, gamma ? 5 : 7);
  weft_statistics others;
  done(weft_sphere_statistics(sharing, sizeof others, &others));
  EXPECT_EQ(others.executions, 2);
  EXPECT_EQ(statistics.bytes_sent + others.bytes_sent, expected.statistics().bytes_sent);
  weft_exchange_statistics exchange;
  if (statistics.exchanges > 0) done(weft_sphere_exchange(sphere, 0, sizeof exchange, &exchange));
  expect_refused(weft_sphere_exchange(sphere, statistics.exchanges, sizeof exchange, &exchange), {"counted from 0"});
  done(weft_sphere_reset_statistics(sphere));
  done(weft_sphere_drop_trace(sphere));
}

TEST(CInterface, SpheresAreThoseOfCxx) {
  compare<double>(false, "double");
  compare<double>(true, "double");
  compare<float>(false, "single");
  compare<float>(true, "single");
}

/// Other waves that come back: the first of each column of three, in reverse, and one more of each column.
std::vector<GVector> results_of(const std::vector<GVector>& mine, const std::array<Index, 3>& grid) {
  std::vector<GVector> results;
  for (std::size_t i = 0; i < mine.size(); i += 3) {
    results.insert(results.begin(), mine[i]);
    const GVector beyond{mine[i][0], mine[i][1], grid[2] / 2};
    if (std::find(results.begin(), results.end(), beyond) == results.end()) results.push_back(beyond);
  }
  return results;
}

TEST(CInterface, OtherWavesComeBack) {
  const Waves waves = waves_of_sphere(false);
  const std::vector<GVector> results = results_of(waves.mine(), waves.grid);
  const auto count = static_cast<int64_t>(results.size());
  const int64_t counts[] = {count, 0};
  const int64_t* const list = results.empty() ? nullptr : results.front().data();
  OwnedSphereProblem problem;
  OwnedSphere sphere;
  make(problem, waves, false, "double");
  expect_refused(weft_sphere_problem_set_results(problem, 1, nullptr, nullptr), {"counts is NULL"});
  done(weft_sphere_problem_set_results(problem, 2, counts, list));
  weft_sphere none = nullptr;
  expect_common_error(
      [&] {
        done(weft_sphere_create(problem, waves.count(), waves.data(), -1, nullptr, nullptr, MPI_COMM_WORLD, &none));
      },
      {"results of 2 ranks"});
  done(weft_sphere_problem_set_results(problem, 1, counts, list));
  done(weft_sphere_create(problem, waves.count(), waves.data(), -1, nullptr, nullptr, MPI_COMM_WORLD, &sphere));
  SphereTransform<double> expected({.grid = waves.grid, .howmany = 2}, SphereWaves(waves.mine(), results),
                                   MPI_COMM_WORLD);
  weft_sphere_plan plan = nullptr;
  weft_sphere_sizes sizes;
  done(weft_sphere_get_plan(sphere, &plan));
  done(weft_sphere_plan_sizes(plan, sizeof sizes, &sizes));
  EXPECT_EQ(sizes.waves, waves.count());
  EXPECT_EQ(sizes.results, count);
  EXPECT_EQ(text_of(weft_sphere_plan_json, plan), expected.plan().json());
  const weft_bands bands{2, sizes.waves + 1, 0, 0, count + 3};
  const Bands same{.count = 2, .waves_apart = sizes.waves + 1, .results_apart = count + 3};
  std::vector<Complex> c(static_cast<std::size_t>(2 * bands.waves_apart), Complex(1, 2));
  std::vector<Complex> out(static_cast<std::size_t>(2 * bands.results_apart), Complex(5)), wanted = out;
  const std::vector<double> v(static_cast<std::size_t>(sizes.space_size), 0.5);
  done(weft_sphere_apply(sphere, v.data(), c.data(), out.data(), &bands));
  expected.apply(v.data(), c.data(), wanted.data(), same);
  EXPECT_EQ(out, wanted);
  done(weft_sphere_problem_set_results(problem, 0, nullptr, nullptr));
  OwnedSphere one;
  done(weft_sphere_create(problem, waves.count(), waves.data(), -1, nullptr, nullptr, MPI_COMM_WORLD, &one));
  done(weft_sphere_get_plan(one, &plan));
  done(weft_sphere_plan_sizes(plan, sizeof sizes, &sizes));
  EXPECT_EQ(sizes.results, waves.count());

  // Plans have those of all ranks.
  std::vector<int64_t> given, back;
  std::vector<GVector> all, all_back;
  std::vector<std::vector<GVector>> lists;
  for (const auto& mine : waves.dealt) {
    lists.push_back(results_of(mine, waves.grid));
    given.push_back(static_cast<int64_t>(mine.size()));
    back.push_back(static_cast<int64_t>(lists.back().size()));
    all.insert(all.end(), mine.begin(), mine.end());
    all_back.insert(all_back.end(), lists.back().begin(), lists.back().end());
  }
  OwnedSpherePlan of_all;
  done(weft_sphere_problem_set_results(problem, size_of(), back.data(), all_back.front().data()));
  done(weft_sphere_plan_create(problem, size_of(), given.data(), all.front().data(), nullptr, nullptr, 0, &of_all));
  EXPECT_EQ(text_of(weft_sphere_plan_json, of_all),
            SpherePlan({.grid = waves.grid, .howmany = 2}, waves.dealt, {}, {}, 0, lists).json());
}

TEST(CInterface, SpherePlansAreThoseOfCxx) {
  const Waves waves = waves_of_sphere(false);
  OwnedSphereProblem problem;
  OwnedSpherePlan plan;
  make(problem, waves, false, "double");
  std::vector<int64_t> counts;
  std::vector<GVector> all;
  for (const auto& mine : waves.dealt) {
    counts.push_back(static_cast<int64_t>(mine.size()));
    all.insert(all.end(), mine.begin(), mine.end());
  }
  done(weft_sphere_plan_create(problem, size_of(), counts.data(), all.front().data(), nullptr, nullptr, 0, &plan));
  const SpherePlan expected({.grid = waves.grid, .howmany = 2}, waves.dealt, {}, {}, 0);
  EXPECT_EQ(text_of(weft_sphere_plan_json, plan), expected.json());
  weft_prediction prediction;
  done(weft_sphere_predict(plan, nullptr, size_of(), sizeof prediction, &prediction));
  EXPECT_GT(prediction.backward, 0);
}

TEST(CInterface, SpheresOnOneRank) {
  const Waves waves = waves_of_sphere(false);
  const bool wrong = wrong_here();
  OwnedSphereProblem problem;
  OwnedSphere sphere;
  make(problem, waves, false, "double");
  weft_sphere none = nullptr;
  const auto create = [&](int64_t count, const int64_t* list) {
    done(weft_sphere_create(problem, count, list, -1, nullptr, nullptr, MPI_COMM_WORLD, &none));
  };
  expect_common_error([&] { create(wrong ? -1 : waves.count(), waves.data()); }, {"number of waves is -1"});
  expect_common_error([&] { create(5, wrong ? nullptr : waves.data()); }, {"waves is NULL"});
  EXPECT_EQ(none, nullptr);
  OwnedSphere first;
  done(weft_sphere_create(problem, waves.count(), waves.data(), -1, nullptr, nullptr, MPI_COMM_WORLD, &first));
  expect_common_error(
      [&] {
        done(weft_sphere_create_sharing(wrong ? nullptr : static_cast<weft_sphere_problem>(problem), waves.count(),
                                        waves.data(), -1, nullptr, nullptr, first, &none));
      },
      {"problem is NULL"});
  EXPECT_EQ(none, nullptr);
  done(weft_sphere_create_f(problem, waves.count(), waves.data(), -1, nullptr, nullptr,
                            detail::number_of(MPI_COMM_WORLD), &sphere));
  std::vector<Complex> c(static_cast<std::size_t>(2 * waves.count()) + 1);
  std::vector<Complex> space(static_cast<std::size_t>(2 * waves.grid[0] * waves.grid[1] * waves.grid[2]));
  expect_common_error([&] { done(weft_sphere_backward(sphere, wrong ? nullptr : c.data(), space.data(), nullptr)); },
                      {"waves is null"});
  const weft_bands two{2, 0, 0, 0, 0}, one{1, 0, 0, 0, 0};
  if (size_of() > 1) {
    expect_common_error([&] { done(weft_sphere_backward(sphere, c.data(), space.data(), wrong ? &one : &two)); },
                        {"bands is 1"});
  }
  if (size_of() > 1) {
    expect_common_error(
        [&] {
          done(wrong ? weft_sphere_forward(sphere, space.data(), c.data(), &two)
                     : weft_sphere_backward(sphere, c.data(), space.data(), &two));
        },
        {"forward", "backward"});
  }
  // Raised by a wrapper, while the others are in an execution of any number of bands.
  expect_common_error(
      [&] {
        if (wrong) return done(weft_sphere_raise(sphere, "not today"));
        done(weft_sphere_backward(sphere, c.data(), space.data(), &two));
      },
      {"not today"});
  done(weft_sphere_backward(sphere, c.data(), space.data(), &two));
}

TEST(CInterface, TuningOfSpheres) {
  const Waves waves = waves_of_sphere(false);
  OwnedSphereProblem problem;
  OwnedTuning tuning;
  OwnedTuned backward, forward;
  make(problem, waves, false, "double");
  done(weft_tuning_create(&tuning));
  done(weft_tuning_set(tuning, "file", "none"));
  done(weft_tuning_set(tuning, "effort", "estimate"));
  done(weft_tune_sphere(problem, waves.count(), waves.data(), -1, nullptr, nullptr, tuning, MPI_COMM_WORLD, &backward,
                        &forward));
  EXPECT_EQ(text_of(weft_tuned_source, backward), "model");
  EXPECT_EQ(text_of(weft_tuned_source, forward), "model");
}

}  // namespace
