// A pass without transforms: from an array to the blocks of an exchange, or from blocks to an array. What is encoded is
// decoded into cache before it goes on.
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
    if (in_.encoded()) scratch_bytes_ = std::min(planes_, std::max<Index>(pass.in.extent(0), 0)) * plane;
  }

  Index scratch_bytes() const override { return scratch_bytes_; }
  void use_scratch(std::byte* scratch, Index of_thread, int) override {
    scratch_ = scratch;
    of_thread_ = of_thread;
  }
  void bind(const UserArrays& arrays) override {
    in_.bind(arrays);
    out_.bind(arrays);
  }
  Index chunks(Index unit) const override {
    const Unit& u = pass_.units[static_cast<std::size_t>(unit)];
    return u.in.empty() ? 0 : ceil_divide(u.in.extent(0), planes_) * u.items.count();
  }

  void run(Index unit, Turn turn, int thread, MemoryTraffic& traffic) override {
    const Unit& u = pass_.units[static_cast<std::size_t>(unit)];
    const Index per_item = ceil_divide(u.in.extent(0), planes_);
    const Index item = u.items.lo + turn.chunk / per_item;
    Box region = u.in;
    region.lo[0] += turn.chunk % per_item * planes_;
    region.hi[0] = std::min(region.hi[0], region.lo[0] + planes_);
    for (const auto& from_tile : in_.tiles(u.first_in, u.last_in)) {
      for (const Piece& from : from_tile) {
        const Box part = intersect(from.box, region);
        if (part.empty()) continue;
        const T* numbers = from.at<const T>(item, part.lo);
        Shape strides = from.strides.axis;
        if (from.encoded) {
          T* const decoded = reinterpret_cast<T*>(scratch_ + thread * of_thread_);
          strides = {part.extent(1) * part.extent(2), part.extent(2), 1};
          read_piece(in_, from, item, part, decoded, strides);
          numbers = decoded;
        }
        for (const auto& to_tile : out_.tiles(u.out_tile, u.out_tile + 1)) {
          for (const Piece& to : to_tile) {
            const Box box = intersect(to.box, part);
            if (box.empty()) continue;
            write_piece(out_, to, item, box, numbers + offset_in(part, box.lo, strides), strides, Unscaled{});
            traffic.read += pass_.bytes_read(box.count());
            traffic.written += pass_.bytes_written(box.count());
          }
        }
      }
    }
  }

 private:
  const Pass& pass_;
  View in_, out_;
  Index planes_ = 1;
  Index scratch_bytes_ = 0, of_thread_ = 0;
  std::byte* scratch_ = nullptr;
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
