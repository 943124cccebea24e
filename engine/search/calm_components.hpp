// The strongly connected components of calm runs (Tarjan): those that nothing leaves, and those that go round.
#pragma once

#include <algorithm>
#include <string>
#include <unordered_map>

#include "store/row_store.hpp"

namespace stormproof::survival {

struct Components {
    // For each configuration: no calm step leaves its component, nor does a channel grow in it; it lies on a cycle.
    std::vector<std::uint8_t> closed, cyclic;

    template <class Graph>
    Components(const Graph& store, const std::vector<std::uint32_t>& visited)
        : closed(store.size(), 0), cyclic(store.size(), 0), index_(store.size(), 0), low_(store.size(), 0),
          leaves_(store.size(), 0) {
        for (auto root : visited)
            if (!index_[root]) search(store, root);
    }

  private:
    static constexpr std::uint32_t finished = nothing;
    std::vector<std::uint32_t> index_, low_, stack_;
    std::vector<std::uint8_t> leaves_;  // a step leads out of its component, or beyond the slack
    std::uint32_t counter_ = 0;

    template <class Graph>
    void search(const Graph& store, std::uint32_t root) {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> frames{{root, 0}};
        enter(store.nodes[root], root);
        while (!frames.empty()) {
            const std::uint32_t id = frames.back().first;
            const Node& node = store.nodes[id];
            if (frames.back().second < node.degree) {
                const std::uint32_t to = store.edges[node.first + frames.back().second++];
                if (to == id) cyclic[id] = true;
                if (!index_[to]) {
                    enter(store.nodes[to], to);
                    frames.push_back({to, 0});
                } else {
                    meet(id, to, index_[to]);
                }
                continue;
            }
            if (low_[id] == index_[id]) finish(id);
            frames.pop_back();
            if (!frames.empty()) meet(frames.back().first, id, low_[id]);
        }
    }

    void enter(const Node& node, std::uint32_t id) {
        index_[id] = low_[id] = ++counter_;
        leaves_[id] = node.is(hits);
        stack_.push_back(id);
    }

    void meet(std::uint32_t id, std::uint32_t to, std::uint32_t reached) {
        if (index_[to] == finished) leaves_[id] = true;
        else low_[id] = std::min(low_[id], reached);
    }

    void finish(std::uint32_t root) {
        const auto begin = std::find(stack_.rbegin(), stack_.rend(), root).base() - 1;
        const bool stays = std::none_of(begin, stack_.end(), [&](std::uint32_t member) { return leaves_[member]; });
        const bool several = stack_.end() - begin > 1;
        for (auto member = begin; member != stack_.end(); ++member) {
            index_[*member] = finished;
            closed[*member] = stays;
            cyclic[*member] = cyclic[*member] || several;
        }
        stack_.erase(begin, stack_.end());
    }
};

// The local states of configurations, and the calm steps between them, whatever the channels hold.
class ControlGraph {
  public:
    std::vector<Node> nodes;
    std::vector<std::uint32_t> edges;
    std::uint32_t size() const { return static_cast<std::uint32_t>(nodes.size()); }

    template <class Cell>
    ControlGraph(const Store<Cell>& store, const std::vector<std::uint32_t>& visited, std::size_t processes) {
        std::unordered_map<std::string, std::uint32_t> known;
        of_.assign(store.size(), nothing);
        for (auto id : visited) {
            const std::string states(reinterpret_cast<const char*>(store.row(id)), processes * sizeof(Cell));
            of_[id] = known.emplace(states, static_cast<std::uint32_t>(known.size())).first->second;
        }
        std::vector<std::pair<std::uint32_t, std::uint32_t>> steps;
        for (auto id : visited)
            store.each_successor(id, [&](std::uint32_t to) {
                if (of_[id] != of_[to]) steps.emplace_back(of_[id], of_[to]);
            });
        std::sort(steps.begin(), steps.end());
        steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
        nodes.resize(known.size());
        for (const auto& [from, to] : steps) {
            if (nodes[from].degree++ == 0) nodes[from].first = static_cast<std::uint32_t>(edges.size());
            edges.push_back(to);
        }
    }

    // For each configuration: no calm step from here leads to local states from which none leads back.
    std::vector<std::uint8_t> last() const {
        std::vector<std::uint32_t> all(nodes.size());
        for (std::uint32_t i = 0; i < size(); ++i) all[i] = i;
        const Components components(*this, all);
        std::vector<std::uint8_t> last(of_.size(), 0);
        for (std::size_t id = 0; id < of_.size(); ++id) last[id] = of_[id] != nothing && components.closed[of_[id]];
        return last;
    }

  private:
    std::vector<std::uint32_t> of_;  // configuration -> its local states, by number
};

}  // namespace stormproof::survival
