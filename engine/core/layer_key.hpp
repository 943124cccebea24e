// A layer: the faults and the actions of the runs that lead to its configurations, in the order of exploration.
#pragma once

#include <cstdint>

namespace stormproof {

using LayerKey = std::uint64_t;
constexpr LayerKey layer_key(std::uint64_t faults, std::uint64_t actions) { return faults << 32 | actions; }
constexpr std::uint32_t faults_of(LayerKey key) { return static_cast<std::uint32_t>(key >> 32); }
constexpr std::uint32_t actions_of(LayerKey key) { return static_cast<std::uint32_t>(key); }

}  // namespace stormproof
