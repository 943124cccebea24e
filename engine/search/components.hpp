// Strongly connected components of a graph, each after those that it reaches (Tarjan), and the memory for such arrays.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/limits.hpp"
#include "core/memory.hpp"
#include "store/graph.hpp"

namespace stormproof {

// Arrays beside a graph: they count as memory of the search, and the limit is checked before they grow.
class Beside {
  public:
    explicit Beside(Monitor& monitor) : monitor_(monitor) {}

    std::uint64_t others = 0;  // bytes of the graph and what else there is

    std::uint64_t bytes() const { return bytes_; }
    std::uint64_t peak() const { return peak_; }

    // Makes room for so many entries; new ones are zero.
    template <class T>
    bool take(LargeArray<T>& array, std::uint64_t entries) {
        if (entries <= array.capacity()) return true;
        const std::uint64_t more = (entries - array.capacity()) * sizeof(T);
        if (!monitor_.allows(others + bytes_ + more) || !array.resize(entries)) return false;
        bytes_ += more;
        peak_ = std::max(peak_, others + bytes_);
        monitor_.memory = others + bytes_;
        return true;
    }

  private:
    Monitor& monitor_;
    std::uint64_t bytes_ = 0, peak_ = 0;
};

// With one number per configuration: `unseen`, `done` when its component is complete, else the smallest number of an open
// configuration that it is known to reach.
template <unsigned W>
class Components {
  public:
    static constexpr std::uint32_t unseen = 0, done = UINT32_MAX;

    Components(const Graph<W>& graph, Beside& memory) : g(graph), memory_(memory), low_(graph.shards.size()) {}

    // Makes room for every configuration of the graph; new ones are unseen.
    bool make_room() {
        for (unsigned s = 0; s < g.shards.size(); ++s)
            if (!memory_.take(low_[s], g.shards[s].size)) return false;
        return true;
    }
    void forget() {
        for (unsigned s = 0; s < g.shards.size(); ++s)
            for (std::uint64_t i = 0; i < g.shards[s].size; ++i) set_low(g.number(s, i), unseen);
    }

    // Threads may decide configurations of their own at the same time, while nothing is searched.
    std::uint32_t low(std::uint32_t id) const {
        return low_[g.shard_of(id)][g.local(id)].load(std::memory_order_relaxed);
    }
    void set_low(std::uint32_t id, std::uint32_t to) {
        low_[g.shard_of(id)][g.local(id)].store(to, std::memory_order_relaxed);
    }

    std::uint32_t member(std::uint64_t i) const { return open_[i]; }

    // From an unseen configuration through those that are `wanted`. complete(first, last) is called for each component, whose
    // members are member(first) to member(last - 1). False: there is no memory, `stopped()`, or complete() is false.
    template <class Wanted, class Complete, class Stopped>
    bool search(std::uint32_t root, Wanted&& wanted, Complete&& complete, Stopped&& stopped) {
        depth_ = opened_ = 0;
        clock_ = 1;
        if (!enter(root)) return false;
        while (depth_ > 0) {
            if (stopped()) return false;
            Frame& frame = path_[depth_ - 1];
            if (const std::optional<std::uint32_t> to = g.successor(frame.node, frame.edge)) {
                ++frame.edge;
                const std::uint32_t reached = low(*to);
                if (reached == unseen) {
                    if (wanted(*to) && !enter(*to)) return false;
                } else if (reached != done) {
                    lower(frame, reached);
                }
            } else if (!leave(frame, complete)) {
                return false;
            }
        }
        return true;
    }

  private:
    struct Frame {
        std::uint32_t node;
        std::uint32_t edge : 31;
        std::uint32_t lowered : 1;  // it reaches something older that is still open: not the root of a component
    };

    const Graph<W>& g;
    Beside& memory_;
    std::vector<LargeArray<std::atomic<std::uint32_t>>> low_;
    LargeArray<Frame> path_;
    LargeArray<std::uint32_t> open_;
    std::uint64_t depth_ = 0, opened_ = 0;
    std::uint32_t clock_ = 1;

    template <class T>
    bool longer(LargeArray<T>& stack, std::uint64_t used) {
        return used < stack.capacity() || memory_.take(stack, std::max<std::uint64_t>(4096, 2 * stack.capacity()));
    }

    bool enter(std::uint32_t node) {
        if (!longer(path_, depth_) || !longer(open_, opened_)) return false;
        set_low(node, clock_++);
        path_[depth_++] = {node, 0, 0};
        open_[opened_++] = node;
        return true;
    }

    void lower(Frame& frame, std::uint32_t to) {
        if (to >= low(frame.node)) return;
        set_low(frame.node, to);
        frame.lowered = 1;
    }

    template <class Complete>
    bool leave(const Frame frame, Complete&& complete) {
        --depth_;
        if (frame.lowered) {
            lower(path_[depth_ - 1], low(frame.node));
            return true;
        }
        std::uint64_t first = opened_;
        while (open_[--first] != frame.node) {}
        if (!complete(first, opened_)) return false;
        for (std::uint64_t i = first; i < opened_; ++i) set_low(open_[i], done);
        opened_ = first;
        return true;
    }
};

}  // namespace stormproof
