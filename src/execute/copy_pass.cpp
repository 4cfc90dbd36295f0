// A pass without transforms: from an array to the blocks of an exchange, or from blocks to an array.
#include <algorithm>

#include "base/text.hpp"
#include "execute/gather.hpp"
#include "execute/pass.hpp"

namespace weft::detail {

namespace {

template <class T>
class CopyPass final : public PassRunner {
 public:
  CopyPass(const Pass& pass, View in, View out, Index cache) : pass_(pass), in_(std::move(in)), out_(std::move(out)) {
    const Index plane = std::max<Index>(1, pass.in.extent(1) * pass.in.extent(2) * static_cast<Index>(sizeof(T)));
    planes_ = std::max<Index>(1, cache / plane);
  }

  Index scratch_bytes() const override { return 0; }
  void use_scratch(std::byte*, Index, int) override {}
  void bind(const UserArrays& arrays) override {
    in_.bind(arrays);
    out_.bind(arrays);
  }
  Index chunks(Index unit) const override {
    const Unit& u = pass_.units[static_cast<std::size_t>(unit)];
    return u.in.empty() ? 0 : ceil_divide(u.in.extent(0), planes_) * u.items.count();
  }

  void run(Index unit, Index chunk, int, MemoryTraffic& traffic) override {
    const Unit& u = pass_.units[static_cast<std::size_t>(unit)];
    const Index per_item = ceil_divide(u.in.extent(0), planes_);
    const Index item = u.items.lo + chunk / per_item;
    Box region = u.in;
    region.lo[0] += chunk % per_item * planes_;
    region.hi[0] = std::min(region.hi[0], region.lo[0] + planes_);
    for (const auto& from_tile : in_.tiles(u.first_in, u.last_in)) {
      for (const Piece& from : from_tile) {
        const Box part = intersect(from.box, region);
        if (part.empty()) continue;
        for (const auto& to_tile : out_.tiles(u.out_tile, u.out_tile + 1)) {
          for (const Piece& to : to_tile) {
            const Box box = intersect(to.box, part);
            if (box.empty()) continue;
            copy_box<T>(to.at<T>(item, box.lo), to.strides.axis, from.at<const T>(item, box.lo), from.strides.axis,
                        box.extents(), out_.store());
            traffic.read += box.count() * static_cast<Index>(sizeof(T));
            traffic.written += box.count() * static_cast<Index>(sizeof(T));
          }
        }
      }
    }
  }

 private:
  const Pass& pass_;
  View in_, out_;
  Index planes_ = 1;
};

}  // namespace

std::unique_ptr<PassRunner> make_copy_pass(const Pass& pass, View in, View out, Index cache) {
  switch (pass.in_bytes) {
    case 4: return std::make_unique<CopyPass<Opaque<4>>>(pass, std::move(in), std::move(out), cache);
    case 8: return std::make_unique<CopyPass<Opaque<8>>>(pass, std::move(in), std::move(out), cache);
    case 16: return std::make_unique<CopyPass<Opaque<16>>>(pass, std::move(in), std::move(out), cache);
    default: throw Error(concat("element_bytes is ", pass.in_bytes, "; allowed are 4, 8 and 16"));
  }
}

}  // namespace weft::detail
