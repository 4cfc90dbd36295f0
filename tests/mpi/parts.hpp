// Layouts in which ranks have several boxes.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "case.hpp"
#include "weft/layout.hpp"

namespace weft::test {

/// Boxes of about three for each rank, dealt at random: a rank may have none.
inline Layout patches(const Shape& shape, int ranks, unsigned seed) {
  const int count = 3 * ranks + 1;
  const Layout bricks = *verify::make_layout("bricks:" + std::to_string(seed), shape, count);
  std::mt19937 random(seed);
  std::vector<Box> boxes;
  std::vector<int> owners;
  for (int i = 0; i < count; ++i) {
    boxes.push_back(bricks.box(i));
    owners.push_back(static_cast<int>(random() % static_cast<unsigned>(ranks)));
  }
  return Layout::patches(shape, ranks, boxes, owners);
}

}  // namespace weft::test
