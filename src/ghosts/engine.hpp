// Ghost layers, bound to a communicator and memory.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/mpi.hpp"
#include "exchange/parts_traffic.hpp"
#include "weft/ghosts.hpp"

namespace weft::detail {

/// What GhostExchange is made of.
class GhostEngine {
 public:
  using Moved = GhostExchange<double>::Moved;
  GhostEngine(const Layout& field, const Layout& parts, const Ghosts& ghosts, int real_bytes, Index reals, Index batch,
              Index numbers, MPI_Comm comm, bool check);

  const std::vector<Box>& field_boxes() const { return field_.boxes(); }
  const std::vector<Box>& part_boxes() const { return part_.boxes(); }
  Box field_box() const { return only_one(field_, "the field", fields_are_several_); }
  Box part_box() const { return only_one(part_, "the parts", parts_are_several_); }
  Index field_size() const { return size_of(field_); }
  Index part_size() const { return size_of(part_); }

  Moved scatter(const void* field, void* parts);
  Moved gather(const void* parts, void* field);
  Moved accumulate(const void* parts, void* field);
  Moved update(void* parts);
  Moved fold(void* parts);
  void raise_any(const std::string& message) const;

 private:
  Index size_of(const BoxArray& array) const { return batch_ * array.count() * numbers_; }
  Index bytes_of(const BoxArray& array) const { return size_of(array) * number_bytes_; }
  Box only_one(const BoxArray& array, const char* name, bool several) const;
  /// Runs `check`, and finds out whether all ranks make the same call, if that is wanted. Collective then.
  enum class Call : unsigned char { scatter, gather, accumulate, update, fold };
  void agree(std::optional<Call> call, const std::function<void()>& check) const;
  void check_array(const void* array, const BoxArray& boxes, const char* name) const;
  void check_arrays(const void* field, const void* parts) const;

  Communicator comm_;
  bool check_;
  Index batch_, numbers_;
  int number_bytes_;
  bool fields_are_several_, parts_are_several_;
  BoxArray field_, part_;
  std::optional<PartsTraffic> field_with_ghosts_, field_alone_, parts_;
};

}  // namespace weft::detail
