// For every configuration the set of goals that it can reach.
//
// F(s) is the least solution of   F(s) = union over the steps s -a-> t of fires(a) + (F(t) & keeps(a))   where
// `keeps` drops the goals that must be reached without that step. All goals, whatever they bar, are bits of one mask
// and are solved together.
//
// First by sweeps over all configurations, against the order of the breadth-first search and along it in turn:
// a path that needs n changes of direction takes n sweeps, and a sweep is a sequential pass, so this is fast
// and what it finds is sound. Once every need is met, the search for futures ends. If needs are left when sweeps no
// longer meet many of them, one pass over strongly connected components (Tarjan) solves for all goals at once, however
// many processes they bar. It looks only at configurations that are not known to reach every goal. Each component is
// solved when everything behind it is: goals that bar nothing are reached by all of it or by none, and for the others
// the equations are iterated within the component.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
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
        rounds_ = components_only ? 1 : 8;
        monitor_.phase = Phase::judging;
        for (unsigned s = 0; s < g.shards.size(); ++s)
            if (!take(masks_[s], g.shards[s].size)) return Stop::memory;
        if (again) forget();
        for (std::uint64_t n = 0, before = g.size();; ++n, before = unmet_count_) {
            sweep(n);
            if (stop_ != Stop::none) return stop_;
            unmet_ = unmet_count_ > 0;
            monitor_.unjudged = unmet_count_.load();
            if ((n > 0 && !changed_) || (!unmet_ && !exact)) return Stop::none;
            // The first sweeps, and those that meet a tenth of what is left, are worth their cost.
            const bool slow = exact ? n >= 4 : n >= 10 && unmet_count_ > before - before / 10;
            if (components_only || n == most_sweeps || slow) break;
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
        for (unsigned s = 0; s < g.shards.size(); ++s)
            if (!take(low_[s], g.shards[s].size)) return stop_;
        for (unsigned s = 0; s < g.shards.size(); ++s)
            for (std::uint64_t i = 0; i < g.shards[s].size; ++i) low_[s][i] = 0;
        for (unsigned s = 0; s < g.shards.size(); ++s)
            for (std::uint64_t i = 0; i < g.shards[s].size; ++i)
                if (is_open(g.number(s, i)) && !search_from(g.number(s, i))) return stop_;
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

    template <class T>
    bool longer(Stretch<T>& stack, std::uint64_t used) {
        return used < stack.capacity() || take(stack, std::max<std::uint64_t>(4096, 2 * stack.capacity()));
    }

    // Not seen, and not known to reach every goal: what is complete needs no search.
    bool is_open(std::uint32_t id) { return low(id) == 0 && of(id) != set_->all; }

    bool search_from(std::uint32_t root) {
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
            if (stopped()) return false;
            Frame& frame = path_[depth - 1];
            if (const std::optional<std::uint32_t> to = g.successor(frame.node, frame.edge)) {
                ++frame.edge;
                if (is_open(*to)) {
                    if (!enter(*to)) return false;
                } else if (low(*to) != 0 && low(*to) != done) {
                    lower(frame, low(*to));
                }
                continue;
            }
            --depth;
            if (frame.lowered) {
                lower(path_[depth - 1], low(frame.node));
                continue;
            }
            std::uint64_t first = open;
            while (open_[--first] != frame.node) {}
            if (!complete(first, open)) return false;
            open = first;
        }
        return true;
    }

    bool stopped() { return ++looked_at_ % 65536 == 0 && over(); }

    // ---- one component: open_[first] to open_[last - 1]; what lies behind it is complete already ---------

    unsigned rounds_ = 8;  // over a component, before predecessors are written down
    std::uint64_t looked_at_ = 0;
    Stretch<std::uint64_t> begin_;                // where the predecessors of each member begin
    Stretch<std::uint32_t> before_, queue_;       // predecessors and members to look at again, by their places
    Stretch<std::uint8_t> queued_;

    bool complete(std::uint64_t first, std::uint64_t last) {
        const std::uint32_t base = low(open_[first]);  // the open configurations outside have smaller numbers
        if (!g.turns) share(first, last);
        bool solved = false;
        for (unsigned n = 0; !solved; ++n) {
            const std::optional<bool> changed = look_round(first, last, n % 2 == 0);
            if (!changed) return false;
            // One look is enough where it had nothing of its own to read.
            solved = !*changed || (last - first == 1 && !g.turns);
            if (!solved && n >= rounds_ && last - first > 1 && std::has_single_bit(n)) {
                const std::optional<bool> followed = follow_back(first, last, base);
                if (!followed) return false;
                solved = *followed;
            }
        }
        for (std::uint64_t i = first; i < last; ++i) low(open_[i]) = done;
        return true;
    }

    // All of a component reaches what any of it reaches, unless steps are barred; and where configurations stand for
    // orbits, permutations take goals to others.
    void share(std::uint64_t first, std::uint64_t last) {
        if (last - first == 1) return;
        std::uint64_t all = 0;
        for (std::uint64_t i = first; i < last; ++i) all |= value(open_[i], of(open_[i])) & set_->unbarred;
        for (std::uint64_t i = first; i < last; ++i) raise(open_[i], of(open_[i]) | all);
    }

    bool raise(std::uint32_t id, std::uint64_t mask) {
        std::atomic<std::uint64_t>& own = masks_[g.shard_of(id)][g.local(id)];
        if (own.load(std::memory_order_relaxed) == mask) return false;
        own.store(mask, std::memory_order_relaxed);
        return true;
    }

    // Looks at each member once. Has anything changed? Nothing: a limit was hit.
    std::optional<bool> look_round(std::uint64_t first, std::uint64_t last, bool backward) {
        bool changed = false;
        for (std::uint64_t j = first; j < last; ++j) {
            if (stopped()) return {};
            const std::uint32_t id = open_[backward ? last - 1 - (j - first) : j];
            if (of(id) != set_->all) changed |= raise(id, value(id, of(id)));
        }
        return changed;
    }

    // From what changes to its predecessors, until nothing does; false: there is no memory for predecessors.
    std::optional<bool> follow_back(std::uint64_t first, std::uint64_t last, std::uint32_t base) {
        const std::uint64_t size = last - first;
        for (std::uint64_t i = 0; i < size; ++i) low(open_[first + i]) = base + static_cast<std::uint32_t>(i);
        if (!write_predecessors(first, size, base)) return false;
        std::uint64_t head = 0, waiting = size;
        for (std::uint64_t i = 0; i < size; ++i) {
            queue_[i] = static_cast<std::uint32_t>(size - 1 - i);
            queued_[i] = 1;
        }
        while (waiting > 0) {
            if (stopped()) return {};
            const std::uint32_t place = queue_[head];
            head = head + 1 == size ? 0 : head + 1;
            --waiting;
            queued_[place] = 0;
            const std::uint32_t id = open_[first + place];
            if (!raise(id, value(id, of(id)))) continue;
            for (std::uint64_t i = begin_[place]; i < begin_[place + 1]; ++i) {
                const std::uint32_t earlier = before_[i];
                if (queued_[earlier] || of(open_[first + earlier]) == set_->all) continue;
                queued_[earlier] = 1;
                queue_[head + waiting < size ? head + waiting : head + waiting - size] = earlier;
                ++waiting;
            }
        }
        return true;
    }

    bool write_predecessors(std::uint64_t first, std::uint64_t size, std::uint32_t base) {
        if (!has_room(begin_, size + 2) || !has_room(queue_, size) || !has_room(queued_, size)) return false;
        for (std::uint64_t i = 0; i < size + 2; ++i) begin_[i] = 0;
        const auto each = [&](auto&& visit) {
            for (std::uint64_t i = 0; i < size; ++i)
                g.each_edge(open_[first + i], [&](std::uint32_t to) {
                    const std::uint32_t number = low(to);
                    if (number != done && number >= base) visit(number - base, static_cast<std::uint32_t>(i));
                });
        };
        each([&](std::uint32_t to, std::uint32_t) { ++begin_[to + 2]; });
        for (std::uint64_t i = 2; i < size + 2; ++i) begin_[i] += begin_[i - 1];
        if (!has_room(before_, begin_[size + 1])) return false;
        each([&](std::uint32_t to, std::uint32_t from) { before_[begin_[to + 1]++] = from; });
        return true;
    }

    // Memory that the search can do without, only more slowly.
    template <class T>
    bool has_room(Stretch<T>& array, std::uint64_t entries) {
        const Stop before = stop_;
        const bool taken = take(array, entries);
        stop_ = before;
        return taken;
    }
};

}  // namespace stormproof
