// Deadlocks that are nearer than the nearest one within the bound: where a channel is full, a calm run that uses the slack
// may be stuck after fewer actions.
#pragma once

#include <optional>

#include "search/ends.hpp"

namespace stormproof::survival {

template <class Cell>
class NearerEnds {
  public:
    NearerEnds(const Rules& rules, const Layout& layout, Steps<Cell>& steps, RowSymmetry<Cell>& symmetry)
        : rules_(rules), layout_(layout), steps_(steps), symmetry_(symmetry), seen_(layout) {}

    struct Found {
        Stuck stuck;
        std::vector<Cell> row;
    };

    // The nearest configuration without a calm step and without the goal, on calm paths from `starts`, which are in the
    // order of their actions, with fewer than so many actions in all; none if more than `most` would have to be seen.
    std::optional<Found> find(const Store<Cell>& store, const std::vector<std::uint32_t>& starts, const Goal& goal,
                              std::uint32_t actions) {
        std::vector<std::uint32_t> now, next;
        std::size_t s = 0;
        for (std::uint32_t distance = 0; distance < actions; ++distance) {
            for (; s < starts.size() && store.nodes[starts[s]].actions <= distance; ++s)
                see(store.row(starts[s]), {nothing, starts[s], {}}, now);
            for (auto id : now) {
                if (is_end(id, goal, next)) return found(id);
                if (seen_.size() > most) return {};
            }
            now.swap(next);
            next.clear();
        }
        return {};
    }

    static constexpr std::uint32_t most = 20000;

  private:
    struct Entry {
        std::uint32_t parent, start;  // what comes before, or where the storm ended
        PermutedStep step;
    };
    const Rules& rules_;
    const Layout& layout_;
    Steps<Cell>& steps_;
    RowSymmetry<Cell>& symmetry_;
    Store<Cell> seen_;
    std::vector<Entry> entries_;
    std::vector<Cell> row_;

    void see(const Cell* row, const Entry& entry, std::vector<std::uint32_t>& list) {
        const std::uint32_t id = seen_.find_or_add(row);
        if (id < entries_.size()) return;
        entries_.push_back(entry);
        list.push_back(id);
    }

    bool is_end(std::uint32_t id, const Goal& goal, std::vector<std::uint32_t>& next) {
        seen_.read(id, row_);
        bool calm = false;
        steps_.each(row_.data(), layout_.bound, true, [&](const FaultyStep& step, std::uint32_t, const Cell* row) {
            calm = true;
            if (!row) return;
            const auto [least, permutation] = symmetry_.canonical(row);
            see(least, {id, nothing, {step, permutation}}, next);
        });
        return !calm && !may_hold(rules_, goal, RowView<Cell>{layout_, row_.data()});
    }

    Found found(std::uint32_t id) {
        Found found;
        seen_.read(id, found.row);
        const RowView<Cell> view{layout_, found.row.data()};
        found.stuck.kind = is_at_rest(rules_, view) ? EndKind::rest : EndKind::deadlock;
        for (; entries_[id].parent != nothing; id = entries_[id].parent) found.stuck.path.push_back(entries_[id].step);
        std::reverse(found.stuck.path.begin(), found.stuck.path.end());
        found.stuck.storm_end = entries_[id].start;
        return found;
    }
};
extern template class NearerEnds<std::uint8_t>;
extern template class NearerEnds<std::uint16_t>;

}  // namespace stormproof::survival
