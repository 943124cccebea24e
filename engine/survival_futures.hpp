// What is known of calm futures, passed on from configurations to those before them.
#pragma once

#include "survival_store.hpp"

namespace stormproof::survival {

// Passes the bits of the masks on, from successors to predecessors, among these configurations.
template <class Cell>
void propagate(Store<Cell>& store, const std::vector<std::uint32_t>& list) {
    std::vector<std::uint32_t> begin(list.size() + 1, 0), before, queue;
    for (std::uint32_t i = 0; i < list.size(); ++i) store.nodes[list[i]].place = i;
    for (auto id : list)
        store.each_successor(id, [&](std::uint32_t to) {
            if (store.nodes[to].place != nothing) ++begin[store.nodes[to].place + 1];
            else store.nodes[id].mask |= store.nodes[to].mask;
        });
    for (std::size_t i = 0; i < list.size(); ++i) begin[i + 1] += begin[i];
    before.resize(begin.back());
    std::vector<std::uint32_t> fill(begin.begin(), begin.end() - 1);
    for (auto id : list)
        store.each_successor(id, [&](std::uint32_t to) {
            if (store.nodes[to].place != nothing) before[fill[store.nodes[to].place]++] = id;
        });
    for (auto id : list)
        if (store.nodes[id].mask) queue.push_back(id);
    while (!queue.empty()) {
        const Node& node = store.nodes[queue.back()];
        queue.pop_back();
        for (std::uint32_t i = begin[node.place]; i < begin[node.place + 1]; ++i) {
            Node& earlier = store.nodes[before[i]];
            if ((earlier.mask | node.mask) == earlier.mask) continue;
            earlier.mask |= node.mask;
            queue.push_back(before[i]);
        }
    }
    for (auto id : list) store.nodes[id].place = nothing;
}

}  // namespace stormproof::survival
