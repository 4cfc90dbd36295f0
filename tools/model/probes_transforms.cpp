#include <algorithm>
#include <complex>
#include <memory>

#include "array.hpp"
#include "probes.hpp"

namespace weft::tools {

namespace {

constexpr Index extents[] = {4, 8, 16, 24, 32, 48, 64, 96, 128};

template <class Real>
void add(std::vector<Probe>& probes, const Job& job, Index n, Kind kind) {
  using Complex = std::complex<Real>;
  Problem problem;
  problem.shape = {n, n, n};
  problem.kind = kind;
  problem.precision = sizeof(Real) == 8 ? Precision::double_ : Precision::single_;
  const auto fft = std::make_shared<Transform<Real>>(problem, MPI_COMM_SELF);
  const auto in = std::make_shared<Array<Complex>>(n * n * n), out = std::make_shared<Array<Complex>>(n * n * n);
  std::fill(in->begin(), in->end(), Complex(0));
  std::fill(out->begin(), out->end(), Complex(0));
  const Index repeats = std::max<Index>(1, 100000 / (n * n * n));
  probes.push_back(
      {{{"group", "transform"}, {"n", n}, {"kind", to_string(kind)}, {"precision", to_string(problem.precision)}},
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
      add<double>(probes, job, n, kind);
      add<float>(probes, job, n, kind);
    }
  }
}

}  // namespace weft::tools
