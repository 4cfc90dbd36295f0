#include "bench_report.hpp"

#include <algorithm>
#include <span>

#include "limits.hpp"

namespace weft::tools {

namespace {

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// So many transforms along one axis. One with a real end has half the operations. Along the axes behind, which are
/// transformed before on the way to the spectrum, there are the modes that are kept, and along those before it the
/// points that fields hold.
double operations_along(const Problem& problem, Index transforms, std::size_t axis) {
  double points = static_cast<double>(problem.batch * transforms);
  const Extents modes = problem.shape.with_first(problem.kept_modes());
  const Extents held = problem.shape.with_first(problem.kept_points());
  for (std::size_t a = 0; a < problem.shape.size(); ++a) {
    points *= static_cast<double>(a > axis ? modes[a] : a < axis ? held[a] : problem.shape[a]);
  }
  return (problem.kind == Kind::c2c ? 1 : 0.5) * operations(points, problem.shape[axis]);
}

const char* name_of(Direction direction) { return direction == Direction::forward ? "forward" : "backward"; }

long long whole(Index value) { return value; }

}  // namespace

double Figures::limit() const { return std::max(memory_limit, compute_limit); }
double Figures::ratio() const { return limit() > 0 ? median / limit() : 0; }

Report::Report(const Settings& settings, const Planned& planned, const std::vector<Result>& results,
               const Machine& machine, int ranks)
    : settings_(settings),
      problem_(settings.problem),
      planned_(planned),
      machine_(machine),
      ranks_(ranks),
      operations_(0) {
  double compute_limit = 0;
  for (std::size_t axis = 0; axis < problem_.shape.size(); ++axis) {
    const double of_axis = operations_along(problem_, planned.inputs + planned.outputs, axis);
    operations_ += of_axis;
    if (machine.line_rates[axis] > 0) compute_limit += of_axis / machine.line_rates[axis] / ranks;
  }
  for (const Result& result : results) {
    Figures figures{.result = result};
    const auto [least, most] = std::minmax_element(result.seconds.begin(), result.seconds.end());
    figures.min = *least;
    figures.median = median_of(result.seconds);
    figures.max = *most;
    figures.gflops = operations_ / figures.median * 1e-9;
    if (machine.copy_rate > 0) figures.memory_limit = static_cast<double>(result.bytes_moved) / machine.copy_rate;
    figures.compute_limit = compute_limit;
    if (!result.steps_seconds.empty()) {
      // Of the ratios of each turn, which load disturbs less than the times themselves.
      std::vector<double> ratios;
      for (std::size_t i = 0; i < result.seconds.size(); ++i) {
        ratios.push_back(result.steps_seconds[i] / result.seconds[i]);
      }
      figures.steps_median = median_of(result.steps_seconds);
      figures.steps_ratio = median_of(std::move(ratios));
    }
    figures_.push_back(figures);
  }
}

std::string Report::execution() const {
  if (!settings_.applied) return "forward + backward";
  return text("%s of %lld to %lld field%s", settings_.applied->name.c_str(), whole(planned_.inputs),
              whole(planned_.outputs), planned_.outputs == 1 ? "" : "s");
}

std::string Report::table() const {
  const Figures& first = figures_.front();
  const bool pruned = problem_.kept_modes() != Shape(problem_.shape);
  std::string kept = pruned ? " with " + to_string(problem_.kept_modes()) + " modes" : "";
  if (problem_.kept_points() != Shape(problem_.shape)) kept += " of " + to_string(problem_.kept_points()) + " points";
  std::string out = text("\n %s of %s%s, %s, %s, batch %lld; %s\n\n",
                         settings_.applied ? ("Operator " + execution() + "; grid").c_str() : "Forward + backward FFT",
                         to_string(problem_.shape).c_str(), kept.c_str(), to_string(problem_.kind).c_str(),
                         to_string(problem_.precision).c_str(), whole(problem_.batch), first.result.layouts.c_str());
  out += text(" %-14s %10s %10s %10s %9s %8s %11s %9s %9s %9s", "strategy", "min ms", "median ms", "max ms", "GFlop/s",
              "x limit", "sent/rank", "messages", "error", "planned s");
  out += settings_.applied ? text(" %10s %7s\n", "steps ms", "x") : "\n";
  for (const Figures& figures : figures_) {
    const Result& result = figures.result;
    out += text(" %-14s %10.3f %10.3f %10.3f %9.2f %8s %11s %9lld %9.1e %9.3f", result.strategy.c_str(),
                figures.min * 1e3, figures.median * 1e3, figures.max * 1e3, figures.gflops,
                figures.limit() > 0 ? text("%.2f", figures.ratio()).c_str() : "-",
                bytes_text(result.bytes_sent).c_str(), whole(result.messages), result.error, result.planning);
    out += settings_.applied ? text(" %10.3f %7.2f\n", figures.steps_median * 1e3, figures.steps_ratio) : "\n";
  }
  const std::size_t repeats = first.result.seconds.size();
  out += text("\n %zu repetition%s, each timed on its slowest rank. GFlop/s of the median, counting %lld * %s%s.\n",
              repeats, repeats == 1 ? "" : "s", whole(planned_.inputs + planned_.outputs),
              problem_.kind == Kind::c2c ? "5 N log2 N" : "2.5 N log2 N (half of c2c: one end is real)",
              pruned ? ", N where zeroes are left out" : "");
  if (settings_.applied) {
    out +=
        " Steps: forward, the function, backward, of Weft's transforms in the same turns; x: how many times as long "
        "they take.\n";
  }
  if (first.limit() > 0) {
    const double rate = first.compute_limit > 0 ? operations_ / ranks_ / first.compute_limit : 0;
    out += text(
        " The machine's limit: moving %s a rank at %.1f GB/s takes %.3f ms, computing in cache at %.1f GFlop/s a"
        " rank %.3f ms.\n",
        bytes_text(first.result.bytes_moved).c_str(), machine_.copy_rate * 1e-9, first.memory_limit * 1e3, rate * 1e-9,
        first.compute_limit * 1e3);
  }
  return out + breakdown() + "\n";
}

std::string Report::breakdown() const {
  std::string out = "\n Where the time goes, mean over ranks, in ms of " + execution() +
                    "; an exchange's time is exposed where its rank\n"
                    " did nothing else, hidden where it computed while tiles were on their way.\n\n";
  out += text(" %-14s %12s %13s %10s %16s\n", "strategy", "calculation", "send/receive", "waiting", "synchronisation");
  for (const Figures& figures : figures_) {
    const Statistics& mean = figures.result.mean;
    out += text(" %-14s %12.3f %13.3f %10.3f %16.3f\n", figures.result.strategy.c_str(), mean.compute * 1e3,
                (mean.start + mean.test) * 1e3, mean.wait * 1e3, mean.check * 1e3);
  }
  for (const Figures& figures : figures_) {
    const Statistics& mean = figures.result.mean;
    if (mean.core_round_trip == 0) continue;
    out += text("\n %s: a cache line takes %.0f ns to another core and back", figures.result.strategy.c_str(),
                mean.core_round_trip * 1e9);
    if (mean.core_moves > 0) {
      out += text("; passes changed their way %lld times since the host moved cores", whole(mean.core_moves));
    }
    out += ".\n";
  }
  if (figures_.front().result.mean.exchanges.empty()) return out;
  out += text("\n %-14s %-12s %10s %10s %10s %8s\n", "strategy", "exchange", "in flight", "exposed", "hidden", "of it");
  for (const Figures& figures : figures_) {
    for (const ExchangeStatistics& exchange : figures.result.mean.exchanges) {
      const double of_it = exchange.in_flight > 0 ? exchange.hidden / exchange.in_flight : 0;
      out += text(" %-14s %-12s %10.3f %10.3f %10.3f %6.0f %%\n", figures.result.strategy.c_str(),
                  text("%s %d", name_of(exchange.direction), exchange.number).c_str(), exchange.in_flight * 1e3,
                  exchange.exposed() * 1e3, exchange.hidden * 1e3, 100 * of_it);
    }
  }
  return out;
}

std::string Report::csv() const {
  std::string out =
      "n0,n1,n2,kind,precision,batch,ranks,strategy,repeats,min_seconds,median_seconds,max_seconds,gflops,error,"
      "bytes_sent_per_rank,messages_per_rank,planning_seconds,memory_limit_seconds,compute_limit_seconds,ratio_to_"
      "limit,m0,m1,m2";
  for (std::size_t axis = 3; axis < problem_.shape.size(); ++axis) out += text(",n%zu", axis);
  const Shape modes = problem_.kept_modes();
  out += settings_.applied ? ",operator,steps_median_seconds,steps_ratio\n" : "\n";
  for (const Figures& figures : figures_) {
    const Result& result = figures.result;
    out += text("%lld,%lld,%lld,%s,%s,%lld,%d,%s,%zu,", whole(problem_.shape[0]), whole(problem_.shape[1]),
                whole(problem_.shape[2]), to_string(problem_.kind).c_str(), to_string(problem_.precision).c_str(),
                whole(problem_.batch), ranks_, result.strategy.c_str(), result.seconds.size());
    out += text("%.9g,%.9g,%.9g,%.6g,%.3g,%lld,%lld,%.6g,%.6g,%.6g,%.4g,%lld,%lld,%lld", figures.min, figures.median,
                figures.max, figures.gflops, result.error, whole(result.bytes_sent), whole(result.messages),
                result.planning, figures.memory_limit, figures.compute_limit, figures.ratio(), whole(modes[0]),
                whole(modes[1]), whole(modes[2]));
    for (std::size_t axis = 3; axis < problem_.shape.size(); ++axis) out += text(",%lld", whole(problem_.shape[axis]));
    out += settings_.applied
               ? text(",%s,%.9g,%.4g\n", settings_.applied->name.c_str(), figures.steps_median, figures.steps_ratio)
               : "\n";
  }
  return out;
}

Json Report::json(const Figures& figures) const {
  const Result& result = figures.result;
  Json json{{"strategy", result.strategy},
            {"seconds", {{"min", figures.min}, {"median", figures.median}, {"max", figures.max}}},
            {"gflops", figures.gflops},
            {"error", result.error},
            {"bytes_sent_per_rank", result.bytes_sent},
            {"messages_per_rank", result.messages},
            {"planning_seconds", result.planning},
            {"repeats", result.seconds.size()},
            {"all_seconds", result.seconds}};
  json["parts_seconds"] = {{"total", result.mean.total}, {"compute", result.mean.compute},
                           {"start", result.mean.start}, {"test", result.mean.test},
                           {"wait", result.mean.wait},   {"check", result.mean.check}};
  json["core_round_trip_seconds"] = result.mean.core_round_trip;
  json["core_moves"] = result.mean.core_moves;
  json["exchanges"] = Json::list();
  for (const ExchangeStatistics& exchange : result.mean.exchanges) {
    json["exchanges"].push_back({{"direction", name_of(exchange.direction)},
                                 {"number", exchange.number},
                                 {"start", exchange.start},
                                 {"test", exchange.test},
                                 {"wait", exchange.wait},
                                 {"exposed", exchange.exposed()},
                                 {"in_flight", exchange.in_flight},
                                 {"hidden", exchange.hidden},
                                 {"messages", exchange.messages},
                                 {"bytes_sent", exchange.bytes_sent}});
  }
  json["limit"] = {
      {"seconds", figures.limit()},
      {"ratio", figures.ratio()},
      {"memory_seconds", figures.memory_limit},
      {"compute_seconds", figures.compute_limit},
      {"bytes_moved_per_rank", result.bytes_moved},
      {"copy_bytes_per_second_per_rank", machine_.copy_rate},
      {"operations", operations_},
      {"line_operations_per_second_per_rank", std::span(machine_.line_rates).first(problem_.shape.size())}};
  if (settings_.applied) {
    json["steps"] = {{"seconds", {{"median", figures.steps_median}}},
                     {"ratio", figures.steps_ratio},
                     {"all_seconds", result.steps_seconds}};
  }
  json["layouts"] = result.layouts;
  json["traffic"] = result.traffic;
  json["options"] = result.options;
  return json;
}

Json Report::json() const {
  Json json{{"shape", problem_.shape},
            {"modes", problem_.kept_modes()},
            {"points", problem_.kept_points()},
            {"kind", to_string(problem_.kind)},
            {"precision", to_string(problem_.precision)},
            {"batch", problem_.batch},
            {"normalization", to_string(problem_.normalization)},
            {"ranks", ranks_}};
  if (settings_.applied) {
    json["operator"] = {{"function", settings_.applied->name},
                        {"values", settings_.applied->values},
                        {"lengths", std::span(settings_.applied->lengths).first(problem_.shape.size())},
                        {"inputs", planned_.inputs},
                        {"outputs", planned_.outputs}};
  }
  json.update(this->json(*std::min_element(figures_.begin(), figures_.end(),
                                           [](const Figures& a, const Figures& b) { return a.median < b.median; })));
  if (figures_.size() > 1) {
    for (const Figures& figures : figures_) json["runs"].push_back(this->json(figures));
  }
  return json;
}

}  // namespace weft::tools
