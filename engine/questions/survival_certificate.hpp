// The certificate of a property that holds: all configurations that storms reach and, where a goal must remain
// possible, those of a shortest calm run from each of them to the goal, with their distances (definitions 10.14).
#pragma once

#include <algorithm>
#include <numeric>

#include "store/row_store.hpp"

namespace stormproof::survival {

template <class Cell>
class ClosedSet {
  public:
    ClosedSet(const Rules& rules, const Layout& layout, const Store<Cell>& store, const Ask& ask, std::uint32_t most)
        : rules_(rules), layout_(layout), store_(store), ask_(ask), most_(most),
          ranks_(store.size(), ask.always ? nothing : 0) {}

    Certified write() {
        Certified out;
        if (ask_.always) rank();
        const std::vector<std::uint32_t> order = needed();
        out.too_large = order.size() > most_;
        if (out.too_large) return out;
        for (auto id : order) {
            put(id, out.codes);
            out.ranks.push_back(ranks_[id]);
            out.faults.push_back(store_.nodes[id].is(expanded) ? store_.nodes[id].faults : nothing);
        }
        return out;
    }

  private:
    const Rules& rules_;
    const Layout& layout_;
    const Store<Cell>& store_;
    const Ask& ask_;
    const std::uint32_t most_;
    std::vector<std::uint32_t> ranks_;

    // The number of actions to the goal, backwards from where it holds.
    void rank() {
        std::vector<std::uint32_t> begin(store_.size() + 1, 0), before, queue;
        each_edge([&](std::uint32_t, std::uint32_t to) { ++begin[to + 1]; });
        std::partial_sum(begin.begin(), begin.end(), begin.begin());
        before.resize(begin.back());
        std::vector<std::uint32_t> fill(begin.begin(), begin.end() - 1);
        each_edge([&](std::uint32_t from, std::uint32_t to) { before[fill[to]++] = from; });
        for (std::uint32_t id = 0; id < store_.size(); ++id)
            if (may_hold(rules_, ask_.goal, RowView<Cell>{layout_, store_.row(id)})) {
                ranks_[id] = 0;
                queue.push_back(id);
            }
        for (std::size_t i = 0; i < queue.size(); ++i) {
            const std::uint32_t to = queue[i];
            for (std::uint32_t e = begin[to]; e < begin[to + 1]; ++e)
                if (ranks_[before[e]] == nothing) {
                    ranks_[before[e]] = ranks_[to] + 1;
                    queue.push_back(before[e]);
                }
        }
    }

    template <class Visit>
    void each_edge(Visit&& visit) const {
        for (std::uint32_t id = 0; id < store_.size(); ++id)
            store_.each_successor(id, [&](std::uint32_t to) { visit(id, to); });
    }

    // What storms reach and what lies on the paths from there, by rank.
    std::vector<std::uint32_t> needed() const {
        std::vector<std::uint32_t> found;
        std::vector<std::uint8_t> seen(store_.size(), false);
        for (std::uint32_t id = 0; id < store_.size(); ++id) {
            if (!store_.nodes[id].is(expanded)) continue;
            for (std::uint32_t at = id; at != nothing && !seen[at]; at = next(at)) {
                seen[at] = true;
                found.push_back(at);
            }
        }
        std::stable_sort(found.begin(), found.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return ranks_[a] < ranks_[b]; });
        return found;
    }

    std::uint32_t next(std::uint32_t id) const {
        std::uint32_t nearer = nothing;
        store_.each_successor(id, [&](std::uint32_t to) {
            if (nearer == nothing && ranks_[to] < ranks_[id]) nearer = to;
        });
        return nearer;
    }

    // The states, the counts of faults that the budget limits, and for each channel its length and its messages.
    void put(std::uint32_t id, std::vector<std::uint16_t>& out) const {
        const RowView<Cell> view{layout_, store_.row(id)};
        out.insert(out.end(), view.row, view.row + layout_.contents);
        for (std::uint32_t c = 0; c < layout_.channel.size(); ++c) {
            out.push_back(static_cast<std::uint16_t>(view.length(c)));
            out.insert(out.end(), view.word(c), view.word(c) + view.length(c));
        }
    }
};
extern template class ClosedSet<std::uint8_t>;
extern template class ClosedSet<std::uint16_t>;

}  // namespace stormproof::survival
