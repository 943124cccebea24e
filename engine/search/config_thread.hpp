// What one thread works with when the k-properties are decided in the compact store.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "core/configuration.hpp"
#include "store/compact_layers.hpp"

namespace stormproof {

template <unsigned W>
struct WalkStep {
    Config<W> config{};
    Place place;
    std::uint64_t fires = 0;      // the goals that an action reaches here
    std::uint32_t number = none;  // of the instruction that is taken
};

// A configuration that has what it needs if the successor with this root has it.
template <unsigned W>
struct Look {
    std::uint64_t root;
    Place place;
    Config<W> config;
    std::uint64_t needed;
    std::optional<Place> after = {};
};

template <unsigned W>
struct ConfigThread : LayerThread {
    explicit ConfigThread(std::uint32_t count) : words(count) {}

    const std::uint32_t words;
    Config<W> config{};  // at hand
    std::uint64_t transitions = 0;
    std::uint64_t unmet = 0;        // while sweeping: the goals that some configuration needs and does not reach so far
    std::uint64_t unmet_count = 0;  // how many such configurations there are
    bool changed = false;
    std::vector<WalkStep<W>> walk;
    std::vector<Look<W>> looks;
    std::uint64_t walks = 0, walked = 0;  // how many there were, and their steps

    void take() { std::copy_n(path.words.begin(), words, config.w); }
    void push(const Config<W>& next) { successors.insert(successors.end(), next.w, next.w + words); }
};

}  // namespace stormproof
