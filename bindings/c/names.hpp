// Properties that are set by name and text.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "handles.hpp"

namespace weft::c {

/// A property of what `Of` describes.
template <class Of>
struct Named {
  const char* name;
  void (*set)(Of&, std::string_view text);
  std::string (*get)(const Of&);
};

/// The row of a table with this name; nothing if there is none.
template <class Of>
const Named<Of>* find(const std::vector<Named<Of>>& table, std::string_view name) {
  for (const Named<Of>& row : table) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

/// The row that must be there; `what` is what the names are of in the message.
template <class Of>
const Named<Of>& need_named(const std::vector<Named<Of>>& table, std::string_view name, std::string_view what) {
  if (const Named<Of>* row = find(table, name)) return *row;
  std::vector<std::string> names;
  for (const Named<Of>& row : table) names.emplace_back(row.name);
  throw Error(detail::unknown(what, name, names));
}

/// What is behind a handle has the member `of`, which the table describes; `what` the handle is in messages.
template <class Handle, class Of>
int set_named(Handle* handle, Of Handle::*of, const char* what, const std::vector<Named<Of>>& table, const char* name,
              const char* value) noexcept {
  return guarded([&] {
    Of& mine = need(handle, what).*of;
    Of changed = mine;
    need_named(table, need_text(name, "name"), "property").set(changed, need_text(value, "value"));
    if constexpr (requires { changed.check(); }) changed.check();
    mine = std::move(changed);
  });
}
template <class Handle, class Of>
int get_named(Handle* handle, Of Handle::*of, const char* what, const std::vector<Named<Of>>& table, const char* name,
              const char** value) noexcept {
  return give_text(handle, what, value, [&](const Handle& mine) {
    return need_named(table, need_text(name, "name"), "property").get(mine.*of);
  });
}

/// A whole number, a number, true or false; Error naming `name`.
Index parse_whole(std::string_view text, std::string_view name);
/// "64x64x64"; "64x64" is that of a plane.
Shape parse_extents(std::string_view text, std::string_view name);
std::string extents_text(const Shape& shape);
/// "1x2x0.5"
void parse_lengths(std::string_view text, std::span<double> lengths);
std::string lengths_text(std::span<const double> lengths);
double parse_number(std::string_view text, std::string_view name);
bool parse_truth(std::string_view text, std::string_view name);
std::string truth(bool value);

/// What problems have names for.
const std::vector<Named<Problem>>& problem_names();

}  // namespace weft::c
