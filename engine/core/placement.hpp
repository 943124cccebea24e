// In which order to place the parts of a configuration so that what belongs together lies together: processes in the
// order of a breadth-first search over the channels, and each channel after the second of its ends.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "core/system.hpp"

namespace stormproof {

struct Part {
    bool is_channel = false;
    std::uint32_t number = 0;  // of the channel or the process
};

inline std::vector<Part> parts_in_order(const System& system) {
    std::vector<Part> parts;
    std::vector<std::uint8_t> placed(system.processes.size(), false), queued = placed;
    std::deque<std::uint32_t> queue;
    const auto add_channel = [&](std::uint32_t c, std::uint32_t p) {
        const auto [sender, receiver] = std::pair(system.channels[c].sender, system.channels[c].receiver);
        if (sender != p && receiver != p) return;
        if (placed[receiver] && (sender == none || placed[sender])) parts.push_back({true, c});
    };
    const auto enqueue_other = [&](const Channel& channel, std::uint32_t p) {
        if (channel.sender == none || (channel.sender != p && channel.receiver != p)) return;
        const std::uint32_t other = channel.sender == p ? channel.receiver : channel.sender;
        if (!queued[other]) queue.push_back(other);
        queued[other] = true;
    };
    for (std::uint32_t first = 0; first < placed.size(); ++first) {
        if (!queued[first]) queue.push_back(first);
        for (queued[first] = true; !queue.empty(); queue.pop_front()) {
            const std::uint32_t p = queue.front();
            placed[p] = true;
            parts.push_back({false, p});
            for (std::uint32_t c = 0; c < system.channels.size(); ++c) add_channel(c, p);
            for (const Channel& channel : system.channels) enqueue_other(channel, p);
        }
    }
    return parts;
}

}  // namespace stormproof
