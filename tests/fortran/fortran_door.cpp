#include "fortran_door.hpp"

#include <array>
#include <memory>
#include <string>

#include "base/mpi.hpp"
#include "reference.hpp"
#include "weft/weft.h"

extern "C" {  // door.f90.in
void* weft_door_new();
void weft_door_delete(void* door);
void weft_door_option(void* door, const char* name, const char* value);
void weft_door_layout(void* door, int is_input, const int64_t* shape, const int* parts, int count,
                      const weft_box* boxes);
void weft_door_create(void* door, int axes, const int64_t* shape, const char* kind, const char* precision,
                      const char* normalization, int batch, int interleaved, int padded_rows, const int* input_order,
                      const int* output_order, const int64_t* modes, const int64_t* points, int complex_input,
                      int complex_output, int comm);
void weft_door_message(void* door, int length, char* message);
void weft_door_input(void* door, weft_box* box, int64_t* size, int64_t* strides, int64_t* field);
void weft_door_output(void* door, weft_box* box, int64_t* size, int64_t* strides, int64_t* field);
void weft_door_input_of(void* door, int rank, weft_box* box);
void weft_door_output_of(void* door, int rank, weft_box* box);
int64_t weft_door_workspace_bytes(void* door);
void weft_door_traffic(void* door, int direction, weft_traffic* traffic);
void weft_door_statistics(void* door, int64_t* executions, int64_t* messages, int64_t* bytes_sent);
void weft_door_reset_statistics(void* door);
void weft_door_execute(void* door, int direction, const void* in, void* out);
}

namespace weft::verify {

namespace {

Box box_of(const weft_box& box) { return {{box.lo[0], box.lo[1], box.lo[2]}, {box.hi[0], box.hi[1], box.hi[2]}}; }

class FortranDoor final : public Door {
 public:
  FortranDoor(const Problem& problem, MPI_Comm comm, const Options& options)
      : door_(weft_door_new(), weft_door_delete) {
    for (const auto& option : Options::describe()) {
      weft_door_option(door_.get(), option.name.c_str(), options.get(option.name).c_str());
    }
    set_layout(1, options.input);
    set_layout(0, options.output);
    std::string lines = to_string(problem.kind);
    if (lines.find('-') != std::string::npos) {  // Fortran's axes, of which the first is the fastest
      std::string text = to_string(kind_of(lines_of(problem), problem.kind.to_space));
      lines.clear();
      for (std::size_t dash = text.rfind('-'); dash != std::string::npos; dash = text.rfind('-')) {
        lines += text.substr(dash + 1) + '-';
        text.erase(dash);
      }
      lines += text;
    }
    weft_door_create(
        door_.get(), problem.shape.rank(), problem.shape.begin(), lines.c_str(), to_string(problem.precision).c_str(),
        to_string(problem.normalization).c_str(), static_cast<int>(problem.batch), problem.interleaved,
        problem.padded_rows, problem.input_order.data(), problem.output_order.data(), problem.kept_modes().data(),
        problem.kept_points().data(), !problem.real_input(), !problem.real_output(), weft::detail::number_of(comm));
    done();
    MPI_Comm_size(comm, &ranks_);
  }

  Side input() const override { return side(weft_door_input, weft_door_input_of); }
  Side output() const override { return side(weft_door_output, weft_door_output_of); }
  Index workspace_bytes() const override { return weft_door_workspace_bytes(door_.get()); }
  Plan::Traffic traffic(Direction direction) const override {
    weft_traffic t;
    weft_door_traffic(door_.get(), static_cast<int>(direction), &t);
    done();
    return {t.messages,         t.data_messages,         t.bytes,
            t.all_messages,     t.all_data_messages,     t.all_bytes,
            t.network_messages, t.network_data_messages, t.network_bytes};
  }

  void execute(Direction direction, const void* in, void* out) override {
    weft_door_execute(door_.get(), static_cast<int>(direction), in, out);
    done();
  }
  Statistics statistics() const override {
    Statistics out;
    weft_door_statistics(door_.get(), &out.executions, &out.messages, &out.bytes_sent);
    return out;
  }
  void reset_statistics() override { weft_door_reset_statistics(door_.get()); }

 private:
  void set_layout(int is_input, const std::optional<Layout>& layout) {
    if (!layout) return;
    std::vector<weft_box> boxes;
    if (!layout->parts()) {
      for (const Box& b : boxes_of(*layout))
        boxes.push_back({{b.lo[0], b.lo[1], b.lo[2]}, {b.hi[0], b.hi[1], b.hi[2]}});
    }
    const std::array<int, 3> parts = layout->parts().value_or(std::array{0, 0, 0});
    weft_door_layout(door_.get(), is_input, layout->shape().data(), parts.data(), static_cast<int>(boxes.size()),
                     boxes.data());
  }

  /// What has failed, as the exception that it came from.
  void done() const {
    char message[2000];
    weft_door_message(door_.get(), sizeof message, message);
    if (*message != '\0') throw Error(message);
  }

  template <class Ask, class AskRank>
  Side side(const Ask& ask, const AskRank& ask_rank) const {
    Side out;
    weft_box box;
    ask(door_.get(), &box, &out.size, out.strides.axis.data(), &out.strides.field);
    out.box = box_of(box);
    for (int rank = 0; rank < ranks_; ++rank) {
      ask_rank(door_.get(), rank, &box);
      out.boxes.push_back(box_of(box));
    }
    return out;
  }

  std::unique_ptr<void, void (*)(void*)> door_;
  int ranks_ = 0;
};

}  // namespace

std::unique_ptr<Door> fortran_door(const Problem& problem, MPI_Comm comm, const Options& options) {
  return std::make_unique<FortranDoor>(problem, comm, options);
}

}  // namespace weft::verify
