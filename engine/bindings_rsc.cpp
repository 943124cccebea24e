// search_rsc() from Python.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "rsc.hpp"

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
        .def_ro("firings", &RscResult::firings)
        .def_ro("communication", &RscResult::communication);
    m.def("search_rsc", &search_rsc, nb::arg("system"), nb::arg("monitor"), nb::arg("symmetry") = false,
          nb::arg("symmetry_from") = 20000, nb::call_guard<nb::gil_scoped_release>());
}
