#include <algorithm>
#include <complex>
#include <memory>
#include <utility>

#include "array.hpp"
#include "probes.hpp"

namespace weft::tools {

namespace {

constexpr Index extents[] = {4, 8, 16, 24, 32, 48, 64, 96, 128};
/// Of transforms by all ranks.
constexpr Index together[] = {8, 16, 24, 32, 48, 64, 96, 128};

/// A round trip of zeroes.
template <class Real>
void add(std::vector<Probe>& probes, const Job& job, Index n, Kind kind, MPI_Comm comm, Json what,
         const Options& options) {
  using Complex = std::complex<Real>;
  Problem problem;
  problem.shape = {n, n, n};
  problem.kind = kind;
  problem.precision = sizeof(Real) == 8 ? Precision::double_ : Precision::single_;
  const auto fft = std::make_shared<Transform<Real>>(problem, comm, options);
  const auto in = std::make_shared<Array<Complex>>(std::max(fft->plan().input_size(), Index{1}));
  const auto out = std::make_shared<Array<Complex>>(std::max(fft->plan().output_size(), Index{1}));
  std::fill(in->begin(), in->end(), Complex(0));
  std::fill(out->begin(), out->end(), Complex(0));
  const Index repeats = std::max<Index>(1, 100000 / (n * n * n));
  what["n"] = n;
  what["kind"] = to_string(kind);
  what["precision"] = to_string(problem.precision);
  probes.push_back({std::move(what),
                    [=, &job] {
                      return timed(job, repeats, [&] {
                        if (kind == Kind::r2c) {
                          fft->forward(reinterpret_cast<Real*>(in->data()), out->data());
                          fft->backward(out->data(), reinterpret_cast<Real*>(in->data()));
                        } else {
                          fft->forward(in->data(), out->data());
                          fft->backward(out->data(), in->data());
                        }
                      });
                    },
                    {}});
}

}  // namespace

void add_transforms(std::vector<Probe>& probes, const Job& job) {
  for (const Index n : extents) {
    for (const Kind kind : {Kind::c2c, Kind::r2c}) {
      add<double>(probes, job, n, kind, MPI_COMM_SELF, {{"group", "transform"}}, {});
      add<float>(probes, job, n, kind, MPI_COMM_SELF, {{"group", "transform"}}, {});
    }
  }
  if (job.ranks == 1 || job.ranks != job.ranks_on_node) return;
  for (const std::string& strategy : strategies()) {
    Options options;
    options.set("strategy", strategy);
    for (const Index n : together) {
      add<double>(probes, job, n, Kind::c2c, job.comm, {{"group", "strategy"}, {"strategy", strategy}}, options);
    }
  }
}

}  // namespace weft::tools
