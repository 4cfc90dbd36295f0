// Decaying turbulence in a periodic box: Taylor and Green's vortex, or random waves. The method is in flow.hpp.
//
//   mpiexec -n 2 weft-turbulence flow=taylor-green n=64 end=10 out=tgv
//
// writes series.csv (time, energy, enstrophy, dissipation, balance; every step), spectra.csv and restart.bin into the
// folder out; picture.py draws them.
#include <filesystem>
#include <map>

#include "files.hpp"
#include "flow.hpp"

namespace {

using namespace turbulence;

/// What was asked for, as words name=value.
struct Wishes {
  std::map<std::string, std::string> values{{"flow", "taylor-green"},
                                            {"n", "64"},
                                            {"viscosity", "0.000625"},
                                            {"dt", "0"},
                                            {"end", "10"},
                                            {"save", "1"},
                                            {"seed", "1"},
                                            {"peak", "4"},
                                            {"out", "turbulence"},
                                            {"restart", ""}};

  Wishes(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i], name = word.substr(0, word.find('='));
      if (values.count(name) == 0 || name == word) {
        std::string all;
        for (const auto& [one, value] : values) all += " " + one + "=" + value;
        throw weft::Error("'" + word + "' is no argument; these are, with what they are unless given:" + all);
      }
      values[name] = word.substr(name.size() + 1);
    }
    if (text("flow") != "taylor-green" && text("flow") != "random") {
      throw weft::Error("flow is '" + text("flow") + "'; allowed are taylor-green and random");
    }
  }
  const std::string& text(const std::string& name) const { return values.at(name); }
  double number(const std::string& name, double least) const {
    char* end = nullptr;
    const double value = std::strtod(text(name).c_str(), &end);
    if (text(name).empty() || *end != '\0' || !(value >= least) || !(value <= 1e9)) {
      throw weft::Error(name + " is '" + text(name) + "'; it must be a number of at least " + std::to_string(least));
    }
    return value;
  }
};

/// u = (sin x cos y cos z, -cos x sin y cos z, 0), whose wave vectors are all (+-1, +-1, +-1): Re = 1 / viscosity.
Vector taylor_green(const Wave& k) {
  if (std::abs(k[0]) != 1 || std::abs(k[1]) != 1 || std::abs(k[2]) != 1) return {};
  return {Complex(0, -k[0] / 8), Complex(0, k[1] / 8), 0.0};
}

/// A phase from 0 to 2 pi for each wave vector and component, whatever the grid and the ranks: Steele, Lea and Flood,
/// Fast splittable pseudorandom number generators (2014), as a hash.
double phase(const Wave& k, std::uint64_t seed, std::uint64_t component) {
  std::uint64_t hash = 3 * seed + component;
  for (const double along : k) {
    hash = (hash ^ static_cast<std::uint64_t>(static_cast<std::int64_t>(along))) + 0x9e3779b97f4a7c15;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
    hash ^= hash >> 31;
  }
  return 2 * std::numbers::pi * std::ldexp(static_cast<double>(hash >> 11), -53);
}

/// Random phases; u(-k) is the conjugate of u(k).
Vector random_wave(const Wave& k, std::uint64_t seed) {
  const bool mirrored = k[2] == 0 && (k[0] < 0 || (k[0] == 0 && k[1] < 0));
  Vector u;
  for (std::size_t c = 0; c < 3; ++c) {
    u[c] = mirrored ? std::polar(1.0, -phase({-k[0], -k[1], 0}, seed, c)) : std::polar(1.0, phase(k, seed, c));
  }
  return projected(u, k);
}

/// Energies proportional to k^4 exp(-2 (k / peak)^2), 1/2 in all.
void shape_spectrum(Flow& flow, double peak) {
  std::vector<double> factors = flow.spectrum();
  const auto wanted = [&](std::size_t shell) {
    const auto k = static_cast<double>(shell);
    return k * k * k * k * std::exp(-2 * k * k / (peak * peak));
  };
  double all = 0;
  for (std::size_t shell = 0; shell < factors.size(); ++shell) all += factors[shell] > 0 ? wanted(shell) : 0;
  for (std::size_t shell = 0; shell < factors.size(); ++shell) {
    if (factors[shell] > 0) factors[shell] = std::sqrt(0.5 / all * wanted(shell) / factors[shell]);
  }
  flow.change([&](const Vector& u, const Wave& k) {
    const double factor = factors[Flow::shell(k)];
    return Vector{factor * u[0], factor * u[1], factor * u[2]};
  });
}

void run(const Wishes& wishes, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const std::string out = wishes.text("out"), restart = wishes.text("restart");
  State state;
  if (restart.empty()) {
    const auto n = static_cast<Index>(wishes.number("n", 4));
    state = {.shape = {n, n, n}, .viscosity = wishes.number("viscosity", 0)};
  } else {
    state = look(restart, comm);
  }
  const double given = wishes.number("dt", 0), end = wishes.number("end", 0), save_every = wishes.number("save", 0);
  const double dt = given > 0 ? given : 1.0 / static_cast<double>(state.shape[0]);

  Flow flow(state.shape, state.viscosity, woven_product(state.shape, comm), comm);
  if (!restart.empty()) {
    StateFile(restart, MPI_MODE_RDONLY, comm).read(flow);
    flow.change([](const Vector& u, const Wave&) { return u; });
  } else if (wishes.text("flow") == "random") {
    const auto seed = static_cast<std::uint64_t>(wishes.number("seed", 0));
    flow.change([&](const Vector&, const Wave& k) { return random_wave(k, seed); });
    shape_spectrum(flow, wishes.number("peak", 0.1));
  } else {
    flow.change([](const Vector&, const Wave& k) { return taylor_green(k); });
  }

  std::optional<Table> series, spectra;
  std::string wrong;
  if (rank == 0) {
    std::error_code error;
    std::filesystem::create_directories(out, error);
    series.emplace(out + "/series.csv", "time,energy,enstrophy,dissipation,balance", state.time, !restart.empty());
    spectra.emplace(out + "/spectra.csv", "time,k,energy", state.time, !restart.empty());
    if (!series->good() || !spectra->good()) wrong = "out is '" + out + "'; its files cannot be written";
  }
  agree(wrong, comm);

  // Of three steps, -dE and what viscosity has taken, by Simpson's rule.
  std::array<Flow::Sample, 3> last{};
  double worst = 0;
  const auto balance = [&](long steps) {
    if (steps < 2) return std::nan("");
    const double taken = 2 * state.viscosity * dt / 3 * (last[0].enstrophy + 4 * last[1].enstrophy + last[2].enstrophy);
    return (last[0].energy - last[2].energy) / taken - 1;
  };
  Progress progress(rank, state.time, end);
  if (rank == 0) std::printf("%9s %12s %12s %12s %9s\n", "time", "energy", "enstrophy", "dissipation", "balance");
  const double begin = state.time, before = MPI_Wtime();
  const long first = state.step, steps = std::lround((end - begin) / dt);
  for (long done = 0;; ++done) {
    last = {last[1], last[2], flow.sample()};
    const Flow::Sample& now = last[2];
    if (!std::isfinite(now.energy)) {
      throw weft::Error("the flow has no energy that is a number at time " + std::to_string(state.time) + "; dt is " +
                        std::to_string(dt) + ", which is too long a step");
    }
    const double residual = balance(done), dissipation = 2 * state.viscosity * now.enstrophy;
    worst = std::max(worst, std::abs(residual) > 0 ? std::abs(residual) : 0);
    const bool ends = done >= steps;
    const bool saves = ends || (save_every > 0 && std::floor((state.time + dt / 2) / save_every) >
                                                      std::floor((state.time - dt / 2) / save_every));
    if (rank == 0 && (done > 0 || restart.empty())) {
      char line[200];
      std::snprintf(line, sizeof line, "%.12g,%.17g,%.17g,%.17g,%.3e\n", state.time, now.energy, now.enstrophy,
                    dissipation, residual);
      series->line() << line;
    }
    if (saves) {
      const std::vector<double> energies = flow.spectrum();
      if (rank == 0) {
        progress.clear();
        std::printf("%9.4f %12.6g %12.6g %12.6g %9.1e\n", state.time, now.energy, now.enstrophy, dissipation, residual);
        std::fflush(stdout);
        for (std::size_t k = 0; k < energies.size() && (done > 0 || restart.empty()); ++k) {
          spectra->line() << state.time << ',' << k << ',' << energies[k] << '\n';
        }
        series->flush();
        spectra->flush();
        if (!series->good() || !spectra->good()) wrong = "the tables in '" + out + "' cannot be written";
      }
      agree(wrong, comm);
      save(out + "/restart.bin", flow, state, comm);
    }
    if (ends) break;
    flow.step(dt);
    state.step = first + done + 1;
    state.time = begin + static_cast<double>(done + 1) * dt;
    progress.show(state.time);
  }
  progress.clear();
  if (rank == 0) {
    const double seconds = MPI_Wtime() - before;
    std::printf("%ld steps of %g in %.1f s, %.4f s each; energy balance to %.1e; %s/restart.bin\n", steps, dt, seconds,
                seconds / static_cast<double>(std::max(steps, 1L)), worst, out.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 0, rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    run(Wishes(argc, argv), MPI_COMM_WORLD);
  } catch (const weft::Error& error) {
    // It is the same on all ranks.
    if (rank == 0) std::fprintf(stderr, "error: %s\n", error.what());
    status = 2;
  }
  MPI_Finalize();
  return status;
}
