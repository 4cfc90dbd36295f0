// Has Weft choose how to transform, within a second, and transforms.
#include <weft/tuner.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const weft::Problem problem{.shape = {32, 32, 32}, .kind = weft::Kind::r2c};
    const weft::Tuned tuned = weft::tune(problem, MPI_COMM_WORLD, {}, {.budget = 1, .file = "none"});
    weft::Transform<double> fft(problem, MPI_COMM_WORLD, tuned.options);
    std::vector<double> x(static_cast<std::size_t>(fft.input_size()), 1.0);
    std::vector<std::complex<double>> y(static_cast<std::size_t>(fft.output_size()));
    fft.forward(x.data(), y.data());
    if (fft.plan().rank() == 0) std::printf("%s", tuned.text().c_str());
  }
  MPI_Finalize();
}
