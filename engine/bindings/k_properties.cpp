// decide() from Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <set>

#include "bindings/bind.hpp"
#include "questions/k_properties.hpp"

namespace nb = nanobind;
using namespace stormproof;

static std::set<Property> members(const PropertySet& properties) {
    std::set<Property> out;
    for (Property property : all_properties)
        if (properties.has(property)) out.insert(property);
    return out;
}

static Answer run_decide(const System& system, Monitor& monitor, std::uint32_t k, const std::set<Property>& properties,
                         std::uint32_t threads, bool reduction, bool components, std::uint64_t parallel_from,
                         std::uint64_t witness_budget, std::optional<std::size_t> every_end,
                         std::uint64_t reduce_from, const std::set<Property>& optional, bool symmetry,
                         std::uint64_t symmetry_from, const DiskOptions& disk, bool compact) {
    nb::gil_scoped_release unlocked;
    Question question;
    question.k = k;
    for (Property property : properties) question.properties.add(property);
    question.threads = threads;
    question.reduction = reduction;
    question.components = components;
    question.parallel_from = parallel_from;
    question.witness_budget = witness_budget;
    question.reduce_from = reduce_from;
    question.symmetry = symmetry;
    question.symmetry_from = symmetry_from;
    question.disk = disk;
    question.compact = compact;
    for (Property property : optional) question.optional.add(property);
    question.every_end = every_end.has_value();
    question.max_ends = every_end.value_or(question.max_ends);
    return decide(system, question, monitor);
}

static void bind_answer(nb::module_& m) {
    nb::class_<End>(m, "End")
        .def_ro("states", &End::states)
        .def_ro("contents", &End::contents)
        .def_ro("process", &End::process)
        .def_ro("transition", &End::transition)
        .def_ro("channel", &End::channel)
        .def_ro("message", &End::message);

    nb::class_<Violation>(m, "Violation")
        .def_ro("which", &Violation::property)  // `property` would hide the decorator in the stub
        .def_ro("firings", &Violation::firings)
        .def_ro("end", &Violation::end)
        .def_ro("ends", &Violation::ends)
        .def_ro("shortest", &Violation::shortest);

    nb::class_<Answer>(m, "Answer")
        .def_ro("stop", &Answer::stop)
        .def_ro("states", &Answer::states)
        .def_ro("transitions", &Answer::transitions)
        .def_ro("memory", &Answer::peak_bytes)
        .def_ro("problem", &Answer::problem)
        .def_ro("on_disk", &Answer::on_disk)
        .def_ro("words", &Answer::words)
        .def_ro("reduced", &Answer::reduced)
        .def_ro("compact", &Answer::compact)
        .def_ro("symmetries", &Answer::symmetries)
        .def_ro("explored_seconds", &Answer::explored_seconds)
        .def_ro("explored_cpu", &Answer::explored_cpu)
        .def_prop_ro("decided", [](const Answer& self) { return members(self.decided); })
        .def_prop_ro("violated", [](const Answer& self) { return members(self.violated); })
        .def_ro("violations", &Answer::violations);
}

void bind_k_properties(nb::module_& m) {
    nb::enum_<Property>(m, "Property", "The k-properties, named as users write them, in capitals.")
        .value("K_EXH", Property::exh)
        .value("K_EXH_LITERAL", Property::exh_literal)
        .value("K_EXH_UP_TO_CRASH", Property::exh_up_to_crash)
        .value("K_ER", Property::er)
        .value("K_WER", Property::wer)
        .value("K_ER_UP_TO_CRASH", Property::er_up_to_crash)
        .value("K_PG", Property::pg)
        .value("K_OBI", Property::obi)
        .value("K_SIBI", Property::sibi);
    bind_answer(m);
    m.attr("MAX_CONFIGURATION_BITS") = 64 * max_words;
    m.def("decide", &run_decide, nb::arg("system"), nb::arg("monitor"), nb::arg("k"), nb::arg("properties"),
          nb::arg("threads"), nb::arg("reduction") = false, nb::arg("components") = false,
          nb::arg("parallel_from") = Question{}.parallel_from, nb::arg("witness_budget") = Question{}.witness_budget,
          nb::arg("every_end") = nb::none(), nb::arg("reduce_from") = Question{}.reduce_from,
          nb::arg("optional") = std::set<Property>{}, nb::arg("symmetry") = false,
          nb::arg("symmetry_from") = Question{}.symmetry_from, nb::arg("disk") = DiskOptions{},
          nb::arg("compact") = false);
}
