#include "program.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include "base/host.hpp"
#include "base/nodes.hpp"
#include "base/output_file.hpp"
#include "machine.hpp"

namespace weft::tools {

std::string bytes_text(double bytes) {
  constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  return text(unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
}

namespace {

void write_output(const std::string& path, const std::string& content) {
  if (path == "-") {
    std::fputs(content.c_str(), stdout);
    std::fflush(stdout);
  } else {
    detail::OutputFile file(path);
    file.write(content);
    file.commit();
  }
}

/// Throws rank 0's message on all ranks if `work`, which rank 0 does alone, throws.
template <class Work>
void root_does(const Job& job, Work&& work) {
  std::string message;
  if (job.root()) {
    try {
      work();
    } catch (const std::exception& error) {
      message = error.what();
    }
  }
  int length = static_cast<int>(message.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, job.comm);
  if (length == 0) return;
  message.resize(static_cast<std::size_t>(length));
  MPI_Bcast(message.data(), length, MPI_CHAR, 0, job.comm);
  throw UsageError(message);
}

template <class T>
T reduced(T value, MPI_Datatype type, MPI_Op operation, MPI_Comm comm) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, type, operation, comm);
  return value;
}

/// Whether every rank gets here within a few seconds: if not, the others are inside some collective call without us.
bool all_ranks_arrive(MPI_Comm comm) {
  constexpr double patience = 5;
  MPI_Request arrival;
  MPI_Ibarrier(comm, &arrival);
  const double since = MPI_Wtime();
  for (int arrived = 0; MPI_Wtime() - since < patience; usleep(1000)) {
    MPI_Test(&arrival, &arrived, MPI_STATUS_IGNORE);
    if (arrived != 0) return true;
  }
  return false;
}

int complain(const Program& program, const Job& job, const std::string& message, const char* hint, int code) {
  const bool together = all_ranks_arrive(job.alarm);
  if (!together || job.root()) {
    const std::string who = together ? "" : text("rank %d: ", job.rank);
    std::fprintf(stderr, "%s: %s%s%s\n", program.name().c_str(), who.c_str(), message.c_str(), hint);
    std::fflush(stderr);
  }
  if (!together) MPI_Abort(MPI_COMM_WORLD, code);
  return code;
}

int guarded(Program& program, Job& job, int argc, char** argv) {
  try {
    CommandLine line(program.name(), program.description());
    program.declare(line, job);
    try {
      if (!line.parse(argc, argv)) {
        if (job.root()) std::fputs(line.help().c_str(), stdout);
        return 0;
      }
    } catch (const Error& error) {
      throw UsageError(error.what());
    }
    job.require_writable_outputs();
    return program.run(job);
  } catch (const UsageError& error) {
    return complain(program, job, error.what(), "\nRun with --help for more information.", 2);
  } catch (const std::bad_alloc&) {
    return complain(program, job, "out of memory", "", 1);
  } catch (const std::exception& error) {
    return complain(program, job, error.what(), "", 1);
  }
}

}  // namespace

Job::Job(MPI_Comm parent) {
  MPI_Comm_dup(parent, &comm);
  MPI_Comm_dup(parent, &alarm);
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(node, &ranks_on_node);
  MPI_Comm_size(comm, &ranks);
}

Options Job::with_nodes(Options options) const {
  options.nodes = detail::find_nodes(comm, options.nodes, options.node_size).node;
  return options;
}

Job::~Job() {
  MPI_Comm_free(&node);
  MPI_Comm_free(&alarm);
  MPI_Comm_free(&comm);
}

double Job::max(double value) const { return reduced(value, MPI_DOUBLE, MPI_MAX, comm); }
double Job::sum(double value) const { return reduced(value, MPI_DOUBLE, MPI_SUM, comm); }
Index Job::max(Index value) const { return reduced(value, MPI_INT64_T, MPI_MAX, comm); }
Index Job::sum(Index value) const { return reduced(value, MPI_INT64_T, MPI_SUM, comm); }

void Job::print(const std::string& report) const {
  if (!root()) return;
  std::FILE* stream = json_ == "-" || csv_ == "-" ? stderr : stdout;
  std::fputs(report.c_str(), stream);
  std::fflush(stream);
}

void Job::tell_of_others(const detail::BusyWatch& watch, Json& report) const {
  const detail::Busy busy = watch.seen();
  report["busy"] = {{"others", busy.others}, {"stolen", busy.stolen}};
  if (busy.too_much()) print(text(" The machine was busy, so that times are too long: %s.\n", busy.text().c_str()));
}

void Job::progress(const std::string& line) const {
  if (root()) std::fprintf(stderr, "%s\n", line.c_str());
}

void Job::declare_outputs(CommandLine& line, bool csv) {
  line.option("--json", json_, "Write the report as JSON to FILE, or to standard output (-)")
      .type("FILE")
      .group("Output");
  if (!csv) return;
  line.option("--csv", csv_, "Write the results as a table to FILE, or to standard output (-)")
      .type("FILE")
      .group("Output");
}

void Job::require_writable_outputs() const {
  root_does(*this, [&] {
    if (json_ == "-" && csv_ == "-") throw Error("--json - and --csv -: only one can have standard output");
    for (const std::string& path : {json_, csv_}) {
      if (!path.empty() && path != "-") detail::OutputFile attempt(path);
    }
  });
}

void Job::write_json(const Json& report) const {
  if (root() && wants_json()) write_output(json_, report.dump(2) + "\n");
}

void Job::write_csv(const std::string& table) const {
  if (root() && wants_csv()) write_output(csv_, table);
}

namespace {

/// A progress thread calls MPI while others do. The rest of us are not to pay for the locks that this needs, so MPI is
/// asked for them only where the command line or the environment names the thread.
bool wants_progress_thread(int argc, char** argv) {
  const char* variable = std::getenv("WEFT_PROGRESS");
  bool wanted = variable != nullptr && std::string_view(variable) == "thread";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    wanted = wanted || word.ends_with("progress=thread") || word.find("progress=thread,") != word.npos ||
             (word == "thread" && std::string_view(argv[i - 1]) == "--progress");
  }
  return wanted;
}

}  // namespace

int run_program(Program& program, int argc, char** argv) {
  int level = 0;  // what it is the library looks at where it matters
  MPI_Init_thread(&argc, &argv, wants_progress_thread(argc, argv) ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &level);
  int code = 0;
  {
    Job job(MPI_COMM_WORLD);
    code = guarded(program, job, argc, argv);
    if (code == 0 && (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)) {
      std::fprintf(stderr, "%s: cannot write standard output: %s\n", program.name().c_str(), std::strerror(errno));
      code = 1;
    }
  }
  MPI_Finalize();
  return code;
}

void declare_options(CommandLine& line, Options& options) {
  for (const auto& [name, values, help, applies_to] : Options::describe()) {
    if (name.ends_with("_ghosts")) continue;  // the arrays of these programs have none
    std::string flags = "--" + name;
    std::string dashed = flags;
    std::replace(dashed.begin(), dashed.end(), '_', '-');
    if (dashed != flags) flags += "," + dashed;

    const std::string option = name;  // a structured binding cannot be captured
    // The value may be left out of the true-or-false ones alone.
    auto set = [&options, option](const std::string& value) { options.set(option, value.empty() ? "true" : value); };
    const auto flag = line.option(flags, set, help + " (" + values + ")").type("").group("Options of the library");
    const std::string present = options.get(name);
    if (present == "true" || present == "false") flag.values(0, 1);
  }
}

Json options_json(const Options& options) {
  Json json = Json::object();
  for (const auto& description : Options::describe()) json[description.name] = options.get(description.name);
  return json;
}

Json traffic_json(const Plan::Traffic& traffic) {
  return {{"messages", traffic.messages},
          {"bytes", traffic.bytes},
          {"all_messages", traffic.all_messages},
          {"all_bytes", traffic.all_bytes},
          {"network_messages", traffic.network_messages},
          {"network_bytes", traffic.network_bytes}};
}

Json traffic_json(const Plan& plan) {
  return {{"forward", traffic_json(plan.traffic(Direction::forward))},
          {"backward", traffic_json(plan.traffic(Direction::backward))}};
}

void require_memory(const Job& job, Index bytes, const std::string& what) {
  Index needed = bytes, available = detail::available_memory();
  MPI_Allreduce(MPI_IN_PLACE, &needed, 1, MPI_INT64_T, MPI_SUM, job.node);
  MPI_Allreduce(MPI_IN_PLACE, &available, 1, MPI_INT64_T, MPI_MIN, job.node);

  // The node that lacks most speaks for all.
  struct {
    double left;
    int rank;
  } worst{static_cast<double>(available) - static_cast<double>(needed), job.rank};
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE_INT, MPI_MINLOC, job.comm);
  if (worst.left >= 0) return;
  Index facts[] = {needed, available, job.ranks_on_node};
  MPI_Bcast(facts, 3, MPI_INT64_T, worst.rank, job.comm);
  const Index all = job.sum(bytes);
  const std::string of_all = all == facts[0] ? "" : " of " + bytes_text(all) + " in all";
  throw Error(text("%s needs %s of memory%s on a node with %lld rank%s, where %s are available", what.c_str(),
                   bytes_text(facts[0]).c_str(), of_all.c_str(), static_cast<long long>(facts[2]),
                   facts[2] == 1 ? "" : "s", bytes_text(facts[1]).c_str()));
}

}  // namespace weft::tools
