#include "operator/gauss.hpp"

#include <cmath>
#include <numbers>
#include <utility>

namespace weft::detail {

Quadrature gauss(int n) {
  Quadrature nodes;
  for (int i = 0; i < n; ++i) {
    double x = -std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5)), slope = 1;
    for (int step = 0; step < 8; ++step) {
      double before = 1, p = x;
      for (int k = 2; k <= n; ++k) before = std::exchange(p, ((2 * k - 1) * x * p - (k - 1) * before) / k);
      slope = n * (x * p - before) / (x * x - 1);
      x -= p / slope;
    }
    nodes.at.push_back((1 + x) / 2);
    nodes.weights.push_back(1 / ((1 - x * x) * slope * slope));
  }
  return nodes;
}

}  // namespace weft::detail
