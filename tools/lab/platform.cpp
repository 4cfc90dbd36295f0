// The network of a machine file as a SimGrid platform: a library that smpirun loads (-platform). WEFT_LAB_MACHINE names
// the machine as JSON, made from the machine file by weft_lab.
#include <nlohmann/json.hpp>
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#include <simgrid/s4u.hpp>

#include <cstdlib>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
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

/// The links of a route in both directions, made where they are new.
class Network {
 public:
  Network(NetZone& zone, const json& machine) : zone_(zone), network_(machine.at("network")) {}

  /// What connects a node with all others: one bus, the bus of its segment, or a cable of its own to the switch.
  std::pair<std::vector<const Link*>, std::vector<const Link*>> of(int node) {
    if (!network_.at("shared").get<bool>()) {
      // Half of the latency on each of the two cables that a message crosses.
      const std::string name = numbered("n", node);
      return {{link(name + ".up", 0.5)}, {link(name + ".down", 0.5)}};
    }
    const int segment = network_.contains("nodes_per_segment") ? node / network_["nodes_per_segment"].get<int>() : 0;
    const Link* const bus = link(numbered("bus", segment), 1);
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

/// Messages inside a node: each as fast as two processes are, all together as fast as memory copies.
void add_loopback(NetZone& zone, const json& machine, simgrid::s4u::Host* host) {
  const json& inside = machine.at("node");
  Link* const pair = zone.create_link(host->get_name() + ".pair", inside.at("bandwidth").get<double>());
  pair->set_sharing_policy(Link::SharingPolicy::FATPIPE)->set_latency(inside.at("latency").get<double>())->seal();
  Link* const all = zone.create_link(host->get_name() + ".copies", machine.at("memory_bandwidth").get<double>() / 2);
  all->set_latency(0)->seal();
  zone.add_route(host->get_netpoint(), host->get_netpoint(), nullptr, nullptr, route({pair, all}));
}

MessageCost cost_of(const json& part) { return {part.value("gap", 0.0), part.value("efficiency", 1.0)}; }

}  // namespace

extern "C" void load_platform(const simgrid::s4u::Engine& engine);
void load_platform(const simgrid::s4u::Engine&) {
  const json machine = read_machine();
  NetZone* const zone = simgrid::s4u::create_star_zone("cluster");
  Network network(*zone, machine);
  const json rates = machine.value("rates", json::object());  // seconds of a unit of work: src/base/simulation.hpp
  for (int node = 0; node < machine.at("nodes").get<int>(); ++node) {
    simgrid::s4u::Host* const host = zone->create_host(numbered("n", node), machine.at("flops").get<double>());
    host->set_core_count(machine.at("cores").get<int>());
    const double memory = machine.at("memory_bandwidth");
    simgrid::s4u::Disk* const disk = host->create_disk("memory", memory, memory);
    if (machine.contains("core_bandwidth")) {
      disk->set_property("core_bandwidth", std::to_string(machine.at("core_bandwidth").get<double>()));
    }
    disk->seal();
    for (const auto& [formula, seconds] : rates.items()) {
      host->set_property("rate." + formula, seconds.dump());
    }
    host->seal();
    const auto [up, down] = network.of(node);
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, route(up), false);
    zone->add_route(nullptr, host->get_netpoint(), nullptr, nullptr, route(down), false);
    add_loopback(*zone, machine, host);
  }
  // A message's time on a link of bandwidth b is gap + bytes / (efficiency b). SimGrid takes that as a factor of b.
  const MessageCost between = cost_of(machine.at("network")), inside = cost_of(machine.at("node"));
  zone->get_network_model()->set_bw_factor_cb(
      [between, inside](double size, const simgrid::s4u::Host* from, const simgrid::s4u::Host* to,
                        const std::vector<Link*>& links, const std::unordered_set<NetZone*>&) {
        const MessageCost& cost = from == to ? inside : between;
        if (links.empty() || size <= 0) return 1.0;
        const double bandwidth = links.front()->get_bandwidth() * cost.efficiency;
        return cost.efficiency * size / (size + cost.gap * bandwidth);
      });
  zone->get_network_model()->set_lat_factor_cb([](double, const simgrid::s4u::Host*, const simgrid::s4u::Host*,
                                                  const std::vector<Link*>&,
                                                  const std::unordered_set<NetZone*>&) { return 1.0; });
  zone->seal();
}
