#include <numeric>

#include "weft/model.hpp"

namespace weft::model {

namespace {

struct Words {
  const char *name, *meaning;
};
const Words words[terms] = {
    {"computation", "transforming lines"},           {"memory", "reading and writing memory"},
    {"node", "moving blocks inside a node"},         {"overhead", "the processor's part of messages across nodes"},
    {"latency", "latency of messages across nodes"}, {"rate", "number of messages through a node's link"},
    {"bandwidth", "bytes through a node's link"},    {"synchronisation", "ranks waiting for each other, and calls"},
};

}  // namespace

std::string to_string(Term term) { return words[static_cast<std::size_t>(term)].name; }
std::string meaning(Term term) { return words[static_cast<std::size_t>(term)].meaning; }

double Seconds::sum() const { return std::accumulate(by_term.begin(), by_term.end(), 0.0); }

Seconds& Seconds::operator+=(const Seconds& other) {
  for (std::size_t i = 0; i < terms; ++i) by_term[i] += other.by_term[i];
  return *this;
}

Seconds Prediction::terms() const {
  Seconds sum = forward.terms;
  return sum += backward.terms;
}

}  // namespace weft::model
