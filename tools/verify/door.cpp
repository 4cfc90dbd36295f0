#include "door.hpp"

#include "untyped.hpp"

namespace weft::verify {

namespace {

class CxxDoor final : public Door {
 public:
  CxxDoor(const Problem& problem, MPI_Comm comm, const Options& options) : transform_(problem, comm, options) {}

  Side input() const override { return side(plan().input(), plan().input_size(), plan().input_strides()); }
  Side output() const override { return side(plan().output(), plan().output_size(), plan().output_strides()); }
  Index workspace_bytes() const override { return plan().workspace_bytes(); }
  Plan::Traffic traffic(Direction direction) const override { return plan().traffic(direction); }

  void execute(Direction direction, const void* in, void* out) override { transform_.execute(direction, in, out); }
  Statistics statistics() const override {
    return transform_.visit([](const auto& t) { return t.statistics(); });
  }
  void reset_statistics() override {
    transform_.visit([](auto& t) { t.reset_statistics(); });
  }

 private:
  const Plan& plan() const { return transform_.plan(); }
  Side side(const Layout& layout, Index size, const Plan::Strides& strides) const {
    return {layout.box(plan().rank()), size, strides, boxes_of(layout)};
  }

  bindings::UntypedTransform transform_;
};

}  // namespace

std::unique_ptr<Door> cxx_door(const Problem& problem, MPI_Comm comm, const Options& options) {
  return std::make_unique<CxxDoor>(problem, comm, options);
}

std::vector<Box> boxes_of(const Layout& layout) {
  std::vector<Box> boxes;
  for (int rank = 0; rank < layout.ranks(); ++rank) boxes.push_back(layout.box(rank));
  return boxes;
}

}  // namespace weft::verify
