// Layouts and plans of C are those of C++.
#include "c_support.hpp"
#include "weft/plan.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 3});

using namespace weft;
using namespace weft::test;

void expect_same(weft_layout layout, const Layout& expected) {
  int ranks = 0;
  int64_t shape[3];
  done(weft_layout_ranks(layout, &ranks));
  done(weft_layout_shape(layout, shape));
  ASSERT_EQ(ranks, expected.ranks());
  EXPECT_EQ((Shape{shape[0], shape[1], shape[2]}), expected.shape());
  EXPECT_EQ(text_of(weft_layout_describe, layout), expected.describe());
  for (int rank = 0; rank < ranks; ++rank) {
    weft_box box;
    done(weft_layout_box(layout, rank, &box));
    EXPECT_EQ(box_of(box), expected.box(rank));
  }
  const weft_box wanted{{1, 0, 1}, {4, 3, 5}};
  const auto overlaps = expected.overlaps(box_of(wanted));
  int owners[2] = {-1, -1};
  weft_box parts[2];
  int64_t count = 0;
  done(weft_layout_overlaps(layout, &wanted, 2, owners, parts, &count));
  ASSERT_EQ(static_cast<std::size_t>(count), overlaps.size());
  for (std::size_t i = 0; i < std::min<std::size_t>(2, overlaps.size()); ++i) {
    EXPECT_EQ(owners[i], overlaps[i].rank);
    EXPECT_EQ(box_of(parts[i]), overlaps[i].box);
  }
  weft_box box;
  expect_refused(weft_layout_box(layout, ranks, &box), {"rank is " + std::to_string(ranks), "ranks from 0 to"});
}

TEST(CInterface, LayoutsAreThoseOfCxx) {
  const Shape shape{8, 6, 5};
  const int parts[3] = {2, 1, 3};
  OwnedLayout grid, slab, pencil, boxes;
  done(weft_layout_create_grid(kShape, parts, &grid));
  expect_same(grid, Layout::grid(shape, {2, 1, 3}));
  done(weft_layout_create_slab(kShape, 3, 1, &slab));
  expect_same(slab, Layout::slab(shape, 3, 1));
  done(weft_layout_create_pencil(kShape, 2, 3, 0, &pencil));
  expect_same(pencil, Layout::pencil(shape, 2, 3, 0));
  const weft_box all[2] = {{{0, 0, 0}, {8, 6, 2}}, {{0, 0, 2}, {8, 6, 5}}};
  done(weft_layout_create_boxes(kShape, 2, all, &boxes));
  expect_same(boxes, Layout::bricks(shape, {box_of(all[0]), box_of(all[1])}));
  const weft_box gap[2] = {{{0, 0, 0}, {8, 6, 2}}, {{0, 0, 3}, {8, 6, 5}}};
  weft_layout none = slab;
  expect_refused(weft_layout_create_boxes(kShape, 2, gap, &none), {"cover"});
  EXPECT_EQ(none, nullptr);
}

TEST(CInterface, PatchesAreThoseOfCxx) {
  const weft_box boxes[3] = {{{0, 0, 2}, {8, 6, 5}}, {{0, 0, 0}, {3, 6, 2}}, {{3, 0, 0}, {8, 6, 2}}};
  const int owners[3] = {1, 0, 1};
  OwnedLayout patches;
  done(weft_layout_create_patches(kShape, 3, 3, boxes, owners, &patches));
  EXPECT_EQ(text_of(weft_layout_describe, patches), "3 patches of 3 ranks");
  weft_box found[3];
  int64_t count = -1;
  done(weft_layout_boxes(patches, 1, 3, found, &count));
  ASSERT_EQ(count, 2);
  EXPECT_EQ(box_of(found[0]), box_of(boxes[0]));
  EXPECT_EQ(box_of(found[1]), box_of(boxes[2]));
  done(weft_layout_boxes(patches, 2, 0, nullptr, &count));
  EXPECT_EQ(count, 0);
  expect_refused(weft_layout_box(patches, 0, found), {"ranks hold 3 patches of 3 ranks"});
  expect_refused(weft_layout_boxes(patches, 3, 3, found, &count), {"rank is 3"});
  weft_layout none = patches;
  expect_refused(weft_layout_create_patches(kShape, 1, 3, boxes, owners, &none), {"the owner of patch 0 is 1"});
  EXPECT_EQ(none, nullptr);
}

TEST(CInterface, LayoutsAreGathered) {
  const Layout expected = Layout::slab({8, 6, 5}, size_of(), 2);
  const weft_box mine = box_of(expected.box(rank_of()));
  OwnedLayout first, second;
  done(weft_layout_gather(kShape, &mine, MPI_COMM_WORLD, &first));
  done(weft_layout_gather_f(kShape, &mine, detail::number_of(MPI_COMM_WORLD), &second));
  for (int rank = 0; rank < size_of(); ++rank) {
    weft_box box;
    done(weft_layout_box(first, rank, &box));
    EXPECT_EQ(box_of(box), expected.box(rank));
    done(weft_layout_box(second, rank, &box));
    EXPECT_EQ(box_of(box), expected.box(rank));
  }
  weft_layout none = nullptr;
  expect_common_error([&] { done(weft_layout_gather(kShape, wrong_here() ? nullptr : &mine, MPI_COMM_WORLD, &none)); },
                      {"mine is NULL"});
}

void expect_same(const weft_array& array, const Layout& layout, const Plan& plan, Index size, Index bytes, Index row,
                 const Plan::Strides& strides) {
  EXPECT_EQ(box_of(array.box), layout.box(plan.rank()));
  EXPECT_EQ(array.size, size);
  EXPECT_EQ(array.bytes, bytes);
  EXPECT_EQ(array.row, row);
  EXPECT_EQ(array.field, strides.field);
  EXPECT_EQ((Shape{array.stride[0], array.stride[1], array.stride[2]}), strides.axis);
}

TEST(CInterface, PlansAreThoseOfCxx) {
  for (const bool single : {false, true}) {
    for (const char* kind : {"c2c", "r2c", "c2r"}) {
      OwnedProblem problem;
      OwnedOptions options;
      OwnedPlan plan;
      OwnedLayout input, output;
      done(weft_problem_create(3, kShape, &problem));
      done(weft_problem_set(problem, "kind", kind));
      done(weft_problem_set(problem, "precision", single ? "single" : "double"));
      done(weft_problem_set_int(problem, "batch", 2));
      done(weft_problem_set(problem, "output_order", single ? "012" : "102"));
      done(weft_options_create(&options));
      done(weft_options_set(options, "decomposition", "pencil"));
      done(weft_options_set(options, "strategy", "ialltoallv"));
      done(weft_options_set(options, "in_place", single ? "true" : "false"));
      const int nodes[6] = {0, 0, 0, 3, 3, 3};
      done(weft_options_set_nodes(options, 6, nodes));
      const Problem wanted{.shape = {8, 6, 5},
                           .kind = parse_kind(kind),
                           .precision = single ? Precision::single_ : Precision::double_,
                           .batch = 2,
                           .output_order = parse_order(single ? "012" : "102")};
      Options given;
      given.decomposition = Decomposition::pencil;
      given.strategy = "ialltoallv";
      given.in_place = single;
      given.nodes.assign(nodes, nodes + 6);
      if (!single) {
        OwnedLayout layout;
        given.input = Layout::slab(wanted.kind == Kind::c2r ? wanted.spectrum_shape() : wanted.shape, 6, 1);
        done(weft_layout_create_slab(given.input->shape().data(), 6, 1, &layout));
        done(weft_options_set_layout(options, "input", layout));
      }
      done(weft_plan_create(problem, options, 6, 4, &plan));
      const Plan expected(wanted, given, 6, 4);

      EXPECT_EQ(text_of(weft_plan_explain, plan), expected.explain());
      EXPECT_EQ(text_of(weft_plan_json, plan), expected.json());
      EXPECT_EQ(text_of(weft_plan_option, plan, "strategy"), "ialltoallv");
      EXPECT_EQ(text_of(weft_plan_option, plan, "kind"), kind);
      int rank = 0, ranks = 0;
      done(weft_plan_rank(plan, &rank, &ranks));
      EXPECT_EQ(std::pair(rank, ranks), std::pair(4, 6));
      weft_array in, out;
      done(weft_plan_input(plan, sizeof in, &in));
      done(weft_plan_output(plan, sizeof out, &out));
      expect_same(in, expected.input(), expected, expected.input_size(), expected.input_bytes(), expected.input_row(),
                  expected.input_strides());
      expect_same(out, expected.output(), expected, expected.output_size(), expected.output_bytes(),
                  expected.output_row(), expected.output_strides());
      EXPECT_EQ(in.type, (wanted.real_input() ? WEFT_FLOAT : WEFT_COMPLEX_FLOAT) + (single ? 0 : 1));
      EXPECT_EQ(out.type, (wanted.real_output() ? WEFT_FLOAT : WEFT_COMPLEX_FLOAT) + (single ? 0 : 1));
      done(weft_plan_input_layout(plan, &input));
      done(weft_plan_output_layout(plan, &output));
      expect_same(input, expected.input());
      expect_same(output, expected.output());
      int64_t bytes = 0;
      done(weft_plan_workspace_bytes(plan, &bytes));
      EXPECT_EQ(bytes, expected.workspace_bytes());
      for (const Direction direction : {Direction::forward, Direction::backward}) {
        weft_traffic traffic;
        done(weft_plan_traffic(plan, static_cast<int>(direction), sizeof traffic, &traffic));
        const Plan::Traffic t = expected.traffic(direction);
        static_assert(sizeof t == sizeof traffic);
        EXPECT_EQ(traffic.data_messages, t.data_messages);
        EXPECT_EQ(traffic.all_bytes, t.all_bytes);
        EXPECT_EQ(traffic.network_data_messages, t.network_data_messages);
        EXPECT_EQ(traffic.network_bytes, t.network_bytes);
        int64_t count = 0;
        done(weft_plan_flows(plan, static_cast<int>(direction), 0, nullptr, &count));
        const auto wanted_flows = expected.flows(direction);
        ASSERT_EQ(static_cast<std::size_t>(count), wanted_flows.size());
        std::vector<weft_flow> flows(wanted_flows.size());
        done(weft_plan_flows(plan, static_cast<int>(direction), count, flows.data(), &count));
        for (std::size_t i = 0; i < flows.size(); ++i) {
          EXPECT_EQ(flows[i].exchange, wanted_flows[i].exchange);
          EXPECT_EQ(flows[i].from, wanted_flows[i].from);
          EXPECT_EQ(flows[i].to, wanted_flows[i].to);
          EXPECT_EQ(flows[i].bytes, wanted_flows[i].bytes);
        }
      }
      weft_prediction prediction;
      done(weft_predict(problem, nullptr, nullptr, 4, 2, sizeof prediction, &prediction));
      EXPECT_GT(prediction.forward, 0);
      EXPECT_GT(prediction.backward, 0);
      EXPECT_GT(prediction.memory_bytes, 0);
    }
  }
}

TEST(CInterface, GridsOfTwoAxes) {
  OwnedProblem problem;
  OwnedPlan plan;
  done(weft_problem_create(2, kShape, &problem));
  done(weft_plan_create(problem, nullptr, 3, 1, &plan));
  EXPECT_EQ(text_of(weft_plan_json, plan), Plan({.shape = weft::plane(kShape[0], kShape[1])}, {}, 3, 1).json());
}

TEST(CInterface, WhatIsTooLargeIsRefusedAtOnce) {
  const std::string allowed = "at most 1073741824 (1.0 GiB) are allowed";
  const int64_t line[3] = {int64_t{1} << 40, 1, 1}, column[3] = {1, int64_t{1} << 24, 1};
  const auto plan_of = [](const int64_t* shape, int64_t batch) {
    OwnedProblem problem;
    OwnedPlan plan;
    OwnedTransform fft;
    done(weft_problem_create(3, shape, &problem));
    done(weft_problem_set_int(problem, "batch", batch));
    EXPECT_EQ(weft_transform_create(problem, nullptr, MPI_COMM_WORLD, &fft), WEFT_ERROR);
    return weft_plan_create(problem, nullptr, 2, 0, &plan);
  };
  expect_refused(plan_of(line, 1), {"shape[0] is 1099511627776", allowed});
  expect_refused(plan_of(column, 1), {"shape[1] is 16777216", allowed});
  expect_refused(plan_of(kShape, int64_t{1} << 31), {"batch (of spheres howmany) is 2147483648", allowed});
  OwnedSphereProblem problem;
  OwnedSphere sphere;
  done(weft_sphere_problem_create(kShape, &problem));
  done(weft_sphere_problem_set_int(problem, "howmany", int64_t{1} << 40));
  const int64_t wave[3] = {rank_of(), 0, 0};
  expect_refused(weft_sphere_create(problem, 1, wave, -1, nullptr, nullptr, MPI_COMM_WORLD, &sphere),
                 {"batch (of spheres howmany) is 1099511627776", allowed});
}

}  // namespace
