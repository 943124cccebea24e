// Reachability from Python: configurations are (control, contents) with everything a number.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/bind.hpp"
#include "questions/coverability.hpp"

namespace nb = nanobind;
using namespace stormproof;

using Numbers = std::vector<std::uint32_t>;
using PlainConfiguration = std::tuple<Numbers, std::vector<Numbers>>;
using PlainWeights =
    std::tuple<std::vector<std::vector<std::int64_t>>, std::vector<std::vector<std::int64_t>>, std::int64_t>;
using PlainDemand = std::tuple<std::uint32_t, std::optional<bool>, bool, Numbers, std::optional<std::uint16_t>>;
using PlainCube = std::tuple<std::vector<std::vector<std::uint8_t>>, std::vector<PlainDemand>, bool, bool>;

static Text text(const Numbers& numbers) { return Text(numbers.begin(), numbers.end()); }
static Numbers numbers(const Text& text) { return Numbers(text.begin(), text.end()); }

static Configuration configuration(const PlainConfiguration& plain) {
    Configuration at{text(std::get<0>(plain)), {}};
    for (const auto& content : std::get<1>(plain)) at.contents.push_back(text(content));
    return at;
}

static PlainConfiguration plain(const Configuration& at) {
    std::vector<Numbers> contents;
    for (const auto& content : at.contents) contents.push_back(numbers(content));
    return {numbers(at.control), contents};
}

static std::vector<PlainConfiguration> plain(const std::vector<Configuration>& many) {
    std::vector<PlainConfiguration> out;
    for (const auto& at : many) out.push_back(plain(at));
    return out;
}

static Cube cube_of(const PlainCube& plain) {
    Cube cube{std::get<0>(plain), {}, std::get<2>(plain), std::get<3>(plain)};
    for (const auto& [channel, crash, exact, messages, head] : std::get<1>(plain))
        cube.channels.push_back({channel, crash, exact, text(messages), head});
    return cube;
}

static CoverResult run_cover(const System& system, const std::vector<ChannelForm>& forms, const Controls& controls,
                             const std::vector<PlainConfiguration>& targets, const std::vector<PlainWeights>& weights,
                             Monitor& monitor) {
    std::vector<Configuration> from;
    for (const auto& t : targets) from.push_back(configuration(t));
    std::vector<Weights> invariants;
    for (const auto& [states, messages, bound] : weights) invariants.push_back({states, messages, bound});
    nb::gil_scoped_release unlocked;
    return cover(system, forms, controls, from, invariants, monitor);
}

static ForwardResult run_forward(const System& system, const std::vector<ChannelForm>& forms,
                                 const std::vector<PlainCube>& goal, std::uint32_t k, bool summarise,
                                 std::optional<std::uint64_t> max_states, Monitor& monitor) {
    std::vector<Cube> cubes;
    for (const auto& c : goal) cubes.push_back(cube_of(c));
    nb::gil_scoped_release unlocked;
    return forward(system, forms, cubes, k, summarise, max_states, monitor);
}

static void bind_inputs(nb::module_& m) {
    nb::enum_<ChannelForm>(m, "ChannelForm", "How the content of a channel is kept.")
        .value("QUEUE", ChannelForm::queue)
        .value("MULTISET", ChannelForm::multiset)
        .value("LENGTH", ChannelForm::length);
    m.attr("BEHIND") = static_cast<std::uint32_t>(behind);
    nb::class_<Controls>(m, "Controls")
        .def("__init__",
             [](Controls* self, const System& system, Monitor& monitor) {
                 nb::gil_scoped_release unlocked;
                 new (self) Controls(system, monitor);
             },
             nb::arg("system"), nb::arg("monitor"), nb::keep_alive<1, 2>())
        .def_ro("stop", &Controls::stop)
        .def_prop_ro("rows", [](const Controls& self) {
            std::vector<Numbers> out;
            for (const auto& row : self.rows()) out.push_back(numbers(row));
            return out;
        });
}

static void bind_results(nb::module_& m) {
    nb::class_<TakenStep>(m, "TakenStep")
        .def_prop_ro("process", [](const TakenStep& s) { return optional_number(s.process); })
        .def_ro("transition", &TakenStep::transition)
        .def_prop_ro("channel", [](const TakenStep& s) { return optional_number(s.channel); })
        .def_ro("choice", &TakenStep::choice)
        .def_ro("becomes", &TakenStep::becomes);
    nb::class_<CoverResult>(m, "CoverResult")
        .def_ro("stop", &CoverResult::stop)
        .def_ro("covered", &CoverResult::covered)
        .def_ro("kept", &CoverResult::kept)
        .def_ro("made", &CoverResult::made)
        .def_ro("pruned", &CoverResult::pruned)
        .def_prop_ro("basis", [](const CoverResult& r) { return plain(r.basis); })
        .def_prop_ro("path", [](const CoverResult& r) { return plain(r.path); })
        .def_ro("steps", &CoverResult::steps);
    nb::class_<ForwardResult>(m, "ForwardResult")
        .def_ro("stop", &ForwardResult::stop)
        .def_ro("found", &ForwardResult::found)
        .def_ro("saturated", &ForwardResult::saturated)
        .def_ro("cube", &ForwardResult::cube)
        .def_ro("states", &ForwardResult::states)
        .def_ro("longest", &ForwardResult::longest)
        .def_prop_ro("configurations", [](const ForwardResult& r) { return plain(r.configurations); })
        .def_ro("steps", &ForwardResult::steps);
}

void bind_coverability(nb::module_& m) {
    bind_inputs(m);
    bind_results(m);
    m.def("cover", &run_cover, nb::arg("system"), nb::arg("forms"), nb::arg("controls"), nb::arg("targets"),
          nb::arg("weights"), nb::arg("monitor"));
    m.def("forward", &run_forward, nb::arg("system"), nb::arg("forms"), nb::arg("goal"), nb::arg("k"),
          nb::arg("summarise"), nb::arg("max_states").none(), nb::arg("monitor"));
}
