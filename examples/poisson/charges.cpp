// Electrostatics of point charges in a periodic box (gravity is the same with another sign), on a grid, against sums of
// Ewald.
//
//   potential = long range + short range:   1/r = erf(r / (sqrt(2) sigma)) / r + erfc(r / (sqrt(2) sigma)) / r
//
// The long range is the potential of Gaussians of width sigma, which a grid can have: each charge is spread over the
// grid as a Gaussian of width s < sigma, one operator solves Poisson's equation and widens by what is missing, and a
// charge reads the potential through a Gaussian of width s again (Shan, Klepeis, Eastwood, Dror and Shaw, Gaussian
// split Ewald, J. Chem. Phys. 122, 054101, 2005). The short range is a sum over neighbours.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>
#include <vector>

#include "weft/operator.hpp"

namespace {

using weft::Index;
using Point = std::array<double, 3>;
constexpr double pi = std::numbers::pi;

struct Charge {
  Point at;  // in a box of length 1
  double charge;
};

/// For each charge: the potential of the others there, and the electric field.
using Fields = std::vector<std::array<double, 4>>;

/// Adds what charges at a distance of less than 1 have of the short range, and takes out what each has of its own in
/// the long range. Images of the box: as many as are told, in each direction.
void add_short_range(const std::vector<Charge>& charges, double sigma, int images, Fields& fields) {
  const double a = 1 / (std::numbers::sqrt2 * sigma);
  for (std::size_t i = 0; i < charges.size(); ++i) {
    fields[i][0] -= 2 * a * std::numbers::inv_sqrtpi * charges[i].charge;
    for (std::size_t j = 0; j < charges.size(); ++j) {
      for (int cell = 0; cell < (2 * images + 1) * (2 * images + 1) * (2 * images + 1); ++cell) {
        const int side = 2 * images + 1;
        const Point shift{static_cast<double>(cell / side / side - images),
                          static_cast<double>(cell / side % side - images), static_cast<double>(cell % side - images)};
        Point d{};
        for (std::size_t c = 0; c < 3; ++c) {
          const double apart = charges[i].at[c] - charges[j].at[c];
          d[c] = apart - std::round(apart) + shift[c];
        }
        const double r = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        if (r == 0) continue;
        const double potential = charges[j].charge * std::erfc(a * r) / r;
        const double slope = charges[j].charge * 2 * a * std::numbers::inv_sqrtpi * std::exp(-a * a * r * r);
        fields[i][0] += potential;
        for (std::size_t c = 0; c < 3; ++c) fields[i][c + 1] += (potential + slope) * d[c] / (r * r);
      }
    }
  }
}

/// On a grid of n points in each direction. Collective.
Fields by_grid(const std::vector<Charge>& charges, Index n, MPI_Comm comm) {
  const double h = 1 / static_cast<double>(n), s = 1.3 * h, sigma = 2 * s;
  const auto reach = static_cast<Index>(std::ceil(7 * s / h));  // a Gaussian is 2e-11 there

  // 4 pi / k^2, widened by sigma^2 less the s^2 on both ways.
  const auto poisson = weft::PointFunction<double>::at_wavenumbers(
      1, 1, [wider = sigma * sigma - 2 * s * s](const weft::PointTile<std::complex<double>>& tile) {
        const auto square = [&](std::size_t axis, Index i) {
          const double k = tile.at[axis][static_cast<std::size_t>(i)];
          return k * k;
        };
        for (Index i = tile.box.lo[0]; i < tile.box.hi[0]; ++i) {
          for (Index j = tile.box.lo[1]; j < tile.box.hi[1]; ++j) {
            for (Index k = tile.box.lo[2]; k < tile.box.hi[2]; ++k) {
              const double k2 = square(0, i) + square(1, j) + square(2, k);
              const double factor = k2 > 0 ? 4 * pi / k2 * std::exp(-wider * k2 / 2) : 0;
              tile.out(0, i, j)[k - tile.box.lo[2]] = factor * tile.in(0, i, j)[k - tile.box.lo[2]];
            }
          }
        }
      });
  weft::Operator<double> solve({.shape = {n, n, n}, .kind = weft::Kind::r2c, .lengths = {1, 1, 1}}, poisson, comm);
  const weft::Box box = solve.plan().input_box();

  // Calls use(point of this rank's part, weight of the Gaussian, distance) around a charge.
  const auto for_each_near = [&](const Charge& one, const auto& use) {
    struct Near {
      Index index;
      double weight, distance;
    };
    std::array<std::vector<Near>, 3> along;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto first = static_cast<Index>(std::floor(one.at[axis] / h)) - reach;
      for (Index i = first; i <= first + 2 * reach + 1; ++i) {
        const Index index = ((i % n) + n) % n;
        if (index < box.lo[axis] || index >= box.hi[axis]) continue;
        const double d = static_cast<double>(i) * h - one.at[axis];
        along[axis].push_back({index - box.lo[axis], std::exp(-d * d / (2 * s * s)) / (std::sqrt(2 * pi) * s), d});
      }
    }
    for (const Near& i : along[0]) {
      for (const Near& j : along[1]) {
        for (const Near& k : along[2]) {
          use(static_cast<std::size_t>((i.index * box.extent(1) + j.index) * box.extent(2) + k.index),
              i.weight * j.weight * k.weight, Point{i.distance, j.distance, k.distance});
        }
      }
    }
  };

  std::vector<double> density(static_cast<std::size_t>(solve.plan().input_size())), potential(density.size());
  for (const Charge& one : charges) {
    for_each_near(one, [&](std::size_t at, double weight, const Point&) { density[at] += one.charge * weight; });
  }
  solve(density, potential);
  Fields fields(charges.size());
  for (std::size_t i = 0; i < charges.size(); ++i) {
    for_each_near(charges[i], [&](std::size_t at, double weight, const Point& d) {
      const double part = potential[at] * weight * h * h * h;
      fields[i][0] += part;
      for (std::size_t c = 0; c < 3; ++c) fields[i][c + 1] -= part * d[c] / (s * s);
    });
  }
  MPI_Allreduce(MPI_IN_PLACE, fields.data(), static_cast<int>(4 * fields.size()), MPI_DOUBLE, MPI_SUM, comm);
  add_short_range(charges, sigma, 0, fields);  // erfc is below 1e-15 at half of the box for n of 32 and more
  return fields;
}

/// Ewald's sums, without a grid: the long range by wave vectors one by one, at another sigma.
Fields by_ewald(const std::vector<Charge>& charges) {
  const double sigma = 0.12;
  const int most = 11;  // exp(-sigma^2 k^2 / 2) is 1e-15 there
  Fields fields(charges.size());
  for (int i = -most; i <= most; ++i) {
    for (int j = -most; j <= most; ++j) {
      for (int l = -most; l <= most; ++l) {
        const Point k{2 * pi * i, 2 * pi * j, 2 * pi * l};
        const double k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
        if (k2 == 0) continue;
        const auto wave = [&](const Point& x) { return std::polar(1.0, k[0] * x[0] + k[1] * x[1] + k[2] * x[2]); };
        std::complex<double> sum = 0;
        for (const Charge& one : charges) sum += one.charge * std::conj(wave(one.at));
        const double factor = 4 * pi / k2 * std::exp(-sigma * sigma * k2 / 2);
        for (std::size_t n = 0; n < charges.size(); ++n) {
          const std::complex<double> here = factor * sum * wave(charges[n].at);
          fields[n][0] += here.real();
          for (std::size_t c = 0; c < 3; ++c) fields[n][c + 1] += k[c] * here.imag();
        }
      }
    }
  }
  add_short_range(charges, sigma, 1, fields);
  return fields;
}

double energy(const std::vector<Charge>& charges, const Fields& fields) {
  double sum = 0;
  for (std::size_t i = 0; i < charges.size(); ++i) sum += charges[i].charge * fields[i][0] / 2;
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, status = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    const Index n = 48;
    // Rock salt, whose energy is known: a pair has -M / distance, with Madelung's constant M.
    std::vector<Charge> salt;
    for (int i = 0; i < 8; ++i) {
      const int x = i / 4, y = i / 2 % 2, z = i % 2;
      salt.push_back({{0.1 + x / 2.0, 0.2 + y / 2.0, 0.3 + z / 2.0}, (x + y + z) % 2 == 0 ? 1.0 : -1.0});
    }
    const double madelung = -energy(salt, by_grid(salt, n, MPI_COMM_WORLD)) / 4 * 0.5, known = 1.747564594633182;

    // Charges anywhere, neutral together.
    std::mt19937 random(1);
    const auto unit = [&] { return static_cast<double>(random()) / 4294967296.0; };
    std::vector<Charge> charges;
    for (int i = 0; i < 60; ++i) charges.push_back({{unit(), unit(), unit()}, i % 2 == 0 ? 1.0 : -1.0});
    const Fields grid = by_grid(charges, n, MPI_COMM_WORLD), ewald = by_ewald(charges);
    double error[] = {0, 0}, square[] = {0, 0};
    for (std::size_t i = 0; i < charges.size(); ++i) {
      for (std::size_t c = 0; c < 4; ++c) {
        error[c > 0] += std::pow(grid[i][c] - ewald[i][c], 2);
        square[c > 0] += std::pow(ewald[i][c], 2);
      }
    }
    const double potentials = std::sqrt(error[0] / square[0]), forces = std::sqrt(error[1] / square[1]);
    const double energies = std::abs(energy(charges, grid) / energy(charges, ewald) - 1);
    const bool good = std::abs(madelung / known - 1) < 1e-9 && potentials < 1e-9 && forces < 1e-9 && energies < 1e-9;
    if (rank == 0) {
      std::printf("Madelung's constant of rock salt: %.12f, off by %.1e\n", madelung, madelung / known - 1);
      std::printf("60 charges, relative to Ewald's sums: energy %.1e, potentials %.1e, forces %.1e (rms): %s\n",
                  energies, potentials, forces, good ? "right" : "WRONG");
    }
    status = good ? 0 : 1;
  } catch (const weft::Error& error) {
    if (rank == 0) std::fprintf(stderr, "error: %s\n", error.what());
    status = 2;
  }
  MPI_Finalize();
  return status;
}
