// One driver for what is explored by layers: whatever steps make, in whatever store keeps layers.
//
// A layer has the states that runs with one key reach, and no runs with a smaller key. Nothing is noted of a state, neither
// its steps nor how it was reached: steps are made again where they are needed, and a run is found backwards.
//
//   Steps   makes the steps of a state, which is a number of words:
//             each(key, state, visit)     visit(key, successor) for each step; returns what is to be noted of the state, or 0
//             static next(key)            the least key that a step may lead to
//             static leads(from, to)      may a step lead from a state with one key to one with the other?
//             stopped()                   a limit that was hit within a state: not all of its steps are known
//   Store   keeps layers, in memory (layers_in_memory.hpp) or on disk (layers_on_disk.hpp):
//             explore(noted)              explores what comes next; false: nothing does, or a limit was hit
//             before(steps, key, state)   a state, with its key, from which a step leads there
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "core/function_ref.hpp"
#include "core/layer_key.hpp"

namespace stormproof {

using StateWords = std::vector<std::uint64_t>;
using VisitStep = FunctionRef<void(LayerKey, const std::uint64_t*)>;

// A state of which something was noted when its steps were made.
struct Noted {
    LayerKey key = 0;
    StateWords state;
    std::uint64_t what = 0;
};

template <class Steps, class Store>
class Layers {
  public:
    explicit Layers(Store& store) : store_(store) {}

    // The least state of the first layer in which something is noted; what comes after that layer is not explored.
    std::optional<Noted> first_noted() {
        std::vector<Noted> noted;
        while (store_.explore(noted) && noted.empty()) {}
        const auto least = std::min_element(noted.begin(), noted.end(), [](const Noted& a, const Noted& b) {
            return std::tie(a.key, a.state) < std::tie(b.key, b.state);
        });
        return least == noted.end() ? std::nullopt : std::optional(std::move(*least));
    }

    // The states of a run that leads there, from the initial one on.
    std::vector<StateWords> way_to(const Noted& end, Steps& steps) {
        std::vector<StateWords> path{end.state};
        for (LayerKey key = end.key; key != 0;) {
            Noted before = store_.before(steps, key, path.back());
            key = before.key;
            path.push_back(std::move(before.state));
        }
        std::reverse(path.begin(), path.end());
        return path;
    }

  private:
    Store& store_;
};

}  // namespace stormproof
