// For every configuration the set of goals that it can reach.
//
// F(s) is the least solution of   F(s) = union over the steps s -a-> t of fires(a) + (F(t) & keeps(a))   where
// `keeps` drops the goals that must be reached without that step. All goals, whatever they bar, are bits of one mask
// and are solved together.
//
// First by sweeps over all configurations, against the order of the breadth-first search and along it in turn:
// a path that needs n changes of direction takes n sweeps, and a sweep is a sequential pass, so this is fast
// and what it finds is sound. Once every need is met, the search for futures ends. If needs are left when sweeps no
// longer meet many of them, strongly connected components (Tarjan; one pass for all goals that bar the same steps, over
// the graph without those) give the solution in time linear in the graph; they are computed only where a need is left.
#pragma once

#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "goals.hpp"
#include "graph.hpp"
#include "limits.hpp"
#include "memory.hpp"
#include "parallel.hpp"
#include "platform.hpp"

namespace stormproof {

template <unsigned W>
class Futures {
  public:
    Futures(const Graph<W>& graph, Monitor& monitor)
        : g(graph), m(graph.m), monitor_(monitor), masks_(graph.shards.size()), low_(graph.shards.size()) {}

    std::uint64_t peak = 0;

    // Solves for one set of goals. With `exact` until F is the solution itself; else only until every need is
    // known to be met or F is the solution. Then what `unmet_at` says is exact.
    Stop solve(const GoalSet& set, bool exact, bool components_only) {
        const bool again = set_ != nullptr;
        set_ = &set;
        exact_ = exact;
        for (unsigned s = 0; s < g.shards.size(); ++s)
            if (!take(masks_[s], g.shards[s].size)) return Stop::memory;
        if (again) forget();
        for (std::uint64_t n = 0, before = g.size();; ++n, before = unmet_count_) {
            sweep(n);
            if (stop_ != Stop::none) return stop_;
            unmet_ = unmet_count_ > 0;
            if ((n > 0 && !changed_) || (!unmet_ && !exact)) return Stop::none;
            // A component of orbits is none of goals: permutations take one to another. Sweeps go on to the end.
            if (g.turns) continue;
            // The first sweeps, and those that meet a tenth of what is left, are worth their cost.
            if (components_only || n == most_sweeps || (n >= 10 && unmet_count_ > before - before / 10)) break;
        }
        return solve_by_components();
    }

    // The goals that a configuration needs and cannot reach.
    std::uint64_t unmet_at(std::uint32_t id) const { return set_->needs(m, g.config(id)) & ~of(id); }
    bool unmet() const { return unmet_; }
    std::uint64_t of(std::uint32_t id) const {
        return masks_[g.shard_of(id)][g.local(id)].load(std::memory_order_relaxed);
    }

  private:
    static constexpr unsigned most_sweeps = 64;

    const Graph<W>& g;
    const Machine& m;
    Monitor& monitor_;
    const GoalSet* set_ = nullptr;
    std::vector<Stretch<std::atomic<std::uint64_t>>> masks_;
    std::atomic<bool> changed_{false};
    std::atomic<std::uint64_t> unmet_count_{0};
    std::atomic<bool> halt_{false};
    bool unmet_ = true, exact_ = false;
    Stop stop_ = Stop::none;
    std::uint64_t extra_ = 0;

    // Checks the limit before it allocates: the masks count as memory of the search.
    template <class T>
    bool take(Stretch<T>& array, std::uint64_t entries) {
        if (entries <= array.capacity()) return true;
        const std::uint64_t more = (entries - array.capacity()) * sizeof(T);
        if (!monitor_.allows(g.bytes() + extra_ + more) || !array.resize(entries)) {
            stop_ = Stop::memory;
            return false;
        }
        extra_ += more;
        peak = std::max(peak, g.bytes() + extra_);
        monitor_.memory = g.bytes() + extra_;
        return true;
    }

    // The masks of another set of goals mean something else.
    void forget() {
        for (unsigned s = 0; s < g.shards.size(); ++s)
            for (std::uint64_t i = 0; i < g.shards[s].size; ++i) masks_[s][i].store(0, std::memory_order_relaxed);
    }

    std::uint64_t value(std::uint32_t id, std::uint64_t start) const {
        std::uint64_t mask = start;
        g.each_turned_step(
            id,
            [&](std::uint32_t number, const Instruction&, std::uint32_t to, std::uint32_t turn) {
                mask |= set_->fires[number] | (set_->before(turn, of(to)) & set_->keeps[number]);
            },
            [&](std::uint32_t to, std::uint32_t turn) { mask |= set_->before(turn, of(to)); });
        return mask;
    }

    // Even sweeps go against the order of the search, odd ones along it.
    void sweep(std::uint64_t n) {
        changed_ = false;
        unmet_count_ = 0;
        // Small graphs were explored by one thread, and the other shards are empty.
        const bool shared = g.size() > g.shards[0].size;
        in_parallel(shared ? static_cast<unsigned>(g.shards.size()) : 1, [&](unsigned s) { sweep_shard(s, n); });
    }

    void sweep_shard(unsigned s, std::uint64_t turn) {
        const std::uint64_t n = g.shards[s].size;
        std::uint64_t unmet = 0;
        bool changed = false;
        for (std::uint64_t j = 0; j < n; ++j) {
            if (j % 65536 == 0 && (halt_ || (s == 0 && over()))) break;
            const bool backward = turn % 2 == 0;
            const std::uint64_t i = backward ? n - 1 - j : j;
            if (j + ahead < n) fetch(s, backward ? i - ahead : i + ahead, turn);
            changed |= turn == 0 ? begin_at(s, i, unmet) : improve_at(s, i, unmet);
        }
        if (changed) changed_ = true;
        unmet_count_ += unmet;
    }

    static constexpr std::uint64_t ahead = 8;

    // Fetches the masks from which the configuration's own will be computed.
    void fetch(unsigned s, std::uint64_t i, std::uint64_t turn) const {
        if (turn > 0 && masks_[s][i].load(std::memory_order_relaxed) == set_->all) return;
        g.each_edge(g.number(s, i), [&](std::uint32_t to) {
            prefetch(&masks_[g.shard_of(to)][g.local(to)]);
        });
    }

    // The first value: the goals that count as met since they are not needed, those it fires, and those of its
    // successors.
    bool begin_at(unsigned s, std::uint64_t i, std::uint64_t& unmet) {
        const std::uint64_t need = set_->needs(m, g.shards[s].configs[i]);
        const std::uint64_t after = value(g.number(s, i), exact_ ? 0 : set_->settled & ~need);
        unmet += (need & ~after) != 0;
        masks_[s][i].store(after, std::memory_order_relaxed);
        return true;
    }

    bool improve_at(unsigned s, std::uint64_t i, std::uint64_t& unmet) {
        std::atomic<std::uint64_t>& mask = masks_[s][i];
        const std::uint64_t before = mask.load(std::memory_order_relaxed);
        if (before == set_->all) return false;
        const std::uint64_t after = value(g.number(s, i), before);
        if (after != set_->all) unmet += (set_->needs(m, g.shards[s].configs[i]) & ~after) != 0;
        if (after != before) mask.store(after, std::memory_order_relaxed);
        return after != before;
    }

    bool over() {
        stop_ = monitor_.over();
        // The number of configurations is final; only time, memory and interruption matter now.
        if (stop_ == Stop::states) stop_ = Stop::none;
        if (stop_ != Stop::none) halt_ = true;
        return stop_ != Stop::none;
    }

    // ---- components ------------------------------------------------------------------------------------

    Stop solve_by_components() {
        std::vector<Barred> passes;
        for (const Goal& goal : set_->goals)
            if (std::find(passes.begin(), passes.end(), goal.barred) == passes.end()) passes.push_back(goal.barred);
        for (const Barred& barred : passes) {
            std::uint64_t wanted = 0;
            for (std::size_t i = 0; i < set_->goals.size(); ++i)
                if (set_->goals[i].barred == barred) wanted |= std::uint64_t{1} << i;
            if (!components(barred, wanted)) return stop_;
        }
        unmet_ = true;
        return Stop::none;
    }

    struct Frame {
        std::uint32_t node;
        std::uint32_t edge : 31;
        std::uint32_t lowered : 1;  // it reaches something older that is still open: not the root of a component
    };
    // Tarjan's algorithm with one number a configuration: 0 not seen, `done` when its component is complete,
    // else the smallest number of an open configuration that it is known to reach.
    static constexpr std::uint32_t done = UINT32_MAX;
    std::vector<Stretch<std::uint32_t>> low_;
    Stretch<Frame> path_;
    Stretch<std::uint32_t> open_;

    std::uint32_t& low(std::uint32_t id) { return low_[g.shard_of(id)][g.local(id)]; }

    bool components(const Barred& barred, std::uint64_t wanted) {
        for (unsigned s = 0; s < g.shards.size(); ++s)
            if (!take(low_[s], g.shards[s].size)) return false;
        for (unsigned s = 0; s < g.shards.size(); ++s)
            for (std::uint64_t i = 0; i < g.shards[s].size; ++i) low_[s][i] = 0;
        std::uint64_t visited = 0;
        for (unsigned s = 0; s < g.shards.size(); ++s)
            for (std::uint64_t i = 0; i < g.shards[s].size; ++i)
                if (open_to(g.number(s, i), wanted) && !search_from(g.number(s, i), barred, wanted, visited))
                    return false;
        return true;
    }

    template <class T>
    bool longer(Stretch<T>& stack, std::uint64_t used) {
        return used < stack.capacity() || take(stack, std::max<std::uint64_t>(4096, 2 * stack.capacity()));
    }

    // Not seen, and not known to reach everything that is wanted: what is complete needs no search.
    bool open_to(std::uint32_t id, std::uint64_t wanted) { return low(id) == 0 && (of(id) & wanted) != wanted; }

    bool search_from(std::uint32_t root, const Barred& barred, std::uint64_t wanted, std::uint64_t& visited) {
        std::uint64_t depth = 0, open = 0;
        std::uint32_t clock = 1;
        const auto enter = [&](std::uint32_t node) {
            if (!longer(path_, depth) || !longer(open_, open)) return false;
            low(node) = clock++;
            path_[depth++] = {node, 0, 0};
            open_[open++] = node;
            return true;
        };
        const auto lower = [&](Frame& frame, std::uint32_t to) {
            if (to >= low(frame.node)) return;
            low(frame.node) = to;
            frame.lowered = 1;
        };
        if (!enter(root)) return false;
        while (depth > 0) {
            if (++visited % 65536 == 0 && over()) return false;
            Frame& frame = path_[depth - 1];
            const std::optional<std::uint32_t> to = successor(frame.node, frame.edge, barred);
            if (to) {
                ++frame.edge;
                if (open_to(*to, wanted)) {
                    if (!enter(*to)) return false;
                } else if (low(*to) != 0 && low(*to) != done) {
                    lower(frame, low(*to));
                }
                continue;
            }
            --depth;
            if (frame.lowered) lower(path_[depth - 1], low(frame.node));
            else open = complete(frame.node, open, wanted);
        }
        return true;
    }

    std::optional<std::uint32_t> successor(std::uint32_t node, std::uint32_t nth, const Barred& barred) const {
        std::optional<std::uint32_t> found;
        std::uint32_t seen = 0;
        const auto count = [&](std::uint32_t to) {
            if (seen++ == nth) found = to;
        };
        g.each_step(
            node,
            [&](std::uint32_t, const Instruction& instruction, std::uint32_t to) {
                if (!barred(instruction)) count(to);
            },
            count);
        return found;
    }

    // All of a component reaches what any of it reaches; what lies behind it is complete already.
    std::uint64_t complete(std::uint32_t root, std::uint64_t open, std::uint64_t wanted) {
        std::uint64_t first = open;
        while (open_[--first] != root) {}
        std::uint64_t all = 0;
        for (std::uint64_t i = first; i < open; ++i) all |= value(open_[i], of(open_[i])) & wanted;
        for (std::uint64_t i = first; i < open; ++i) {
            low(open_[i]) = done;
            std::atomic<std::uint64_t>& mask = masks_[g.shard_of(open_[i])][g.local(open_[i])];
            mask.store((of(open_[i]) & ~wanted) | all, std::memory_order_relaxed);
        }
        return first;
    }
};

}  // namespace stormproof
