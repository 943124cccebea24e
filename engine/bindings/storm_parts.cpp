// StormPart and StormJudge from Python: bytes in, bytes out.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/bind.hpp"
#include "search/storm_judge.hpp"

namespace nb = nanobind;
using namespace stormproof;
using survival::StormJudge;
using survival::StormPart;
using survival::StormParts;

static nb::bytes as_bytes(const std::string& data) { return nb::bytes(data.data(), data.size()); }
static std::string as_string(const nb::bytes& data) { return {data.c_str(), data.size()}; }

static std::vector<nb::bytes> as_bytes(const std::vector<std::string>& list) {
    std::vector<nb::bytes> out;
    for (const std::string& data : list) out.push_back(as_bytes(data));
    return out;
}
static std::vector<std::string> as_strings(const std::vector<nb::bytes>& list) {
    std::vector<std::string> out;
    for (const nb::bytes& data : list) out.push_back(as_string(data));
    return out;
}

// What make() returns, with the lock released while it works, as bytes.
template <class Make>
static auto unlocked(Make&& make) {
    decltype(make()) made;
    {
        nb::gil_scoped_release released;
        made = make();
    }
    return as_bytes(made);
}

// The parts behind a Python object, which is asked by name.
class PartsInPython : public StormParts {
  public:
    explicit PartsInPython(nb::object parts) : parts_(std::move(parts)) {}

    std::vector<Stage> run_to(std::uint32_t part, const std::string& words) override {
        nb::gil_scoped_acquire lock;
        std::vector<Stage> out;
        for (nb::handle stage : parts_.attr("run_to")(part, as_bytes(words))) {
            const auto [here, layer, process] = nb::cast<std::tuple<nb::bytes, LayerKey, std::uint32_t>>(stage);
            out.push_back({as_string(here), layer, process});
        }
        return out;
    }
    std::vector<std::string> masks(const std::vector<std::string>& rows) override {
        nb::gil_scoped_acquire lock;
        return as_strings(nb::cast<std::vector<nb::bytes>>(parts_.attr("masks")(as_bytes(rows))));
    }
    std::vector<std::string> full(LayerKey until, std::uint64_t most) override {
        nb::gil_scoped_acquire lock;
        return as_strings(nb::cast<std::vector<nb::bytes>>(parts_.attr("full")(until, most)));
    }

  private:
    nb::object parts_;
};

static void bind_part(nb::module_& m) {
    nb::class_<StormPart>(m, "StormPart")
        .def(nb::init<const System&, const survival::Question&, std::uint32_t, std::uint32_t>(), nb::arg("system"),
             nb::arg("question"), nb::arg("part"), nb::arg("parts"))
        .def("seed", &StormPart::seed)
        .def("next", &StormPart::next)
        .def("expand", [](StormPart& self, LayerKey layer, std::uint32_t open) {
            return unlocked([&] { return self.expand(layer, open); });
        }, nb::arg("layer"), nb::arg("open"))
        .def_prop_ro("expanded", &StormPart::expanded)
        .def("absorb", [](StormPart& self, std::uint32_t part, nb::bytes data) {
            const std::string_view view(data.c_str(), data.size());
            nb::gil_scoped_release released;
            self.absorb(part, view);
        }, nb::arg("part"), nb::arg("data"))
        .def("found", [](const StormPart& self) {
            std::vector<std::pair<std::uint32_t, nb::bytes>> out;
            for (const StormPart::Found& found : self.found()) out.emplace_back(found.ask, as_bytes(found.words));
            return out;
        })
        .def_prop_ro("hit", &StormPart::hit)
        .def("spread", [](StormPart& self) { return unlocked([&] { return self.spread(); }); })
        .def("take", [](StormPart& self, nb::bytes data) {
            const std::string_view view(data.c_str(), data.size());
            nb::gil_scoped_release released;
            self.take(view);
        }, nb::arg("data"))
        .def_prop_ro("spreading", &StormPart::spreading)
        .def("lacking", &StormPart::lacking)
        .def("incomplete", [](StormPart& self) { return unlocked([&] { return self.incomplete(); }); })
        .def("close_level", [](StormPart& self, nb::bytes masks) { self.close_level({masks.c_str(), masks.size()}); },
             nb::arg("masks"))
        .def("masks", [](const StormPart& self, nb::bytes rows) {
            return as_bytes(self.masks({rows.c_str(), rows.size()}));
        }, nb::arg("rows"))
        .def("full", [](StormPart& self, LayerKey until, std::uint64_t most) {
            return unlocked([&] { return self.full(until, most); });
        }, nb::arg("until"), nb::arg("most"))
        .def("find", [](const StormPart& self, nb::bytes words) { return self.find({words.c_str(), words.size()}); },
             nb::arg("words"))
        .def("origin", [](const StormPart& self, std::uint32_t number) {
            const StormPart::Origin from = self.origin(number);
            return std::tuple(from.part, from.number, from.process);
        }, nb::arg("number"))
        .def("layer", &StormPart::layer, nb::arg("number"))
        .def("words", [](const StormPart& self, std::uint32_t number) { return as_bytes(self.words(number)); },
             nb::arg("number"))
        .def_prop_ro("arrival_bytes", &StormPart::arrival_bytes)
        .def_prop_ro("future_bytes", &StormPart::future_bytes)
        .def_prop_ro("size", &StormPart::size)
        .def_prop_ro("expansions", &StormPart::expansions)
        .def_prop_ro("steps", &StormPart::steps)
        .def_prop_ro("bytes", &StormPart::bytes);
}

void bind_storm_parts(nb::module_& m) {
    bind_part(m);
    nb::class_<StormJudge>(m, "StormJudge")
        .def(nb::init<const System&, const survival::Question&, Monitor&, std::uint32_t>(), nb::arg("system"),
             nb::arg("question"), nb::arg("monitor"), nb::arg("parts"), nb::keep_alive<1, 4>())
        .def_prop_ro("open", &StormJudge::open)
        .def_prop_ro("stop", &StormJudge::stop)
        .def("make_room", &StormJudge::make_room, nb::arg("rows"))
        .def("add_layer", [](StormJudge& self, nb::object parts, LayerKey layer, bool hit,
                          const std::vector<std::pair<std::uint32_t, nb::bytes>>& found) {
            PartsInPython there(std::move(parts));
            std::vector<StormPart::Found> plain;
            for (const auto& [ask, words] : found) plain.push_back({ask, as_string(words)});
            nb::gil_scoped_release released;
            self.add_layer(there, layer, hit, plain);
        }, nb::arg("parts"), nb::arg("layer"), nb::arg("hit"), nb::arg("found"))
        .def("judge", [](StormJudge& self, nb::object parts, std::uint32_t level,
                         const std::vector<nb::bytes>& incomplete, std::uint64_t elsewhere) {
            PartsInPython there(std::move(parts));
            const std::vector<std::string> lists = as_strings(incomplete);
            return unlocked([&] { return self.judge(there, level, lists, elsewhere); });
        }, nb::arg("parts"), nb::arg("level"), nb::arg("incomplete"), nb::arg("elsewhere"))
        .def("conclude", &StormJudge::conclude, nb::arg("finished"), nb::arg("configurations"), nb::arg("stored"));
}
