// SpFFT inside a simulator: what it computes between its messages is charged.
#pragma once

namespace weft::tools {

/// Of every rank alike: what the rule needs of a sphere beside SpFFT's serial plans.
struct Sphere {
  double columns = 0;   ///< of all ranks, that are not empty
  double waves = 0;     ///< of all ranks
  bool packed = false;  ///< blocks of messages are packed and unpacked by SpFFT itself
};

/// Of the transforms whose plans are made from now on. To be called by all ranks before any plan is made.
void charge_for(const Sphere& sphere);

}  // namespace weft::tools
