// All shortest runs to a set of configurations of one level, as the control states that they pass through.
//
// A level holds the configurations that so many actions lead to, silent steps aside. The Python side chooses which
// of the shortest runs to show, by a search over channel contents that these control states restrict.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <unordered_set>
#include <vector>

#include "store/graph.hpp"

namespace stormproof {

using States = std::vector<std::uint32_t>;

template <unsigned W>
States states_of(const Machine& m, const Config<W>& c) {
    States out;
    for (const auto& p : m.processes) out.push_back(static_cast<std::uint32_t>(p.state.get(c.w)));
    return out;
}

// The level of each round: how many rounds up to it were reached by actions, the first aside.
template <unsigned W>
std::vector<std::uint32_t> levels(const Graph<W>& g) {
    std::vector<std::uint32_t> out;
    for (const Round& round : g.breadth_first_rounds()) out.push_back(out.empty() ? 0 : out.back() + !round.silent);
    return out;
}

template <unsigned W>
class Slice {
  public:
    explicit Slice(const Graph<W>& graph) : g(graph) {
        for (const Round& round : g.rounds) {
            if (last_.empty() || !round.silent) last_.push_back(0);
            last_.back() = static_cast<std::size_t>(&round - g.rounds.data());
        }
    }

    // The control states at each level, up to that of the ends, on shortest runs to an end. Empty when the levels
    // hold more than `most` configurations.
    std::vector<std::vector<States>> controls(const std::vector<std::uint32_t>& ends, std::uint32_t level,
                                              std::uint64_t most) const {
        std::vector<std::vector<States>> out;
        if (size_up_to(level) > most) return out;
        Marked marked(ends.begin(), ends.end());
        for (std::uint32_t at = level;; --at) {
            if (g.m.silent) close(marked, at);
            out.push_back(distinct(marked));
            if (at == 0) break;
            marked = before(marked, at - 1);
        }
        std::reverse(out.begin(), out.end());
        return out;
    }

  private:
    using Marked = std::unordered_set<std::uint32_t>;
    const Graph<W>& g;
    std::vector<std::size_t> last_;  // of each level: its last round

    std::uint64_t size_up_to(std::uint32_t level) const {
        std::uint64_t size = 0;
        for (std::size_t r = 0; r <= last_[level]; ++r) size += g.rounds[r].size();
        return size;
    }

    template <class Visit>
    void each_of(std::uint32_t level, Visit&& visit) const {
        for (std::size_t r = last_[level] + 1, first = level == 0 ? 0 : last_[level - 1] + 1; r-- > first;)
            for (unsigned s = 0; s < g.shards.size(); ++s)
                for (std::uint64_t i = g.rounds[r].begin[s]; i < g.rounds[r].end[s]; ++i) visit(g.number(s, i));
    }

    // Adds the configurations of the level with a silent step to a marked one. The last round comes first, so that
    // one pass adds nearly all.
    void close(Marked& marked, std::uint32_t level) const {
        for (bool more = true; more;) {
            more = false;
            each_of(level, [&](std::uint32_t id) {
                if (marked.contains(id)) return;
                bool leads = false;
                g.each_step(
                    id, [](std::uint32_t, const Instruction&, std::uint32_t) {},
                    [&](std::uint32_t to) { leads = leads || marked.contains(to); });
                if (leads) more = marked.insert(id).second;
            });
        }
    }

    Marked before(const Marked& marked, std::uint32_t level) const {
        Marked found;
        each_of(level, [&](std::uint32_t id) {
            g.each_step(
                id, [&](std::uint32_t, const Instruction&, std::uint32_t to) { if (marked.contains(to)) found.insert(id); },
                [](std::uint32_t) {});
        });
        return found;
    }

    std::vector<States> distinct(const Marked& marked) const {
        std::set<States> found;
        for (const std::uint32_t id : marked) found.insert(states_of(g.m, g.config(id)));
        return {found.begin(), found.end()};
    }
};

}  // namespace stormproof
