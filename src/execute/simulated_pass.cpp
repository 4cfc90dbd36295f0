#include "execute/simulated_pass.hpp"

#include <utility>

#include "base/simulation.hpp"
#include "plan/cost.hpp"

namespace weft::detail {

namespace {

class SimulatedPass final : public PassRunner {
 public:
  SimulatedPass(const Pass& pass, std::unique_ptr<PassRunner> inner) : pass_(pass), inner_(std::move(inner)) {}

  Index scratch_bytes() const override { return inner_->scratch_bytes(); }
  void use_scratch(std::byte* scratch, Index of_thread, int threads) override {
    inner_->use_scratch(scratch, of_thread, threads);
  }
  void bind(const UserArrays& arrays) override {
    items_ = arrays.items;
    inner_->bind(arrays);
  }
  Index chunks(Index unit) const override { return inner_->chunks(unit); }
  const PassBinding* binding() const override { return inner_->binding(); }
  void run(Index unit, Turn turn, int thread, MemoryTraffic& traffic) override {
    if (!sizes_only_) inner_->run(unit, turn, thread, traffic);
    charge(work_of(pass_, pass_.units[static_cast<std::size_t>(unit)], items_) / inner_->chunks(unit));
  }

 private:
  const Pass& pass_;
  std::unique_ptr<PassRunner> inner_;
  const bool sizes_only_ = sizes_only();
  Index items_ = 0;  ///< of the batch, in this execution
};

}  // namespace

std::unique_ptr<PassRunner> make_simulated_pass(const Pass& pass, std::unique_ptr<PassRunner> inner) {
  return std::make_unique<SimulatedPass>(pass, std::move(inner));
}

}  // namespace weft::detail
