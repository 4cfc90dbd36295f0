#include "operator/integrated_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "operator/gauss.hpp"
#include "operator/truncated_kernel.hpp"

namespace weft::detail {

namespace {

constexpr int most_nodes = 24;
/// Digits that are wanted of nodes.
constexpr double digits = 15;

const Quadrature& nodes_of(int n) {
  static const std::vector<Quadrature> all = [] {
    std::vector<Quadrature> rules;
    for (int count = 0; count <= most_nodes; ++count) rules.push_back(gauss(count));
    return rules;
  }();
  return all[static_cast<std::size_t>(n)];
}

/// How many nodes have all digits in an interval around `middle`, of a function that is singular at the distance
/// `beside` from 0: an ellipse of convergence around the interval ends there (L. N. Trefethen, Approximation Theory and
/// Approximation Practice, 2013, theorem 19.3).
int nodes_needed(double middle, double beside, double size) {
  const std::complex<double> z(2 * middle / size, 2 * beside / size), root = std::sqrt(z * z - 1.0);
  const double ellipse = std::max(std::abs(z + root), std::abs(z - root));
  return std::clamp(static_cast<int>(std::ceil(digits / (2 * std::log10(ellipse)))), 2, most_nodes);
}

}  // namespace

IntegratedKernel::IntegratedKernel(std::span<const double> cell, double kappa)
    : dimensions_(cell.size()), kappa_(kappa) {
  std::copy(cell.begin(), cell.end(), cell_.begin());
}

double IntegratedKernel::operator()(std::span<const double> at) const {
  if (dimensions_ == 1) return on_line(at[0]);
  Point middle{};
  std::copy(at.begin(), at.end(), middle.begin());
  double volume = 1;
  for (std::size_t a = 0; a < dimensions_; ++a) volume *= cell_[a];
  return integral(middle, cell_) / volume;
}

double IntegratedKernel::kernel(double r) const {
  if (dimensions_ == 3) return -std::exp(-kappa_ * r) / (4 * std::numbers::pi * r);
  if (kappa_ == 0) return std::log(r) / (2 * std::numbers::pi);
  return kappa_ * r < 700 ? -std::cyl_bessel_k(0, kappa_ * r) / (2 * std::numbers::pi) : 0;
}

double IntegratedKernel::moment(double r) const {
  const double x = kappa_ * r;
  if (dimensions_ == 3)
    return kappa_ == 0 ? -r * r / (8 * std::numbers::pi)
                       : -one_less_decay(x) / (4 * std::numbers::pi * kappa_ * kappa_);
  if (kappa_ == 0) return r * r * (std::log(r) - 0.5) / (4 * std::numbers::pi);
  return -one_less_bessel(x) / (2 * std::numbers::pi * kappa_ * kappa_);
}

double IntegratedKernel::on_line(double x) const {
  const double h = cell_[0];
  if (kappa_ == 0) return x == 0 ? h / 8 : x / 2;
  if (x == 0) return std::expm1(-kappa_ * h / 2) / (kappa_ * kappa_ * h);
  return std::exp(-kappa_ * (x - h / 2)) * std::expm1(-kappa_ * h) / (2 * kappa_ * kappa_ * h);
}

double IntegratedKernel::integral(Point middle, Point size) const {
  const auto last = static_cast<std::ptrdiff_t>(dimensions_);
  const auto longest = static_cast<std::size_t>(std::max_element(size.begin(), size.begin() + last) - size.begin());
  const double least = *std::min_element(size.begin(), size.begin() + last);
  double square = 0;
  for (std::size_t a = 0; a < dimensions_; ++a) square += middle[a] * middle[a];
  const double whole = size[longest];
  // Divides the box along its longest side. Around 0 a part has 0 in its middle.
  const auto divided = [&](int parts) {
    const double from = middle[longest] - whole / 2, width = whole / parts;
    size[longest] = width;
    double sum = 0;
    for (int i = 0; i < parts; ++i) {
      middle[longest] = parts % 2 == 1 && 2 * i + 1 == parts ? from + whole / 2 : from + (i + 0.5) * width;
      sum += integral(middle, size);
    }
    return sum;
  };
  if (square < least * least / 16) return whole > 2 * least ? divided(3) : around(size);
  const bool beside = square < whole * whole && whole > 2 * least;
  // Where it decays fast, but has not yet vanished.
  const bool steep = kappa_ * whole > 4 && kappa_ * std::sqrt(square) < 40;
  if (beside || steep) return divided(2);
  return nodes_in(middle, size);
}

double IntegratedKernel::around(const Point& size) const {
  const Quadrature& rule = nodes_of(most_nodes);
  const std::size_t nodes = rule.at.size();
  double sum = 0;
  for (std::size_t across = 0; across < dimensions_; ++across) {
    const double d = size[across] / 2;
    const double b = size[(across + 1) % dimensions_] / 2;
    const double c = dimensions_ == 3 ? size[(across + 2) % 3] / 2 : 0;
    for (std::size_t i = 0; i < nodes; ++i) {
      for (std::size_t j = 0; j < (dimensions_ == 3 ? nodes : 1); ++j) {
        const double r = std::sqrt(d * d + std::pow(b * rule.at[i], 2) + std::pow(c * rule.at[j], 2));
        const double part = dimensions_ == 3 ? 8 * b * c * rule.weights[j] : 4 * b;  // both faces, all quarters
        sum += part * rule.weights[i] * d * moment(r) / std::pow(r, static_cast<double>(dimensions_));
      }
    }
  }
  return sum;
}

double IntegratedKernel::nodes_in(const Point& middle, const Point& size) const {
  std::array<const Quadrature*, 3> rules{&nodes_of(1), &nodes_of(1), &nodes_of(1)};
  double volume = 1;
  for (std::size_t a = 0; a < dimensions_; ++a) {
    double beside = 0;
    for (std::size_t b = 0; b < dimensions_; ++b) {
      if (b != a) beside += std::pow(std::max(0.0, std::abs(middle[b]) - size[b] / 2), 2);
    }
    rules[a] = &nodes_of(nodes_needed(middle[a], std::sqrt(beside), size[a]));
    volume *= size[a];
  }
  const auto square = [&](std::size_t a, std::size_t i) {
    return std::pow(middle[a] + size[a] * (rules[a]->at[i] - 0.5), 2);
  };
  double sum = 0;
  for (std::size_t i = 0; i < rules[0]->at.size(); ++i) {
    for (std::size_t j = 0; j < rules[1]->at.size(); ++j) {
      for (std::size_t k = 0; k < rules[2]->at.size(); ++k) {
        const double r = std::sqrt(square(0, i) + square(1, j) + square(2, k));
        sum += rules[0]->weights[i] * rules[1]->weights[j] * rules[2]->weights[k] * kernel(r);
      }
    }
  }
  return volume * sum;
}

}  // namespace weft::detail
