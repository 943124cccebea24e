// decide() from Python: types converted, the lock released, nothing else.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "kproperties.hpp"

namespace nb = nanobind;
using namespace stormproof;

void bind_kproperties(nb::module_& m) {
    nb::class_<End>(m, "End")
        .def_ro("states", &End::states)
        .def_ro("words", &End::words)
        .def_ro("process", &End::process)
        .def_ro("transition", &End::transition)
        .def_ro("channel", &End::channel)
        .def_ro("message", &End::message);

    nb::class_<Violation>(m, "Violation")
        .def_ro("which", &Violation::property)
        .def_ro("moves", &Violation::moves)
        .def_ro("end", &Violation::end)
        .def_ro("ends", &Violation::ends)
        .def_ro("controls", &Violation::controls)
        .def_ro("shortest", &Violation::shortest);

    nb::class_<Answer>(m, "Answer")
        .def_prop_ro("stop", [](const Answer& self) { return static_cast<int>(self.stop); })
        .def_ro("states", &Answer::states)
        .def_ro("transitions", &Answer::transitions)
        .def_ro("memory", &Answer::peak_bytes)
        .def_ro("words", &Answer::words)
        .def_ro("sweeps", &Answer::sweeps)
        .def_ro("components", &Answer::components)
        .def_ro("reduced", &Answer::reduced)
        .def_ro("explored_seconds", &Answer::explored_seconds)
        .def_ro("explored_cpu", &Answer::explored_cpu)
        .def_ro("decided", &Answer::decided)
        .def_ro("violated", &Answer::violated)
        .def_ro("violations", &Answer::violations);

    m.def(
        "decide",
        [](const System& system, Monitor& monitor, std::uint32_t k, std::uint32_t properties, std::uint32_t threads,
           bool reduction, bool components, bool explore_only, std::uint64_t parallel_from,
           std::uint64_t witness_budget) {
            nb::gil_scoped_release unlocked;
            Question question{k, properties, threads, reduction, components, explore_only, parallel_from, witness_budget};
            return decide(system, question, monitor);
        },
        nb::arg("system"), nb::arg("monitor"), nb::arg("k"), nb::arg("properties"), nb::arg("threads"),
        nb::arg("reduction") = false, nb::arg("components") = false, nb::arg("explore_only") = false,
        nb::arg("parallel_from") = Question{}.parallel_from, nb::arg("witness_budget") = Question{}.witness_budget);
}
