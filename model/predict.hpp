// What predictions of all kinds of plans share.
#pragma once

#include "walk.hpp"

namespace weft::model {

/// Options of a plan whose ranks lie so, unless they say otherwise.
Options on_nodes(Options options, int ranks_on_node);

/// Where ranks with these options run.
Site site_of(const Machine& machine, const Options& options, int ranks, int ranks_on_node, Precision precision);

/// How a walk with these options goes; `footprint` is a rank's.
Pace pace_of(const Site& site, const Options& options, Kind kind, double footprint);

/// A call's own time, and agreeing on its arguments.
Seconds call_seconds(const Site& site, bool check);

/// Bytes of the user's arrays on a plan's rank.
Index array_bytes(const Plan& plan);

/// Without calls: a plan of all ranks together, and one with the option `groups`.
Prediction price_together(const Plan& plan, const Site& site);
Prediction price_in_groups(const Plan& plan, const Site& site);

/// Moving what is the own group's, and what is that of so many others, which are alike.
Stage moving(const char* name, const Site& site, const detail::Route& own, const detail::Route* other, int others,
             bool to_group, const Pace& pace);

/// An action of the whole transform before or behind its route.
void add_first(Walk& walk, Stage stage);
void add_last(Walk& walk, Stage stage);

}  // namespace weft::model
