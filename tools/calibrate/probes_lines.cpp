#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>

#include "array.hpp"
#include "fft/serial.hpp"
#include "probes.hpp"

namespace weft::tools {

namespace {

/// Powers of two; lengths with other small factors; and two that have a large one.
constexpr Index lengths[] = {8,  16, 32, 64, 128, 256, 512, 1024, 12, 24, 36,
                             48, 60, 72, 96, 100, 144, 240, 360,  31, 127};
/// What a pass computes at a time stays in the second-level cache.
constexpr Index chunk_bytes = Index{128} << 10;
constexpr double work_at_once = 1e7;

/// Enough for the backends that are chosen by name.
constexpr Index fewer_lengths[] = {8, 32, 64, 128, 256, 1024, 12, 36, 60, 96, 144, 360, 31, 127};

bool is_measured(const detail::Backend& backend, Index n) {
  if (backend.name == Options{}.backend) return true;
  // Nobody uses that one to be fast.
  return backend.name != "reference" &&
         std::find(std::begin(fewer_lengths), std::end(fewer_lengths), n) != std::end(fewer_lengths);
}

void add(std::vector<Probe>& probes, const Job& job, const detail::Backend& backend, const char* lines,
         Precision precision, Index n, double operations, std::function<void()> once) {
  const Index calls = std::max<Index>(1, static_cast<Index>(work_at_once / operations));
  probes.push_back({{{"group", "lines"},
                     {"backend", backend.name},
                     {"lines", lines},
                     {"precision", to_string(precision)},
                     {"n", n},
                     {"operations", operations}},
                    [&job, calls, once] { return timed(job, calls, once); },
                    {}});
}

/// Lines of a batch, out of place.
void add_lines(std::vector<Probe>& probes, const Job& job, const detail::Backend& backend, const char* kind,
               Precision precision, const detail::LineBatch& batch) {
  const Index numbers = batch.n * batch.count;
  const std::shared_ptr<detail::LineKernel> kernel = backend.make(batch, precision, Effort::measure);
  const auto in = std::make_shared<Array<std::complex<double>>>(numbers);
  const auto out = std::make_shared<Array<std::complex<double>>>(numbers);
  std::fill(in->begin(), in->end(), 0.0);
  std::fill(out->begin(), out->end(), 0.0);
  const double of_complex = 5 * static_cast<double>(numbers) * std::log2(static_cast<double>(batch.n));
  add(probes, job, backend, kind, precision, batch.n, batch.type == detail::LineType::r2c ? of_complex / 2 : of_complex,
      [=] { kernel->run(in->data(), out->data()); });
}

/// Contiguous lines: rows, of complex or real numbers.
void add_rows(std::vector<Probe>& probes, const Job& job, const detail::Backend& backend, Precision precision, Index n,
              bool real, Index count) {
  detail::LineBatch batch;
  batch.type = real ? detail::LineType::r2c : detail::LineType::c2c;
  batch.n = n;
  batch.count = count;
  batch.in_distance = n;
  batch.out_distance = real ? n / 2 + 1 : n;
  add_lines(probes, job, backend, real ? "real_rows" : "rows", precision, batch);
}

/// Columns side by side into contiguous ones, as passes have them of a backend without kernels for columns.
void add_turned_columns(std::vector<Probe>& probes, const Job& job, const detail::Backend& backend, Precision precision,
                        Index n, Index count) {
  detail::LineBatch batch;
  batch.n = n;
  batch.count = count;
  batch.in_stride = count;
  batch.out_distance = n;
  add_lines(probes, job, backend, "columns", precision, batch);
}

/// Columns side by side, in place.
void add_columns(std::vector<Probe>& probes, const Job& job, const detail::Backend& backend, Precision precision,
                 Index n, Index count) {
  const std::shared_ptr<detail::ColumnKernel> kernel =
      detail::make_column_kernel(backend, n, -1, precision, Effort::measure);
  const Index element = precision == Precision::double_ ? 16 : 8;
  const auto memory = std::make_shared<Array<char>>(n * count * element);
  const auto scratch = std::make_shared<Array<char>>(std::max<Index>(64, kernel->scratch_bytes()));
  std::fill(memory->begin(), memory->end(), '\0');
  const auto rows = std::make_shared<std::vector<void*>>();
  for (Index row = 0; row < n; ++row) rows->push_back(memory->data() + row * count * element);
  detail::ColumnRun run;
  run.in = rows->data();
  run.out = rows->data();
  run.columns = count;
  const double operations = 5 * static_cast<double>(n * count) * std::log2(static_cast<double>(n));
  add(probes, job, backend, "columns", precision, n, operations, [=] {
    kernel->run(run, scratch->data());
    static_cast<void>(memory);  // lives as long as the rows that lie in it
    static_cast<void>(rows);
  });
}

}  // namespace

void add_lines(std::vector<Probe>& probes, const Job& job) {
  for (const Precision precision : {Precision::double_, Precision::single_}) {
    const Index element = precision == Precision::double_ ? 16 : 8;
    for (const Index n : lengths) {
      const Index count = std::max<Index>(8, chunk_bytes / (n * element) / 8 * 8);
      for (const detail::Backend& backend : detail::backend_registry()) {
        if (!is_measured(backend, n)) continue;
        add_rows(probes, job, backend, precision, n, false, count);
        add_rows(probes, job, backend, precision, n, true, count);
        const auto add_any_columns = backend.make_columns != nullptr ? add_columns : add_turned_columns;
        add_any_columns(probes, job, backend, precision, n, count);
      }
    }
  }
}

}  // namespace weft::tools
