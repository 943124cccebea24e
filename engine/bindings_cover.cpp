// Reachability from Python: configurations are (control, words) with everything a number.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "cover.hpp"

namespace nb = nanobind;
using namespace stormproof;

using Numbers = std::vector<std::uint32_t>;
using PlainConfiguration = std::tuple<Numbers, std::vector<Numbers>>;
using PlainVia = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
using PlainWeights =
    std::tuple<std::vector<std::vector<std::int64_t>>, std::vector<std::vector<std::int64_t>>, std::int64_t>;
using PlainChannelGoal = std::tuple<std::uint32_t, int, bool, Numbers, int>;
using PlainCube = std::tuple<std::vector<std::vector<std::uint8_t>>, std::vector<PlainChannelGoal>, bool, bool>;

static Text text(const Numbers& numbers) { return Text(numbers.begin(), numbers.end()); }
static Numbers numbers(const Text& text) { return Numbers(text.begin(), text.end()); }

static Configuration configuration(const PlainConfiguration& plain) {
    Configuration at{text(std::get<0>(plain)), {}};
    for (const auto& word : std::get<1>(plain)) at.contents.push_back(text(word));
    return at;
}

static PlainConfiguration plain(const Configuration& at) {
    std::vector<Numbers> words;
    for (const auto& word : at.contents) words.push_back(numbers(word));
    return {numbers(at.control), words};
}

static std::vector<PlainConfiguration> plain(const std::vector<Configuration>& many) {
    std::vector<PlainConfiguration> out;
    for (const auto& at : many) out.push_back(plain(at));
    return out;
}

static std::vector<PlainVia> plain(const std::vector<Via>& many) {
    std::vector<PlainVia> out;
    for (const auto& v : many) out.emplace_back(v.process, v.transition, v.channel, v.choice, v.becomes);
    return out;
}

static std::vector<Shape> shapes_of(const Numbers& plain) {
    std::vector<Shape> out;
    for (auto s : plain) out.push_back(static_cast<Shape>(s));
    return out;
}

static Cube cube_of(const PlainCube& plain) {
    Cube cube{std::get<0>(plain), {}, std::get<2>(plain), std::get<3>(plain)};
    for (const auto& [channel, mark, exact, word, head] : std::get<1>(plain))
        cube.channels.push_back({channel, mark, exact, text(word), head >= 0, static_cast<char16_t>(head < 0 ? 0 : head)});
    return cube;
}

static CoverResult run_cover(const System& system, const Numbers& shapes, const Controls& controls,
                             const std::vector<PlainConfiguration>& targets, const std::vector<PlainWeights>& weights,
                             Monitor& monitor) {
    std::vector<Configuration> from;
    for (const auto& t : targets) from.push_back(configuration(t));
    std::vector<Weights> invariants;
    for (const auto& [states, messages, bound] : weights) invariants.push_back({states, messages, bound});
    auto forms = shapes_of(shapes);
    nb::gil_scoped_release unlocked;
    return cover(system, forms, controls, from, invariants, monitor);
}

static ForwardResult run_forward(const System& system, const Numbers& shapes, const std::vector<PlainCube>& goal,
                                 std::uint32_t k, bool summarise, std::uint64_t most, Monitor& monitor) {
    std::vector<Cube> cubes;
    for (const auto& c : goal) cubes.push_back(cube_of(c));
    auto forms = shapes_of(shapes);
    nb::gil_scoped_release unlocked;
    return forward(system, forms, cubes, k, summarise, most, monitor);
}

void bind_cover(nb::module_& m) {
    nb::class_<Controls>(m, "Controls")
        .def("__init__",
             [](Controls* self, const System& system, Monitor& monitor) {
                 nb::gil_scoped_release unlocked;
                 new (self) Controls(system, monitor);
             },
             nb::arg("system"), nb::arg("monitor"), nb::keep_alive<1, 2>())
        .def_prop_ro("stop", [](const Controls& self) { return static_cast<int>(self.stop); })
        .def_prop_ro("rows", [](const Controls& self) {
            std::vector<Numbers> out;
            for (const auto& row : self.rows()) out.push_back(numbers(row));
            return out;
        });
    nb::class_<CoverResult>(m, "CoverResult")
        .def_prop_ro("stop", [](const CoverResult& r) { return static_cast<int>(r.stop); })
        .def_ro("covered", &CoverResult::covered)
        .def_ro("kept", &CoverResult::kept)
        .def_ro("made", &CoverResult::made)
        .def_ro("pruned", &CoverResult::pruned)
        .def_prop_ro("basis", [](const CoverResult& r) { return plain(r.basis); })
        .def_prop_ro("path", [](const CoverResult& r) { return plain(r.path); })
        .def_prop_ro("steps", [](const CoverResult& r) { return plain(r.steps); });
    nb::class_<ForwardResult>(m, "ForwardResult")
        .def_prop_ro("stop", [](const ForwardResult& r) { return static_cast<int>(r.stop); })
        .def_ro("found", &ForwardResult::found)
        .def_ro("saturated", &ForwardResult::saturated)
        .def_ro("cube", &ForwardResult::cube)
        .def_ro("states", &ForwardResult::states)
        .def_ro("longest", &ForwardResult::longest)
        .def_prop_ro("configurations", [](const ForwardResult& r) { return plain(r.configurations); })
        .def_prop_ro("steps", [](const ForwardResult& r) { return plain(r.steps); });
    m.def("cover", &run_cover, nb::arg("system"), nb::arg("shapes"), nb::arg("controls"), nb::arg("targets"),
          nb::arg("weights"), nb::arg("monitor"));
    m.def("forward", &run_forward, nb::arg("system"), nb::arg("shapes"), nb::arg("goal"), nb::arg("k"),
          nb::arg("summarise"), nb::arg("most"), nb::arg("monitor"));
}
