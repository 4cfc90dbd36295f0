#include "execute/redistribution_engine.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "plan/options.hpp"
#include "plan/settle.hpp"

namespace weft::detail {

namespace {

Redistribution::Moved moved_by(const Route& route, Index batch, MPI_Comm all) {
  Redistribution::Moved moved;
  for (const Link& link : route.links) {
    if (!link.is_exchange) continue;
    const int bytes = link.exchange.element_bytes;
    for (const Tile& tile : link.exchange.tiles) {
      for (const Block& block : tile.send) moved.bytes_sent += block.count * bytes;
      for (const Block& block : tile.kept) moved.bytes_kept += block.count * bytes;
    }
  }
  if (route.links.empty()) moved.bytes_kept = route.input.bytes(batch);
  WEFT_MPI(all, MPI_Allreduce(&moved.bytes_sent, &moved.bytes_sent_all, 1, MPI_INT64_T, MPI_SUM, all));
  return moved;
}

}  // namespace

RedistributionEngine::RedistributionEngine(const Layout& from, const Layout& to, int element_bytes, MPI_Comm comm,
                                           Index batch, Options options)
    : communicators_(Communicator::duplicate(comm)), batch_(batch) {
  const MPI_Comm all = communicators_.all();
  all_or_none(all, [&] {
    options.apply_environment(Operation::redistribution);
    check_options(options, Operation::redistribution, communicators_.size());
  });
  communicators_.find_nodes(options);
  options = settled(std::move(options), communicators_.size());
  all_or_none(all, [&] {
    if (element_bytes != 4 && element_bytes != 8 && element_bytes != 16) {
      throw Error(concat("element_bytes is ", element_bytes, "; allowed are 4, 8 and 16"));
    }
    if (batch < 1) throw Error(concat("batch is ", batch, "; at least 1 is needed"));
    check_layouts(from, to, communicators_.size());
    for (const Layout* layout : {&from, &to}) {
      if (!layout->has_several()) continue;
      throw Error(
          concat("a layout has ", layout->describe(),
                 "; a redistribution needs one box a rank (a ghost exchange moves several, with ghosts or not)"));
    }
    // Without points there is nothing to move, whoever holds it.
    const Shape& shape = from.shape();
    const bool nothing = std::find(shape.begin(), shape.end(), 0) != shape.end();
    route_ = std::make_shared<const Route>(
        make_redistribution(from, nothing ? from : to, element_bytes, batch, options, communicators_.rank()));
  });
  require_same(all,
               concat("from=", describe_layout(from), " to=", describe_layout(to), " element_bytes=", element_bytes,
                      " batch=", batch, describe_options(options)),
               "the arguments of a redistribution");
  watchers_.emplace(communicators_, options, to_string(from.shape()));
  engine_.emplace(std::vector<NamedRoutes>{{"redistribution", {route_}}}, Problem{}, options, communicators_,
                  *watchers_);
  agreement_.emplace(communicators_, options.check, *watchers_, engine_->statistics());
  moved_ = moved_by(*route_, batch, all);
}

void RedistributionEngine::execute(const void* in, void* out) {
  (*agreement_)(engine_->number(0), {}, [&] {
    check_arrays(in, route_->input.bytes(batch_), out, route_->output.bytes(batch_), communicators_.rank());
  });
  UserArrays arrays;
  arrays.input = static_cast<const std::byte*>(in);
  arrays.output = static_cast<std::byte*>(out);
  engine_->execute(0, arrays);
}

void RedistributionEngine::require_bytes(Index in, Index out) {
  const Index in_needed = route_->input.bytes(batch_), out_needed = route_->output.bytes(batch_);
  if (in >= in_needed && out >= out_needed) return;
  // The others are in an execution, where they agree.
  raise_any(concat("the redistribution was given arrays of ", in, " and ", out, " bytes on rank ",
                   communicators_.rank(), "; at least ", in_needed, " and ", out_needed, " are needed"));
}

void RedistributionEngine::raise_any(const std::string& message) {
  (*agreement_)(engine_->number(0), {}, [&] {
    if (!message.empty()) throw Error(message);
  });
}

}  // namespace weft::detail
