// Whatever a transform makes of MPI it frees: every object is counted, by functions that stand before MPI's own.
#include <cstdlib>

#include "support.hpp"
#include "weft/ghosts.hpp"
#include "weft/sphere.hpp"
#ifdef WEFT_TEST_C
#include "weft/weft.h"
#endif

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 4, 6});

/// How many communicators there may be: MPI has a limit, too.
long room = 1000;
long communicators = 0, datatypes = 0, windows = 0, groups = 0, infos = 0, requests = 0;

/// `code` passed on, and `count` changed if the call did something.
int counted(int code, long& count, long change) {
  if (code == MPI_SUCCESS) count += change;
  return code;
}

}  // namespace

// The profiling interface: the library's calls come here, and go on to MPI under the names with P.
extern "C" {
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* out) {
  return communicators < room ? counted(PMPI_Comm_dup(comm, out), communicators, 1) : MPI_ERR_INTERN;
}
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* out) {
  if (communicators >= room) return MPI_ERR_INTERN;
  const int code = PMPI_Comm_split(comm, color, key, out);
  return counted(code, communicators, *out == MPI_COMM_NULL ? 0 : 1);
}
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* out) {
  if (communicators >= room) return MPI_ERR_INTERN;
  const int code = PMPI_Comm_split_type(comm, type, key, info, out);
  return counted(code, communicators, *out == MPI_COMM_NULL ? 0 : 1);
}
int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* out) {
  const int code = PMPI_Comm_create(comm, group, out);
  return counted(code, communicators, *out == MPI_COMM_NULL ? 0 : 1);
}
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* out) {
  const int code = PMPI_Comm_create_group(comm, group, tag, out);
  return counted(code, communicators, *out == MPI_COMM_NULL ? 0 : 1);
}
int MPI_Comm_free(MPI_Comm* comm) { return counted(PMPI_Comm_free(comm), communicators, -1); }

int MPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype* out) {
  return counted(PMPI_Type_contiguous(count, type, out), datatypes, 1);
}
int MPI_Type_vector(int count, int length, int stride, MPI_Datatype type, MPI_Datatype* out) {
  return counted(PMPI_Type_vector(count, length, stride, type, out), datatypes, 1);
}
int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype type, MPI_Datatype* out) {
  return counted(PMPI_Type_create_hvector(count, length, stride, type, out), datatypes, 1);
}
int MPI_Type_create_struct(int count, const int lengths[], const MPI_Aint at[], const MPI_Datatype types[],
                           MPI_Datatype* out) {
  return counted(PMPI_Type_create_struct(count, lengths, at, types, out), datatypes, 1);
}
int MPI_Type_create_subarray(int axes, const int sizes[], const int parts[], const int starts[], int order,
                             MPI_Datatype type, MPI_Datatype* out) {
  return counted(PMPI_Type_create_subarray(axes, sizes, parts, starts, order, type, out), datatypes, 1);
}
int MPI_Type_create_resized(MPI_Datatype type, MPI_Aint lower, MPI_Aint extent, MPI_Datatype* out) {
  return counted(PMPI_Type_create_resized(type, lower, extent, out), datatypes, 1);
}
int MPI_Type_create_hindexed(int count, const int lengths[], const MPI_Aint at[], MPI_Datatype type,
                             MPI_Datatype* out) {
  return counted(PMPI_Type_create_hindexed(count, lengths, at, type, out), datatypes, 1);
}
int MPI_Type_dup(MPI_Datatype type, MPI_Datatype* out) { return counted(PMPI_Type_dup(type, out), datatypes, 1); }
int MPI_Type_free(MPI_Datatype* type) { return counted(PMPI_Type_free(type), datatypes, -1); }

int MPI_Win_create(void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* out) {
  return counted(PMPI_Win_create(base, size, unit, info, comm, out), windows, 1);
}
int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* out) {
  return counted(PMPI_Win_allocate(size, unit, info, comm, base, out), windows, 1);
}
int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* out) {
  return counted(PMPI_Win_allocate_shared(size, unit, info, comm, base, out), windows, 1);
}
int MPI_Win_free(MPI_Win* window) { return counted(PMPI_Win_free(window), windows, -1); }

int MPI_Comm_group(MPI_Comm comm, MPI_Group* out) { return counted(PMPI_Comm_group(comm, out), groups, 1); }
int MPI_Group_incl(MPI_Group group, int count, const int ranks[], MPI_Group* out) {
  return counted(PMPI_Group_incl(group, count, ranks, out), groups, 1);
}
int MPI_Group_free(MPI_Group* group) { return counted(PMPI_Group_free(group), groups, -1); }
int MPI_Info_create(MPI_Info* out) { return counted(PMPI_Info_create(out), infos, 1); }
int MPI_Info_free(MPI_Info* info) { return counted(PMPI_Info_free(info), infos, -1); }

int MPI_Send_init(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* out) {
  return counted(PMPI_Send_init(data, count, type, to, tag, comm, out), requests, 1);
}
int MPI_Recv_init(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* out) {
  return counted(PMPI_Recv_init(data, count, type, from, tag, comm, out), requests, 1);
}
#ifdef WEFT_HAVE_ALLTOALLV_INIT
int MPI_Alltoallv_init(const void* send, const int send_counts[], const int send_at[], MPI_Datatype send_type,
                       void* recv, const int recv_counts[], const int recv_at[], MPI_Datatype recv_type, MPI_Comm comm,
                       MPI_Info info, MPI_Request* out) {
  return counted(PMPI_Alltoallv_init(send, send_counts, send_at, send_type, recv, recv_counts, recv_at, recv_type, comm,
                                     info, out),
                 requests, 1);
}
int MPI_Alltoallw_init(const void* send, const int send_counts[], const int send_at[], const MPI_Datatype send_types[],
                       void* recv, const int recv_counts[], const int recv_at[], const MPI_Datatype recv_types[],
                       MPI_Comm comm, MPI_Info info, MPI_Request* out) {
  return counted(PMPI_Alltoallw_init(send, send_counts, send_at, send_types, recv, recv_counts, recv_at, recv_types,
                                     comm, info, out),
                 requests, 1);
}
#endif
int MPI_Request_free(MPI_Request* request) { return counted(PMPI_Request_free(request), requests, -1); }
}

namespace {

using namespace weft;
using namespace weft::test;

class Leaks : public testing::Test {
 protected:
  // Other tests of this program make and free what is not counted here.
  Leaks() { communicators = datatypes = windows = groups = infos = requests = 0; }
  ~Leaks() override {
    EXPECT_EQ(communicators, 0) << "communicators are left";
    EXPECT_EQ(datatypes, 0) << "datatypes are left";
    EXPECT_EQ(windows, 0) << "windows are left";
    EXPECT_EQ(groups, 0) << "groups are left";
    EXPECT_EQ(infos, 0) << "infos are left";
    EXPECT_EQ(requests, 0) << "persistent requests are left";
  }
};

void make_and_run(const Options& options) {
  Transform<double> fft({.shape = {6, 5, 4}}, MPI_COMM_WORLD, options);
  EXPECT_GT(communicators, 0) << "nothing was counted: the functions above are not in use";
  EXPECT_LT(forward_error(fft, 1), 1e-13);
}

TEST_F(Leaks, Transforms) {
  for (const auto& strategy : strategies()) {
    for (const Decomposition decomposition : {Decomposition::slab, Decomposition::pencil}) {
      for (const int node_size : {0, 1}) {
        SCOPED_TRACE(strategy + ", node size " + std::to_string(node_size));
        Options options;
        options.strategy = strategy;
        options.decomposition = decomposition;
        options.node_size = node_size;
        options.tile = 3;
        make_and_run(options);
        EXPECT_EQ(communicators, 0);
        EXPECT_EQ(datatypes, 0);
        EXPECT_EQ(windows, 0);
      }
    }
  }
}

TEST_F(Leaks, CountsThatDoNotFit) {
  setenv("WEFT_TEST_COUNT_LIMIT", "7", 1);
  for (const auto& strategy : strategies()) {
    SCOPED_TRACE(strategy);
    Options options;
    options.strategy = strategy;
    make_and_run(options);
    EXPECT_EQ(datatypes, 0);
  }
  unsetenv("WEFT_TEST_COUNT_LIMIT");
}

TEST_F(Leaks, CreationsThatFail) {
  for (const auto& spoil : std::vector<std::function<void(Options&)>>{
           [](Options& o) { o.strategy = "telepathy"; }, [](Options& o) { o.tile = -1; },
           [](Options& o) { o.input = Layout::slab({6, 5, 5}, size_of(), 0); }}) {
    Options options;
    if (rank_of() == size_of() - 1) spoil(options);
    EXPECT_NE(common_error([&] { Transform<double> fft({.shape = {6, 5, 4}}, MPI_COMM_WORLD, options); }), "");
  }
}

TEST_F(Leaks, NoMoreCommunicators) {
  std::string error;
  for (room = 0; room == 0 || !error.empty(); ++room) {
    ASSERT_LT(room, 20);
    error.clear();
    try {
      Transform<double> fft({.shape = {6, 5, 4}}, MPI_COMM_WORLD, {.strategy = "alltoallv"});
    } catch (const Error& found) {
      error = found.what();
      EXPECT_NE(error.find("too many communicators"), std::string::npos) << error;
    }
    EXPECT_EQ(communicators, 0) << "with room for " << room;
  }
  EXPECT_GT(room, 2) << "the error never came";
  room = 1000;
}

TEST_F(Leaks, Redistributions) {
  const Shape shape{6, 5, 4};
  for (const auto& strategy : strategies()) {
    SCOPED_TRACE(strategy);
    Options options;
    options.strategy = strategy;
    const Layout from = Layout::slab(shape, size_of(), 0), to = Layout::slab(shape, size_of(), 2);
    Redistribution move(from, to, 8, MPI_COMM_WORLD, 1, options);
    std::vector<double> in(static_cast<std::size_t>(from.box(rank_of()).count()) + 1);
    std::vector<double> out(static_cast<std::size_t>(to.box(rank_of()).count()) + 1);
    move(in.data(), out.data());
  }
  gather_layout(shape, Layout::slab(shape, size_of(), 1).box(rank_of()), MPI_COMM_WORLD);
}

TEST_F(Leaks, GhostExchanges) {
  const Layout from = Layout::slab({6, 5, 4}, size_of(), 0), to = Layout::slab({6, 5, 4}, size_of(), 2);
  GhostExchange<double> exchange(from, to, {{1, 2, 1}, {0, 1, 2}}, MPI_COMM_WORLD);
  std::vector<double> field(static_cast<std::size_t>(exchange.field_size()) + 1);
  std::vector<double> parts(static_cast<std::size_t>(exchange.part_size()) + 1);
  exchange.scatter(field, parts);
  exchange.fold(parts);
}

// Spheres that share memory, as many as there are k-points, have one set of communicators and windows.
TEST_F(Leaks, SpheresThatShare) {
  const Cutoff cutoff{.lattice = {{{6, 0, 0}, {0, 6, 0}, {0, 0, 6}}}, .energy = 12};
  const auto grid = sphere_grid(cutoff);
  const int rows = size_of() % 2 == 0 ? 2 : 1;
  for (const auto& strategy : strategies_on(MPI_COMM_WORLD)) {
    for (const bool on_grid : {false, true}) {
      SCOPED_TRACE(strategy + (on_grid ? ", on a process grid" : ""));
      Options options;
      options.strategy = strategy;
      options.tile = 1;
      if (on_grid) options.process_grid = {rows, size_of() / rows};
      std::vector<SphereTransform<double>> spheres;
      long communicators_of_one = 0, windows_of_one = 0;
      for (int k = 0; k < 12; ++k) {
        Cutoff here = cutoff;
        here.k[0] = 0.02 * k;
        const auto mine = deal_columns(plane_waves(here), size_of(),
                                       on_grid ? size_of() / rows : 1)[static_cast<std::size_t>(rank_of())];
        if (spheres.empty()) {
          spheres.emplace_back(SphereProblem{.grid = grid, .howmany = 16}, mine, MPI_COMM_WORLD, options);
        } else {
          spheres.emplace_back(SphereProblem{.grid = grid, .howmany = 16}, mine, spheres.front(), options);
        }
        const std::vector<std::complex<double>> waves(mine.size(), 1.0);
        std::vector<double> rho(static_cast<std::size_t>(spheres.back().plan().space_size()), 0.0);
        spheres.back().density(waves.data(), nullptr, rho.data(), {1});
        if (k == 0) {
          communicators_of_one = communicators;
          windows_of_one = windows;
        }
      }
      EXPECT_EQ(communicators, communicators_of_one);
      EXPECT_LE(windows, 2 * windows_of_one) << "buffers grow once, with room to spare";
    }
  }
}

/// Not every strategy can be used among a part of the ranks; creations that find that leave nothing behind either.
void run_where_possible(const std::function<void()>& work) {
  const std::string message = common_error(work);
  EXPECT_TRUE(message.empty() || message.find("on a part of them") != std::string::npos) << message;
}

// Of each group and of what moves fields to it; also where a group has no field.
TEST_F(Leaks, Groups) {
  for (const auto& strategy : strategies_on(MPI_COMM_WORLD)) {
    for (const Index fields : {1, 5}) {
      SCOPED_TRACE(strategy + ", " + std::to_string(fields) + " fields");
      Options options;
      options.strategy = strategy;
      options.tile = 2;
      options.groups = std::min(3, size_of());
      run_where_possible([&] {
        Transform<double> fft({.shape = {6, 5, 4}, .batch = fields}, MPI_COMM_WORLD, options);
        EXPECT_GT(communicators, 0);
        std::vector<std::complex<double>> in(static_cast<std::size_t>(fft.input_size()), 1.0),
            out(static_cast<std::size_t>(fft.output_size()));
        fft.forward(in.data(), out.data());
        fft.backward(out.data(), in.data());
        EXPECT_EQ(fft.statistics().executions, 2);
      });
      EXPECT_EQ(communicators, 0);
      EXPECT_EQ(datatypes, 0);
      EXPECT_EQ(windows, 0);
    }
  }
}

/// Communicators that a transform, or a sphere, in so many groups has after some calls; 0 where it cannot be made.
long communicators_in_groups(const std::string& strategy, int parts, bool sphere) {
  using Complex = std::complex<double>;
  long found = 0;
  Options options;
  options.strategy = strategy;
  options.groups = parts;
  run_where_possible([&] {
    if (sphere) {
      const std::vector<GVector> mine{{rank_of(), 0, 0}, {rank_of(), 0, 1}};
      SphereTransform<double> fft({.grid = {size_of(), 2, 2}}, mine, MPI_COMM_WORLD, options);
      for (const Index bands : {3, 1, 7}) {  // moves are planned anew for each
        std::vector<Complex> waves(2 * static_cast<std::size_t>(bands), 1.0);
        const Range here = fft.bands_here(bands);
        std::vector<Complex> space(static_cast<std::size_t>(fft.plan().space_size() * (here.hi - here.lo)) + 1);
        fft.backward(waves.data(), space.data(), {bands, 0, 0});
        fft.forward(space.data(), waves.data(), {bands, 0, 0});
      }
      found = communicators;
    } else {
      Transform<double> fft({.shape = {6, 5, 4}, .batch = 6}, MPI_COMM_WORLD, options);
      std::vector<Complex> in(static_cast<std::size_t>(fft.input_size()), 1.0),
          out(static_cast<std::size_t>(fft.output_size()));
      fft.forward(in.data(), out.data());
      found = communicators;
    }
  });
  return found;
}

// However many groups there are: an MPI has some thousand communicators in all.
TEST_F(Leaks, GroupsShareCommunicators) {
  for (const auto& strategy : strategies_on(MPI_COMM_WORLD)) {
    for (const bool sphere : {false, true}) {
      for (int parts = 2; parts <= size_of(); ++parts) {
        if (sphere && size_of() % parts != 0) continue;
        SCOPED_TRACE(strategy + (sphere ? ", sphere, " : ", ") + std::to_string(parts) + " groups");
        // All ranks, those of the group and those of the same place in each, with the node of each; and of exchanges
        // inside a group, which has pencils at most; a sphere's exchange of columns may be among others than either.
        EXPECT_LE(communicators_in_groups(strategy, parts, sphere), sphere ? 11 : 8);
      }
    }
  }
}

// All four transforms of a sphere, whose routes are bound when they are first used; alone and in groups.
TEST_F(Leaks, Spheres) {
  using Complex = std::complex<double>;
  std::vector<GVector> mine;
  for (Index x = -1; x <= 1; ++x) {
    for (Index y = -1; y <= 1; ++y) {
      if ((3 * (x + 1) + y + 1) % size_of() == rank_of()) mine.insert(mine.end(), {{x, y, -1}, {x, y, 0}, {x, y, 1}});
    }
  }
  for (const auto& strategy : strategies_on(MPI_COMM_WORLD)) {
    for (const int parts : {1, 2}) {
      if (size_of() % parts != 0) continue;
      SCOPED_TRACE(strategy + ", " + std::to_string(parts) + " groups");
      Options options;
      options.strategy = strategy;
      options.groups = parts;
      run_where_possible([&] {
        SphereTransform<double> sphere({.grid = {6, 5, 4}, .howmany = 2}, mine, MPI_COMM_WORLD, options);
        EXPECT_GT(communicators, 0);
        const Range here = sphere.bands_here(2);
        const auto points = static_cast<std::size_t>(sphere.plan().space_size());
        std::vector<Complex> waves(2 * mine.size() + 1, 1.0), back(waves.size());
        std::vector<Complex> space(points * static_cast<std::size_t>(here.hi - here.lo) + 1);
        std::vector<double> field(points + 1, 1.0);
        sphere.backward(waves.data(), space.data());
        sphere.forward(space.data(), back.data());
        sphere.apply(field.data(), waves.data(), back.data());
        sphere.density(waves.data(), nullptr, field.data());
      });
      EXPECT_EQ(communicators, 0);
      EXPECT_EQ(datatypes, 0);
      EXPECT_EQ(windows, 0);
    }
  }
}

#ifdef WEFT_TEST_C
// Through the interface of C: communicators on which arguments are agreed, and what fails there.
TEST_F(Leaks, HandlesOfC) {
  const int64_t shape[3] = {6, 5, 4}, wave[3] = {rank_of() % 4, rank_of() / 4, 0};
  const bool wrong = rank_of() == size_of() - 1;
  weft_problem problem = nullptr;
  weft_sphere_problem ball = nullptr;
  weft_problem fields = nullptr;
  weft_function laplacian = nullptr;
  weft_layout from = nullptr, to = nullptr, gathered = nullptr;
  ASSERT_EQ(weft_problem_create(3, shape, &problem), WEFT_SUCCESS);
  ASSERT_EQ(weft_sphere_problem_create(shape, &ball), WEFT_SUCCESS);
  ASSERT_EQ(weft_problem_create(3, shape, &fields), WEFT_SUCCESS);
  ASSERT_EQ(weft_function_named(fields, "laplacian", 0, nullptr, &laplacian), WEFT_SUCCESS);
  ASSERT_EQ(weft_layout_create_slab(shape, size_of(), 0, &from), WEFT_SUCCESS);
  ASSERT_EQ(weft_layout_create_slab(shape, size_of(), 1, &to), WEFT_SUCCESS);
  weft_box mine;
  ASSERT_EQ(weft_layout_box(from, rank_of(), &mine), WEFT_SUCCESS);
  for (int round = 0; round < 3; ++round) {
    const bool fails = round == 1;
    const int expected = fails ? WEFT_ERROR : WEFT_SUCCESS;
    weft_transform fft = nullptr;
    weft_redistribution move = nullptr;
    weft_sphere sphere = nullptr;
    weft_operator op = nullptr;
    EXPECT_EQ(weft_operator_create(fields, fails && wrong ? nullptr : laplacian, nullptr, MPI_COMM_WORLD, &op),
              expected);
    EXPECT_EQ(weft_transform_create(fails && wrong ? nullptr : problem, nullptr, MPI_COMM_WORLD, &fft), expected);
    EXPECT_EQ(weft_redistribution_create(from, fails && wrong ? nullptr : to, 8, 1, nullptr, MPI_COMM_WORLD, &move),
              expected);
    EXPECT_EQ(
        weft_sphere_create(ball, 1, fails && wrong ? nullptr : wave, -1, nullptr, nullptr, MPI_COMM_WORLD, &sphere),
        expected);
    EXPECT_EQ(weft_layout_gather(shape, fails && wrong ? nullptr : &mine, MPI_COMM_WORLD, &gathered), expected);
    EXPECT_EQ(communicators > 0, !fails);
    weft_layout_destroy(&gathered);
    weft_operator_destroy(&op);
    weft_sphere_destroy(&sphere);
    weft_redistribution_destroy(&move);
    weft_transform_destroy(&fft);
    EXPECT_EQ(communicators, 0);
    EXPECT_EQ(datatypes, 0);
  }
  weft_layout_destroy(&to);
  weft_layout_destroy(&from);
  weft_function_destroy(&laplacian);
  weft_problem_destroy(&fields);
  weft_sphere_problem_destroy(&ball);
  weft_problem_destroy(&problem);
}
#endif

#ifdef WEFT_TEST_FORTRAN
// What nobody destroys ends with the procedure that it is a variable of; and creations that fail.
extern "C" void weft_test_variables_that_end();
TEST_F(Leaks, VariablesOfFortran) { weft_test_variables_that_end(); }
#endif

TEST_F(Leaks, Moves) {
  Transform<double> a({.shape = {6, 5, 4}}, MPI_COMM_WORLD), b({.shape = {3, 5, 4}}, MPI_COMM_WORLD);
  a = std::move(b);
  Transform<double> c(std::move(a));
}

}  // namespace
