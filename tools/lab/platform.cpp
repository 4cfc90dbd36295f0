// The network of a machine file as a SimGrid platform: a library that smpirun loads (-platform). WEFT_LAB_MACHINE names
// the machine as JSON, made by weft.lab with every figure that the model has of it.
#include <smpi/smpi.h>
#include <nlohmann/json.hpp>
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#include <simgrid/s4u.hpp>

#include <cstdlib>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using nlohmann::json;
using simgrid::s4u::Link;
using simgrid::s4u::LinkInRoute;
using simgrid::s4u::NetZone;

/// What a link costs beside its bytes: a message occupies it for `gap` seconds more, and of each second `efficiency` is
/// payload.
struct MessageCost {
  double gap = 0, efficiency = 1;
};

/// Messages that share a link at one time; the others queue, as they do at a network card. (Sharing among thousands of
/// them at once would also take SimGrid minutes to compute.)
constexpr int messages_at_once = 4;

json read_machine() {
  const char* path = std::getenv("WEFT_LAB_MACHINE");
  if (path == nullptr) throw std::runtime_error("WEFT_LAB_MACHINE is not set; it names the machine's JSON file");
  std::ifstream file(path);
  if (!file) throw std::runtime_error(std::string("WEFT_LAB_MACHINE is '") + path + "', which cannot be read");
  return json::parse(file);
}

std::string numbered(std::string name, int number) { return name += std::to_string(number); }

/// The links of a route in both directions, made where they are new: of a switch or of shared wires.
class Wires {
 public:
  Wires(NetZone& zone, const json& machine) : zone_(zone), network_(machine.at("network")) {}

  /// What connects a node with all others: one bus, the bus of its segment, or a cable of its own to the switch.
  std::pair<std::vector<const Link*>, std::vector<const Link*>> of(int node) {
    if (!network_.at("shared").get<bool>()) {
      // Half of the latency on each of the two cables that a message crosses.
      const std::string name = numbered("n", node);
      return {{link(name + ".up", 0.5)}, {link(name + ".down", 0.5)}};
    }
    const int each = network_.at("nodes_per_segment");  // 0: all
    const Link* const bus = link(numbered("bus", each > 0 ? node / each : 0), 1);
    return {{bus}, {bus}};
  }

 private:
  const Link* link(const std::string& name, double latency_part) {
    Link*& one = links_[name];
    if (one == nullptr) {
      one = zone_.create_link(name, network_.at("bandwidth").get<double>());
      one->set_latency(latency_part * network_.at("latency").get<double>());
      one->set_concurrency_limit(messages_at_once)->seal();
    }
    return one;
  }

  NetZone& zone_;
  const json& network_;
  std::map<std::string, Link*> links_;
};

std::vector<LinkInRoute> route(const std::vector<const Link*>& links) {
  std::vector<LinkInRoute> all;
  for (const Link* link : links) all.emplace_back(link);
  return all;
}

/// Messages inside a node, those that wait for their receiver: each as fast as two processes are, all together as fast
/// as memory copies.
void add_loopback(NetZone& zone, const json& machine, simgrid::s4u::Host* host) {
  const json& inside = machine.at("node");
  Link* const pair = zone.create_link(host->get_name() + ".pair", inside.at("bandwidth").get<double>());
  pair->set_sharing_policy(Link::SharingPolicy::FATPIPE)->set_latency(inside.at("latency").get<double>())->seal();
  Link* const all = zone.create_link(host->get_name() + ".copies", machine.at("memory_bandwidth").get<double>() / 2);
  all->set_latency(0)->seal();
  zone.add_route(host->get_netpoint(), host->get_netpoint(), nullptr, nullptr, route({pair, all}));
}

/// A node as part of `zone`.
simgrid::s4u::Host* add_node(NetZone& zone, const json& machine, int node) {
  simgrid::s4u::Host* const host = zone.create_host(numbered("n", node), machine.at("flops").get<double>());
  host->set_core_count(machine.at("cores").get<int>());
  const double memory = machine.at("memory_bandwidth");
  simgrid::s4u::Disk* const disk = host->create_disk("memory", memory, memory);
  const double core = machine.at("core_bandwidth");
  if (core < memory) disk->set_property("core_bandwidth", std::to_string(core));
  disk->seal();
  const json rates = machine.value("rates", json::object());  // seconds of a unit of work: src/base/simulation.hpp
  for (const auto& [formula, seconds] : rates.items()) host->set_property("rate." + formula, seconds.dump());
  host->seal();
  add_loopback(zone, machine, host);
  return host;
}

/// Nodes on one switch, or on shared wires.
NetZone* create_flat(const json& machine) {
  NetZone* const zone = simgrid::s4u::create_star_zone("cluster");
  Wires wires(*zone, machine);
  for (int node = 0; node < machine.at("nodes").get<int>(); ++node) {
    simgrid::s4u::Host* const host = add_node(*zone, machine, node);
    const auto [up, down] = wires.of(node);
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, route(up), false);
    zone->add_route(nullptr, host->get_netpoint(), nullptr, nullptr, route(down), false);
  }
  return zone;
}

/// Nodes on switches joined as a fat tree or a dragonfly: a message crosses the cards of both nodes, and a cable for
/// each hop between switches. Routes are SimGrid's: fixed ones (destination modulo, minimal).
NetZone* create_switches(const json& machine) {
  const json& topology = machine.at("topology");
  const double bandwidth = machine.at("network").at("bandwidth");
  const auto number = [&](const char* key) { return topology.at(key).get<unsigned>(); };
  const simgrid::s4u::ClusterCallbacks nodes([&](NetZone* parent, const std::vector<unsigned long>&, unsigned long id) {
    const int node = static_cast<int>(id);
    NetZone* const zone = simgrid::s4u::create_star_zone(numbered("node", node));
    zone->set_parent(parent);
    simgrid::kernel::routing::NetPoint* const gate = zone->create_router(numbered("gate", node));
    simgrid::s4u::Host* const host = add_node(*zone, machine, node);
    for (const bool up : {true, false}) {
      Link* const card = zone->create_link(numbered("n", node) + (up ? ".up" : ".down"), bandwidth);
      card->set_latency(0)->set_concurrency_limit(messages_at_once)->seal();
      zone->add_route(up ? host->get_netpoint() : nullptr, up ? nullptr : host->get_netpoint(), nullptr, nullptr,
                      route({card}), false);
    }
    zone->seal();
    return std::pair{zone->get_netpoint(), gate};
  });
  const double hop = topology.at("hop_latency");
  const auto duplex = Link::SharingPolicy::SPLITDUPLEX;
  if (topology.at("kind") == "fat-tree") {
    const simgrid::s4u::FatTreeParams tree(2, {number("leaf_nodes"), number("leaves")}, {1, number("spines")},
                                           {1, number("cables")});
    return simgrid::s4u::create_fatTree_zone("cluster", nullptr, tree, nodes, bandwidth, hop, duplex);
  }
  const simgrid::s4u::DragonflyParams fly({number("groups"), number("global_cables")}, {1, 1},
                                          {number("group_switches"), number("local_cables")}, number("switch_nodes"));
  return simgrid::s4u::create_dragonfly_zone("cluster", nullptr, fly, nodes, bandwidth, hop, duplex);
}

/// Takes a message out of its node's buffers: as fast as two processes are, and no faster than the node's memory reads
/// and writes for all who copy and compute at the same time. Its latency is work of the processor's, too.
void copy_inside(simgrid::s4u::Host* host, double bytes, double alone) {
  simgrid::s4u::IoPtr moving;
  if (bytes >= 1) moving = host->get_disks().front()->read_async(static_cast<sg_size_t>(2 * bytes));
  simgrid::s4u::this_actor::sleep_for(alone);
  if (moving != nullptr) moving->wait();
}

/// What a message costs the processors at its ends: overheads between nodes; inside a node the receiver's copy of what
/// did not wait for it (SMPI asks for no cost of receiving anything else), which no computation hides.
void charge_processors(const json& machine) {
  const json &network = machine.at("network"), &node = machine.at("node");
  const double overhead = network.at("overhead"), byte = 1 / network.at("copy_bandwidth").get<double>();
  const double latency = node.at("latency").get<double>() + node.at("gap").get<double>();
  const double inside_byte = 1 / node.at("bandwidth").get<double>();
  for (const SmpiOperation operation : {SmpiOperation::SEND, SmpiOperation::ISEND, SmpiOperation::RECV}) {
    smpi_register_op_cost_callback(operation, [=](size_t size, simgrid::s4u::Host* from, simgrid::s4u::Host* to) {
      const auto bytes = static_cast<double>(size);
      if (from != to) return overhead + byte * bytes;
      if (operation == SmpiOperation::RECV) copy_inside(to, bytes, latency + inside_byte * bytes);
      return 0.0;
    });
  }
}

}  // namespace

extern "C" void load_platform(const simgrid::s4u::Engine& engine);
void load_platform(const simgrid::s4u::Engine&) {
  const json machine = read_machine();
  const bool flat = !machine.contains("topology");
  NetZone* const zone = flat ? create_flat(machine) : create_switches(machine);
  // A message's time on a link of bandwidth b is gap + bytes / (efficiency b). SimGrid takes that as a factor of b.
  const json& network = machine.at("network");
  const MessageCost between{network.at("gap"), network.at("efficiency")}, inside{machine.at("node").at("gap")};
  const double eager = machine.at("mpi").at("eager");
  zone->get_network_model()->set_bw_factor_cb(
      [between, inside, eager](double size, const simgrid::s4u::Host* from, const simgrid::s4u::Host* to,
                               const std::vector<Link*>& links, const std::unordered_set<NetZone*>&) {
        constexpr double at_once = 1e9;
        if (links.empty() || size <= 0) return 1.0;
        if (from == to && size < eager) return at_once;  // copy_inside
        const MessageCost& cost = from == to ? inside : between;
        const double bandwidth = links.front()->get_bandwidth() * cost.efficiency;
        return cost.efficiency * size / (size + cost.gap * bandwidth);
      });
  // Cables between switches have a latency each; that of cards and software is added once a message.
  const double ends = flat ? 0.0 : network.at("latency").get<double>();
  zone->get_network_model()->set_lat_factor_cb(
      [ends, eager](double size, const simgrid::s4u::Host* from, const simgrid::s4u::Host* to,
                    const std::vector<Link*>& links, const std::unordered_set<NetZone*>&) {
        if (from == to) return size < eager ? 0.0 : 1.0;  // copy_inside
        double hops = 0;
        for (const Link* link : links) hops += link->get_latency();
        return ends <= 0 || hops <= 0 ? 1.0 : (ends + hops) / hops;
      });
  zone->seal();
  charge_processors(machine);
}
