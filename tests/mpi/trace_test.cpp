// The trace file and the breakdown of the statistics: every action of every rank, in one file, and sums that add up.
#include "base/trace.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "support.hpp"
#include "weft/sphere.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 3});

using namespace weft;
using namespace weft::test;
using Json = nlohmann::json;

/// Another one for each test and each number of ranks, since tests run side by side.
std::string file_name(const std::string& test) {
  return "trace_test-" + test + "-" + std::to_string(size_of()) + ".json";
}

class TraceFile {
 public:
  explicit TraceFile(const std::string& test) : name_(file_name(test)) {
    remove();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~TraceFile() {
    MPI_Barrier(MPI_COMM_WORLD);
    remove();
  }
  const std::string& name() const { return name_; }
  bool there() const { return std::ifstream(name_).good(); }
  /// Its events; none on other ranks than 0.
  std::vector<Json> events() const {
    if (rank_of() != 0) return {};
    std::ifstream file(name_);
    const Json content = Json::parse(file);
    EXPECT_EQ(content["otherData"]["program"], "weft");
    return content["traceEvents"].get<std::vector<Json>>();
  }

 private:
  void remove() const {
    if (rank_of() == 0) std::remove(name_.c_str());
  }
  std::string name_;
};

Options tiled(const std::string& strategy, const std::string& trace = "") {
  Options options;
  options.strategy = strategy;
  options.effort = Effort::estimate;
  options.decomposition = Decomposition::pencil;
  options.tile = 3;
  options.window = 2;
  options.tests = 2;
  options.trace = trace;
  return options;
}

/// Of those what applies to a redistribution.
Options moving(const std::string& trace) {
  Options options;
  options.strategy = "pairwise";
  options.tile = 3;
  options.trace = trace;
  return options;
}

void forward_and_back(Transform<double>& fft, int times = 1) {
  using Complex = std::complex<double>;
  std::vector<Complex> x(static_cast<std::size_t>(fft.input_size()), 1.0),
      y(static_cast<std::size_t>(fft.output_size()));
  for (int i = 0; i < times; ++i) {
    fft.forward(x.data(), y.data());
    fft.backward(y.data(), x.data());
  }
}

/// Tiles that one execution in each direction exchanges.
std::size_t tiles_of(const Plan& plan) {
  std::size_t tiles = 0;
  const Json json = Json::parse(plan.json());
  for (const char* direction : {"forward", "backward"}) {
    for (const Json& stage : json[direction]["stages"]) {
      if (stage["stage"] == "exchange") tiles += stage["tiles"].get<std::size_t>();
    }
  }
  return tiles;
}

/// How many events each rank has, by name.
std::map<int, std::map<std::string, std::size_t>> counted(const std::vector<Json>& events) {
  std::map<int, std::map<std::string, std::size_t>> counts;
  for (const Json& event : events) {
    if (event["ph"] == "X") ++counts[event["pid"].get<int>()][event["name"].get<std::string>()];
  }
  return counts;
}

TEST(Trace, EveryActionOfEveryRank) {
  for (const auto& strategy : strategies()) {
    SCOPED_TRACE(strategy);
    const TraceFile file("actions");
    std::size_t tiles = 0;
    {
      Transform<double> fft({.shape = {12, 9, 10}}, MPI_COMM_WORLD, tiled(strategy, file.name()));
      tiles = tiles_of(fft.plan());
      forward_and_back(fft, 2);
      EXPECT_FALSE(file.there()) << "it is written at the end";
    }
    if (rank_of() != 0) continue;
    const auto events = file.events();
    auto counts = counted(events);
    EXPECT_EQ(counts.size(), static_cast<std::size_t>(size_of()));
    for (auto& [rank, count] : counts) {
      SCOPED_TRACE(rank);
      EXPECT_EQ(count["forward"], 2u);
      EXPECT_EQ(count["backward"], 2u);
      EXPECT_EQ(count["agree"], 4u);
      for (const char* name : {"acquire", "start", "wait"}) EXPECT_EQ(count[name], 2 * tiles) << name;
      if (size_of() > 1) {
        EXPECT_GT(count["produce"], 0u);
        EXPECT_GT(count["consume"] + count["consume + produce"], 0u);
      } else {
        EXPECT_GT(count["compute"] + count["produce"], 0u);
      }
    }
    // What lies inside of an execution says so by its times, and every tile that leaves comes.
    std::vector<Json> executions;
    std::copy_if(events.begin(), events.end(), std::back_inserter(executions),
                 [](const Json& event) { return event["cat"] == "execution"; });
    std::map<std::string, int> on_their_way;
    std::size_t flights = 0;
    for (const Json& event : events) {
      if (event["ph"] == "b") ++on_their_way[event["id"].get<std::string>()], ++flights;
      if (event["ph"] == "e") --on_their_way[event["id"].get<std::string>()];
      if (event["ph"] != "X") continue;
      EXPECT_GE(event["dur"].get<double>(), 0.0);
      if (event["cat"] == "execution" || event["cat"] == "synchronisation") continue;
      const double begin = event["ts"].get<double>(), end = begin + event["dur"].get<double>();
      const bool inside = std::any_of(executions.begin(), executions.end(), [&](const Json& outer) {
        if (outer["pid"] != event["pid"]) return false;
        const double first = outer["ts"].get<double>(), last = first + outer["dur"].get<double>();
        return outer["name"] == event["args"]["direction"] && first <= begin + 0.01 && end <= last + 0.01;
      });
      EXPECT_TRUE(inside) << event;
    }
    EXPECT_EQ(flights, 2 * tiles * static_cast<std::size_t>(size_of()));
    for (const auto& [id, left] : on_their_way) EXPECT_EQ(left, 0) << id;
  }
}

TEST(Trace, TransformsOfAProgramComeTogether) {
  const TraceFile file("together");
  if (rank_of() == 0) std::ofstream(file.name()) << "something else";
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i) {
    Transform<double> fft({.shape = {4, 6, 5}}, MPI_COMM_WORLD, tiled("alltoallv", file.name()));
    forward_and_back(fft);
    if (i == 1) fft.write_trace();
    if (i == 1) forward_and_back(fft);
  }
  const Layout from = Layout::slab({4, 6, 5}, size_of(), 0), to = Layout::slab({4, 6, 5}, size_of(), 1);
  {
    Redistribution move(from, to, 8, MPI_COMM_WORLD, 1, moving(file.name()));
    std::vector<double> in(120), out(120);
    move(in.data(), out.data());
  }
  for (auto& [rank, count] : counted(file.events())) {
    EXPECT_EQ(count["forward"], 4u) << rank;
    EXPECT_EQ(count["redistribution"], 1u) << rank;
  }
}

/// That every rank has so many events of each name, and no others than its own.
void expect_counts(const TraceFile& file, const std::map<std::string, std::size_t>& wanted) {
  if (rank_of() != 0) return;
  auto counts = counted(file.events());
  EXPECT_EQ(counts.size(), static_cast<std::size_t>(size_of()));
  for (auto& [rank, count] : counts) {
    for (const auto& [name, times] : wanted) EXPECT_EQ(count[name], times) << name << " on rank " << rank;
  }
}

TEST(Trace, GroupsAreInOneFile) {
  for (int groups = 2; groups <= size_of(); ++groups) {
    SCOPED_TRACE(groups);
    const TraceFile file("groups");
    Options options = tiled("pairwise", file.name());
    options.groups = groups;
    {
      Transform<double> fft({.shape = {4, 6, 5}, .batch = size_of()}, MPI_COMM_WORLD, options);
      forward_and_back(fft, 2);
    }
    expect_counts(file, {{"forward to groups", 2},
                         {"forward", 2},
                         {"forward from groups", 2},
                         {"backward to groups", 2},
                         {"backward", 2},
                         {"backward from groups", 2},
                         {"agree", 4}});
  }
}

TEST(Trace, SpheresAreInOneFile) {
  using Complex = std::complex<double>;
  const GVector mine{rank_of(), 0, 0};
  for (int groups = 1; groups <= size_of(); ++groups) {
    if (size_of() % groups != 0) continue;
    SCOPED_TRACE(groups);
    const TraceFile file("sphere");
    Options options;
    options.trace = file.name();
    options.groups = groups;
    const Bands bands{size_of(), 0, 0}, more{2 * size_of(), 0, 0};
    std::vector<Complex> waves(static_cast<std::size_t>(more.count), 1.0);
    {
      SphereTransform<double> sphere({.grid = {3, 3, 3}, .howmany = size_of()}, {&mine, 1}, MPI_COMM_WORLD, options);
      std::vector<Complex> space(27 * waves.size());
      std::vector<double> field(27, 1.0);
      sphere.backward(waves.data(), space.data(), bands);
      sphere.forward(space.data(), waves.data(), bands);
      sphere.apply(field.data(), waves.data(), waves.data(), more);
      sphere.density(waves.data(), nullptr, field.data(), bands);
      sphere.raise_any("");
    }
    const std::size_t moves = groups > 1 ? 3 : 0;
    expect_counts(file, {{"backward", 1},
                         {"forward", 1},
                         {"apply", static_cast<std::size_t>((2 + groups - 1) / groups)},
                         {"density", 1},
                         {"waves to groups", moves},
                         {"waves from groups", groups > 1 ? 2u : 0u},
                         {"add up", groups > 1 ? 1u : 0u},
                         {"agree", 5}});
  }
}

TEST(Trace, StartsAnewWithTheStatistics) {
  const TraceFile file("anew");
  {
    Transform<double> fft({.shape = {4, 6, 5}}, MPI_COMM_WORLD, tiled("alltoallv", file.name()));
    forward_and_back(fft, 3);
    fft.reset_statistics();
    forward_and_back(fft);
    Transform<double> moved(std::move(fft));
    forward_and_back(moved);
  }
  for (auto& [rank, count] : counted(file.events())) EXPECT_EQ(count["forward"], 2u) << rank;
}

TEST(Trace, DroppedOrEmpty) {
  const TraceFile file("dropped");
  {
    Transform<double> fft({.shape = {4, 6, 5}}, MPI_COMM_WORLD, tiled("alltoallv", file.name()));
    forward_and_back(fft);
    fft.drop_trace();
    forward_and_back(fft);
    expect_common_error([&] { fft.write_trace(); }, {"trace"});
  }
  {
    const Layout from = Layout::slab({4, 6, 5}, size_of(), 0), to = Layout::slab({4, 6, 5}, size_of(), 1);
    Redistribution move(from, to, 8, MPI_COMM_WORLD, 1, moving(file.name()));
    std::vector<double> in(120), out(120);
    move(in.data(), out.data());
    move.drop_trace();
  }
  {
    Options options;
    options.trace = file.name();
    const std::vector<GVector> waves{{rank_of(), 0, 0}};
    SphereTransform<double> sphere({.grid = {8, 8, 8}}, waves, MPI_COMM_WORLD, options);
    std::vector<std::complex<double>> c(1), psi(static_cast<std::size_t>(sphere.plan().space_size()));
    std::vector<double> rho(psi.size());
    sphere.backward(c.data(), psi.data());
    sphere.drop_trace();
    sphere.density(c.data(), nullptr, rho.data());  // a direction that is made now traces nothing, either
  }
  for (const char* part : {"", ".backward", ".forward", ".density"}) {
    std::string name = file.name();
    EXPECT_FALSE(std::ifstream(name.insert(name.rfind('.'), part)).good()) << name;
  }
  { Transform<double> fft({.shape = {4, 6, 5}}, MPI_COMM_WORLD, tiled("alltoallv", file.name())); }
  EXPECT_TRUE(file.events().empty());
}

TEST(Trace, FileThatCannotBeWritten) {
  const auto make = [](const std::string& name) {
    Transform<double> fft({.shape = {4, 6, 5}}, MPI_COMM_WORLD, tiled("alltoallv", name));
  };
  expect_common_error([&] { make("no/such/folder/trace.json"); },
                      {"trace is 'no/such/folder/trace.json'", "No such file"});
  expect_common_error([&] { make("/tmp"); }, {"trace is '/tmp'", "folder"});
  expect_common_error([&] { make("/"); }, {"trace is '/'", "file names"});
  if (size_of() == 1) return;
  expect_common_error([&] { make(rank_of() == size_of() - 1 ? "another.json" : "one.json"); },
                      {"trace=one.json", "trace=another.json"});
}

TEST(Trace, ClocksOfNodesAreCompared) {
  // Every rank a node of its own: the clocks are the same in truth, and that is what must be found.
  std::vector<int> nodes;
  for (int rank = 0; rank < size_of(); ++rank) nodes.push_back(rank);
  EXPECT_NEAR(detail::clock_offset(MPI_COMM_WORLD, MPI_COMM_SELF, nodes), 0, 0.05);
  EXPECT_EQ(detail::clock_offset(MPI_COMM_WORLD, MPI_COMM_WORLD, std::vector<int>(nodes.size(), 0)), 0);
}

TEST(Trace, MemoryIsBounded) {
  detail::Recorder recorder;
  constexpr std::size_t limit = detail::Recorder::limit;
  ASSERT_TRUE(recorder.make_room(limit - 1));
  for (std::size_t i = 0; i + 1 < limit; ++i) recorder.add({});
  EXPECT_FALSE(recorder.make_room(2));
  EXPECT_FALSE(recorder.make_room(1)) << "what is left out stays out, or executions would be missing in between";
  recorder.clear();
  EXPECT_TRUE(recorder.make_room(1));
}

TEST(Breakdown, AddsUp) {
  for (const auto& strategy : strategies()) {
    SCOPED_TRACE(strategy);
    Transform<double> fft({.shape = {24, 20, 22}}, MPI_COMM_WORLD, tiled(strategy));
    const std::size_t exchanges = fft.statistics().exchanges.size();
    forward_and_back(fft);
    fft.reset_statistics();
    ASSERT_EQ(fft.statistics().exchanges.size(), exchanges);
    EXPECT_EQ(fft.statistics().total, 0);
    forward_and_back(fft, 5);
    const Statistics& all = fft.statistics();
    EXPECT_EQ(all.executions, 10);
    const double parts = all.compute + all.start + all.test + all.wait + all.check;
    EXPECT_LE(parts, all.total * (1 + 1e-6));
    Statistics sum;
    for (const ExchangeStatistics& exchange : all.exchanges) {
      sum.start += exchange.start;
      sum.test += exchange.test;
      sum.wait += exchange.wait;
      sum.messages += exchange.messages;
      sum.bytes_sent += exchange.bytes_sent;
      EXPECT_GT(exchange.in_flight, 0);
      EXPECT_LE(exchange.hidden, exchange.in_flight * (1 + 1e-6));
      EXPECT_LE(exchange.hidden, all.compute * (1 + 1e-6));
      if (strategy == "alltoallv") {
        EXPECT_EQ(exchange.hidden, 0) << "a strategy that blocks hides nothing";
      }
    }
    EXPECT_NEAR(sum.start, all.start, 1e-9 + 1e-6 * all.start);
    EXPECT_NEAR(sum.test, all.test, 1e-9 + 1e-6 * all.test);
    EXPECT_NEAR(sum.wait, all.wait, 1e-9 + 1e-6 * all.wait);
    EXPECT_EQ(sum.messages, all.messages);
    EXPECT_EQ(sum.bytes_sent, all.bytes_sent);
  }
}

/// Seconds that the events of one rank take, by category.
std::map<std::string, double> seconds_of(const std::vector<Json>& events, int rank) {
  std::map<std::string, double> seconds;
  for (const Json& event : events) {
    if (event["ph"] != "X" || event["pid"] != rank) continue;
    seconds[event["cat"].get<std::string>()] += event["dur"].get<double>() * 1e-6;
  }
  return seconds;
}

// However long a rank is kept from its processor, it is so in some action: the end of one is the beginning of the next,
// and what the statistics say is the sum of what the trace shows.
TEST(Breakdown, IsWhatTheTraceShows) {
  for (const auto& strategy : strategies()) {
    SCOPED_TRACE(strategy);
    const TraceFile file("breakdown");
    Statistics all;
    {
      Transform<double> fft({.shape = {24, 20, 22}}, MPI_COMM_WORLD, tiled(strategy, file.name()));
      forward_and_back(fft, 3);
      all = fft.statistics();
    }
    if (rank_of() != 0) continue;
    const std::vector<Json> events = file.events();
    auto seconds = seconds_of(events, 0);
    // Times are written to a nanosecond.
    const double rounding = 1e-9 * static_cast<double>(events.size());
    EXPECT_NEAR(all.compute + all.test, seconds["compute"], rounding);
    EXPECT_NEAR(all.start, seconds["start"], rounding);
    EXPECT_NEAR(all.test, seconds["test"], rounding);
    EXPECT_NEAR(all.wait, seconds["wait"], rounding);
    EXPECT_NEAR(all.check, seconds["synchronisation"], rounding);
    EXPECT_NEAR(all.total, seconds["execution"] + seconds["synchronisation"], rounding);
    // From the first action of an execution to its last nothing is left out.
    std::vector<Json> actions;
    for (const Json& event : events) {
      if (event["ph"] != "X" || event["pid"] != 0 || event["cat"] == "test" || event["cat"] == "synchronisation")
        continue;
      if (event["cat"] != "execution") {
        actions.push_back(event);
        continue;
      }
      ASSERT_FALSE(actions.empty()) << "an execution is written after its actions";
      for (std::size_t i = 1; i < actions.size(); ++i) {
        const Json& before = actions[i - 1];
        EXPECT_NEAR(before["ts"].get<double>() + before["dur"].get<double>(), actions[i]["ts"].get<double>(), 0.01)
            << before << actions[i];
      }
      EXPECT_NEAR(event["ts"].get<double>(), actions.front()["ts"].get<double>(), 0.01) << actions.front();
      actions.clear();
    }
    EXPECT_TRUE(actions.empty());
  }
}

}  // namespace
