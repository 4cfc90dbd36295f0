// Where a pass reads and writes: the pieces of memory that together hold its box.
#pragma once

#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <span>
#include <vector>

#include "exchange/exchange.hpp"
#include "exchange/wire_format.hpp"
#include "execute/copy.hpp"
#include "plan/stages.hpp"

namespace weft::detail {

/// A call of an operator: its function, a PointFunction of the precision, and what that threw first.
struct PointCall {
  const void* function = nullptr;
  std::mutex lock;
  std::exception_ptr failure;
  std::atomic<bool> failed = false;
};

/// The user's arrays of one execution.
struct UserArrays {
  const std::byte* input = nullptr;
  std::byte* output = nullptr;
  // Of spheres:
  Index items = std::numeric_limits<Index>::max();  ///< of the batch, if fewer than were planned
  Index input_item = 0, output_item = 0;            ///< numbers between items, if not as planned
  const std::byte* field = nullptr;                 ///< by which what is in space is multiplied: real numbers, or
  bool field_is_complex = false;                    ///< complex ones
  const double* weights = nullptr;                  ///< of the items that are summed
  const double* imaginary_weights = nullptr;        ///< of the imaginary parts, if not the same
  bool accumulate = false;                          ///< plane waves are added to those that are there
  // Of operators:
  PointCall* call = nullptr;
};

/// The box of the same numbers where the rows along axis 2 are one row.
Box with_rows_joined(const Box& box);
/// The box with its axes 0 and 1 exchanged.
Box with_planes_as_rows(const Box& box);

/// A box of numbers in memory.
struct Piece {
  Box box;
  Strides strides;       ///< in numbers
  Index first_item = 0;  ///< batch item at `base`
  std::byte* base = nullptr;
  Index items = 1;       ///< of the batch, from the first on
  bool encoded = false;  ///< numbers are in the wire format of the view, rows along axis 2 one after the other

  /// Numbers from the base to a point of an item.
  Index offset(Index item, const Shape& point) const {
    return (item - first_item) * strides.item + (point[0] - box.lo[0]) * strides.axis[0] +
           (point[1] - box.lo[1]) * strides.axis[1] + (point[2] - box.lo[2]) * strides.axis[2];
  }
  /// Address of a point of an item; not of encoded ones.
  template <class T>
  T* at(Index item, const Shape& point) const {
    return reinterpret_cast<T*>(base) + offset(item, point);
  }
};

/// One side of a pass: an array, or the blocks of an exchange by tile.
class View {
 public:
  /// The array lies in the workspace or in one of the user's arrays.
  static View of_array(const Array& array, Index batch, std::byte* workspace);
  /// What the pass before an exchange writes, or the pass after it reads.
  static View of_sent(const ExchangePlan& plan, Exchange& exchange, std::byte* workspace);
  static View of_received(const ExchangePlan& plan, Exchange& exchange, std::byte* workspace);

  /// Points a user array's piece at this execution's array.
  void bind(const UserArrays& arrays);

  /// Points of so many numbers each become the numbers along axis 2, which has so many times as many of them: the box
  /// of the pass must, too.
  void widen(Index numbers);

  /// Whether rows along axis 2 are all the numbers [lo, hi), and follow each other along axis 1 without gaps.
  bool rows_follow(Index lo, Index hi) const;
  /// Makes one row of such rows: the boxes of the pass must be joined, too (`with_rows_joined`).
  void join_rows();

  /// Exchanges the axes 0 and 1; those of the boxes of the pass must be, too.
  void swap_planes_and_rows();

  bool is_array() const { return is_array_; }
  /// Neighbours along axis 2 lie side by side in all pieces.
  bool has_rows() const;
  /// Some pieces are encoded: passes go through copies of them in cache.
  bool encoded() const { return codec_.bytes > 0; }
  /// Of encoded pieces.
  const WireCodec& codec() const { return codec_; }
  /// From now on the largest error of what is encoded is found there.
  void measure_errors(std::atomic<double>& worst) { codec_.worst = &worst; }
  /// Of one number.
  Index number_bytes() const { return number_bytes_; }
  /// From its first number to its last.
  Index bytes() const;
  /// How it is written.
  Store store() const { return store_; }
  void set_store(Store store) { store_ = store; }
  /// Whether what is read comes from memory, not from a cache.
  void set_far(bool far) { far_ = far; }
  /// Whether it pays off to ask the second-level cache for it ahead of time (LookAhead): it comes from further away.
  void set_asked_ahead(bool asked) { asked_ahead_ = asked; }
  bool asked_ahead() const { return asked_ahead_; }
  /// Whether it pays off to read neighbours along `axis` ahead (`read_ahead`): they come from memory, and follow each
  /// other there, as far as prefetchers look.
  bool streams(int axis) const;
  const Piece& array() const { return pieces_.front().front(); }
  /// Whether both are the same array of the user.
  bool lies_where(const View& other, bool in_place) const {
    const bool of_users = is_array_ && other.is_array_ && where_ != Array::Where::work;
    return of_users && (where_ == other.where_ || (in_place && other.where_ != Array::Where::work));
  }
  /// Numbers between neighbours along an axis where that is the same in all pieces, else 0.
  Index distance(int axis) const;
  /// The largest in any piece.
  Index most_distance(int axis) const;
  /// The piece of tiles [first, last) that holds all of the box; null if none does.
  const Piece* piece_of(Index first, Index last, const Box& box) const;
  /// The pieces of tiles [first, last); of an array, its one piece.
  std::span<const std::vector<Piece>> tiles(Index first, Index last) const;

 private:
  /// What is kept in the user's array lies elsewhere in each execution: it is a piece of the view that meets it in
  /// `mine`, and of the other end of the exchange none, since that would only copy it.
  void place_kept(const ExchangePlan& plan, ExchangePlan::Kept mine, Array::Where where);

  bool is_array_ = true;
  Array::Where where_ = Array::Where::work;
  Store store_ = Store::cached;
  bool far_ = false, asked_ahead_ = false;
  Index bytes_ = 0;  ///< of an array
  int number_bytes_ = 0;
  WireCodec codec_;
  std::vector<std::vector<Piece>> pieces_;  ///< by tile
  struct OfUser {
    std::size_t tile, piece;
    Index offset;  ///< bytes, of its item 0 from the array's
    Index item;    ///< numbers from item to item, unless an execution says otherwise
  };
  std::vector<OfUser> of_user_;  ///< pieces that lie in a user's array: that of `where_`
};

}  // namespace weft::detail
