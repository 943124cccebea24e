// search_rsc() from Python.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bind.hpp"
#include "questions/rsc.hpp"

namespace nb = nanobind;
using namespace stormproof;

void bind_rsc(nb::module_& m) {
    nb::class_<RscResult>(m, "RscResult")
        .def_ro("stop", &RscResult::stop)
        .def_ro("violated", &RscResult::violated)
        .def_ro("shortest", &RscResult::shortest)
        .def_ro("states", &RscResult::states)
        .def_ro("transitions", &RscResult::transitions)
        .def_ro("memory", &RscResult::memory)
        .def_ro("symmetries", &RscResult::symmetries)
        .def_ro("problem", &RscResult::problem)
        .def_ro("on_disk", &RscResult::on_disk)
        .def_ro("compact", &RscResult::compact)
        .def_ro("firings", &RscResult::firings)
        .def_ro("communication", &RscResult::communication);
    m.def(
        "search_rsc",
        [](const System& system, Monitor& monitor, bool symmetry, std::uint32_t threads, std::uint64_t wide_from,
           std::uint64_t parallel_from, const DiskOptions& disk, bool compact) {
            return search_rsc(system, monitor, {symmetry, threads, wide_from, parallel_from, disk, compact});
        },
        nb::arg("system"), nb::arg("monitor"), nb::arg("symmetry") = false, nb::arg("threads") = 1,
        nb::arg("wide_from") = RscOptions{}.wide_from, nb::arg("parallel_from") = RscOptions{}.parallel_from,
        nb::arg("disk") = DiskOptions{}, nb::arg("compact") = false, nb::call_guard<nb::gil_scoped_release>());
}
