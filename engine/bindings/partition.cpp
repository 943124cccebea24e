// Partition from Python: bytes in, bytes out.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <set>

#include "bindings/bind.hpp"
#include "search/partition.hpp"

namespace nb = nanobind;
using namespace stormproof;

static std::vector<nb::bytes> as_bytes(const Partition::Outgoing& parts) {
    std::vector<nb::bytes> out;
    for (const std::string& part : parts) out.emplace_back(part.data(), part.size());
    return out;
}

template <class Make>
static std::vector<nb::bytes> outgoing(Make&& make) {
    Partition::Outgoing parts;
    {
        nb::gil_scoped_release unlocked;
        parts = make();
    }
    return as_bytes(parts);
}

static std::unique_ptr<Partition> make(const System& system, std::uint32_t k, const std::set<Property>& properties,
                                       std::uint32_t part, std::uint32_t parts) {
    PropertySet chosen;
    for (Property property : properties) chosen.add(property);
    return make_partition(system, k, chosen, part, parts);
}

static void bind_found(nb::module_& m) {
    nb::class_<Partition::Origin>(m, "Origin")
        .def_ro("part", &Partition::Origin::part)
        .def_ro("number", &Partition::Origin::number)
        .def_ro("firing", &Partition::Origin::firing);
    nb::class_<Partition::Found>(m, "Found")
        .def_ro("which", &Partition::Found::property)
        .def_ro("round", &Partition::Found::round)
        .def_ro("number", &Partition::Found::number)
        .def_prop_ro("key", [](const Partition::Found& self) { return nb::bytes(self.key.data(), self.key.size()); })
        .def_ro("end", &Partition::Found::end);
}

void bind_partition(nb::module_& m) {
    bind_found(m);
    const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
    nb::class_<Partition>(m, "Partition")
        .def_prop_ro("silent", &Partition::silent)
        .def("seed", &Partition::seed)
        .def("expand", [](Partition& self, std::uint64_t round, bool only_silent) {
            return outgoing([&] { return self.expand(round, only_silent); });
        }, nb::arg("round"), nb::arg("only_silent"))
        .def_prop_ro("expanded", &Partition::expanded)
        .def("absorb", [](Partition& self, std::uint32_t part, nb::bytes data, bool only_silent) {
            const std::string_view view(data.c_str(), data.size());
            nb::gil_scoped_release released;
            self.absorb(part, view, only_silent);
        }, nb::arg("part"), nb::arg("data"), nb::arg("only_silent"))
        .def_prop_ro("fresh", &Partition::fresh)
        .def("close_round", &Partition::close_round)
        .def("goal_groups", &Partition::goal_groups)
        .def("start_goals", &Partition::start_goals, nb::arg("group"), unlocked)
        .def("spread", [](Partition& self) { return outgoing([&] { return self.spread(); }); })
        .def("take", [](Partition& self, nb::bytes data) {
            const std::string_view view(data.c_str(), data.size());
            nb::gil_scoped_release released;
            self.take(view);
        }, nb::arg("data"))
        .def_prop_ro("spreading", &Partition::spreading)
        .def("judge", &Partition::judge, unlocked)
        .def("found", &Partition::found)
        .def("origin", &Partition::origin, nb::arg("number"))
        .def_prop_ro("arrival_bytes", &Partition::arrival_bytes)
        .def_prop_ro("future_bytes", &Partition::future_bytes)
        .def_prop_ro("size", &Partition::size)
        .def_prop_ro("steps", &Partition::steps)
        .def_prop_ro("bytes", &Partition::bytes);
    m.def("make_partition", &make, nb::arg("system"), nb::arg("k"), nb::arg("properties"), nb::arg("part"),
          nb::arg("parts"));
}
