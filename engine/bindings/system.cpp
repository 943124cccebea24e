// The system and the limits of a search, from Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings/bind.hpp"
#include "core/disk_options.hpp"
#include "core/limits.hpp"
#include "core/system.hpp"

namespace nb = nanobind;
using namespace stormproof;

using TransitionTuple =
    std::tuple<std::uint32_t, ActionKind, std::optional<std::uint32_t>, std::uint32_t, std::uint32_t, bool>;

static void add_process(System& self, std::uint32_t states, std::uint32_t initial,
                        const std::vector<TransitionTuple>& transitions,
                        const std::vector<std::uint32_t>& crashed) {
    Process process;
    process.states = states;
    process.initial = initial;
    process.crashed.assign(states, 0);
    for (auto state : crashed) process.crashed.at(state) = 1;
    for (const auto& [source, kind, channel, message, target, fault] : transitions) {
        if (source >= states || target >= states) throw nb::value_error("transition out of range");
        process.transitions.push_back({source, kind, channel.value_or(none), message, target, fault});
    }
    std::stable_sort(process.transitions.begin(), process.transitions.end(),
                     [](const Transition& a, const Transition& b) { return a.source < b.source; });
    self.processes.push_back(std::move(process));
}

static std::vector<std::uint8_t> flags(std::uint32_t size, const std::vector<std::uint32_t>& numbers) {
    if (numbers.empty()) return {};
    std::vector<std::uint8_t> out(size, 0);
    for (auto number : numbers) out.at(number) = 1;
    return out;
}

static void add_channel(System& self, std::optional<std::uint32_t> sender, std::uint32_t receiver,
                        const std::vector<std::pair<std::string, std::vector<std::uint32_t>>>& faults,
                        std::vector<std::uint32_t> pool, std::vector<std::vector<std::uint32_t>> becomes) {
    becomes.resize(self.messages);
    for (auto& others : becomes) std::sort(others.begin(), others.end());
    Channel channel;
    channel.sender = sender.value_or(none);
    channel.receiver = receiver;
    for (const auto& [fault, spared] : faults)
        if (!channel.faults.declare(fault, flags(self.messages, spared)))
            throw nb::value_error("a channel has no such fault");
    channel.pool = std::move(pool);
    channel.faults.becomes = std::move(becomes);
    self.channels.push_back(std::move(channel));
}

static void bind_enums(nb::module_& m) {
    nb::enum_<ActionKind>(m, "ActionKind")
        .value("SEND", ActionKind::send)
        .value("RECEIVE", ActionKind::receive)
        .value("INTERNAL", ActionKind::internal);
    auto faults = nb::enum_<Fault>(m, "Fault", "The kinds of faults that are counted.");
    for (std::size_t kind = 0; kind < fault_kinds; ++kind) faults.value(fault_names[kind], static_cast<Fault>(kind));
    nb::enum_<Stop>(m, "Stop", "The limit that stopped a search; NONE when it ran to its end.")
        .value("NONE", Stop::none)
        .value("TIME", Stop::time)
        .value("MEMORY", Stop::memory)
        .value("STATES", Stop::states)
        .value("INTERRUPTED", Stop::interrupted)
        .value("DISK", Stop::disk);
}

void bind_system(nb::module_& m) {
    bind_enums(m);
    nb::class_<System>(m, "System")
        .def("__init__",
             [](System* self, std::uint32_t messages, std::uint32_t crashes, std::vector<std::uint32_t> sender_of) {
                 new (self) System{{}, {}, messages, crashes, std::move(sender_of)};
             },
             nb::arg("messages"), nb::arg("crashes") = 1, nb::arg("sender_of") = std::vector<std::uint32_t>{})
        .def("add_process", &add_process, nb::arg("states"), nb::arg("initial"), nb::arg("transitions"),
             nb::arg("crashed"))
        .def("add_channel", &add_channel, nb::arg("sender").none(), nb::arg("receiver"), nb::arg("faults"),
             nb::arg("pool"), nb::arg("becomes"))
        .def("keeps_order", [](const System& self, std::uint32_t c) { return !self.channels.at(c).faults.may_overtake(); },
             nb::arg("channel"));

    nb::class_<DiskOptions>(m, "DiskOptions", "Where, and how, an exploration goes on when memory ends.")
        .def("__init__",
             [](DiskOptions* self, std::string directory, std::string version, bool at_once, std::uint64_t records,
                double every, std::uint32_t block_bytes) {
                 new (self) DiskOptions{std::move(directory), std::move(version), at_once, records, every, block_bytes};
             },
             nb::arg("directory"), nb::arg("version"), nb::arg("at_once") = false, nb::arg("records") = 0,
             nb::arg("every") = DiskOptions{}.every, nb::arg("block_bytes") = DiskOptions{}.block_bytes);

    nb::enum_<Phase>(m, "Phase", "What a search is at.")
        .value("EXPLORING", Phase::exploring)
        .value("JUDGING", Phase::judging)
        .value("SHORTENING", Phase::shortening);
    nb::class_<Monitor>(m, "Monitor")
        .def("__init__",
             [](Monitor* self, std::optional<double> seconds, std::optional<std::uint64_t> memory,
                std::optional<std::uint64_t> states) {
                 new (self) Monitor(seconds.value_or(0), memory.value_or(0), states.value_or(0));
             },
             nb::arg("seconds").none(), nb::arg("memory").none(), nb::arg("states").none())
        .def("interrupt", &Monitor::interrupt)
        .def_prop_ro("states", [](const Monitor& self) { return self.states.load(); })
        .def_prop_ro("frontier", [](const Monitor& self) { return self.frontier.load(); })
        .def_prop_ro("memory", [](const Monitor& self) { return self.memory.load(); })
        .def_prop_ro("compact", [](const Monitor& self) { return self.compact.load(); },
                     "Are the configurations in the compact store?")
        .def_prop_ro("phase", [](const Monitor& self) { return self.phase.load(); })
        .def_prop_ro("unjudged", [](const Monitor& self) { return self.unjudged.load(); })
        .def_prop_ro("represented", [](const Monitor& self) { return self.represented.load(); })
        .def_prop_ro("enabled", [](const Monitor& self) { return self.enabled.load(); })
        .def_prop_ro("taken", [](const Monitor& self) { return self.taken.load(); })
        .def_prop_ro("seconds", &Monitor::elapsed);
}
