// What is known of calm futures, passed on from configurations to those before them.
#pragma once

#include "store/row_store.hpp"

namespace stormproof::survival {

// Takes over the bits of successors, until all that are wanted are there. Returns how many configurations lack some.
template <class Cell, class At>
std::size_t pull_masks(Store<Cell>& store, At at, At end, std::uint32_t wanted) {
    std::size_t lacking = 0;
    for (; at != end; ++at) {
        Node& node = store.nodes[*at];
        for (std::uint32_t i = 0; i < node.degree && (node.mask & wanted) != wanted; ++i)
            node.mask |= store.nodes[store.edges[node.first + i]].mask;
        lacking += (node.mask & wanted) != wanted;
    }
    return lacking;
}

// Passes the bits of the masks on, from successors to predecessors, among these configurations.
template <class Cell>
void propagate_all(Store<Cell>& store, const std::vector<std::uint32_t>& list) {
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

// The same, but for those that have all bits that are wanted: whatever else they have, it is of no interest. Most find them
// by pulling them, against the order of the list and along it in turn. The others have no successor that has them all.
template <class Cell>
void propagate(Store<Cell>& store, const std::vector<std::uint32_t>& list, std::uint32_t wanted) {
    std::size_t before = list.size(), lacking = 0;
    for (bool against = true;; against = !against, before = lacking) {
        lacking = against ? pull_masks(store, list.rbegin(), list.rend(), wanted) : pull_masks(store, list.begin(), list.end(), wanted);
        if (lacking == 0) return;
        if (lacking > before / 2) break;
    }
    std::vector<std::uint32_t> left;
    for (auto id : list)
        if ((store.nodes[id].mask & wanted) != wanted) left.push_back(id);
    propagate_all(store, left);
}

}  // namespace stormproof::survival
