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

#include "core/parallel.hpp"
#include "core/platform.hpp"
#include "questions/goals.hpp"
#include "search/components.hpp"

namespace stormproof {

template <unsigned W>
class Futures {
  public:
    // In as many threads as the graph has shards; rounds of fewer than `parallel_from` configurations in one.
    Futures(const Graph<W>& graph, Monitor& monitor, std::uint64_t parallel_from)
        : g(graph), m(graph.m), monitor_(monitor), parallel_from_(parallel_from), masks_(graph.shards.size()), memory_(monitor),
          components_(graph, memory_) {}

    std::uint64_t peak() const { return memory_.peak(); }

    // Solves for one set of goals. With `exact` until F is the solution itself; else only until every need is
    // known to be met or F is the solution. Then what `unmet_at` says is exact.
    Stop solve(const GoalSet& set, bool exact, bool components_only) {
        const bool again = set_ != nullptr;
        set_ = &set;
        exact_ = exact;
        rounds_ = components_only ? 1 : 8;
        monitor_.phase = Phase::judging;
        memory_.others = g.bytes();
        for (unsigned s = 0; s < g.shards.size(); ++s)
            if (!memory_.take(masks_[s], g.shards[s].size)) return Stop::memory;
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
    STORMPROOF_INLINE std::uint64_t of(std::uint32_t id) const {
        return masks_[g.shard_of(id)][g.local(id)].load(std::memory_order_relaxed);
    }

  private:
    static constexpr unsigned most_sweeps = 64;

    const Graph<W>& g;
    const Machine& m;
    Monitor& monitor_;
    const std::uint64_t parallel_from_;
    const GoalSet* set_ = nullptr;
    std::vector<LargeArray<std::atomic<std::uint64_t>>> masks_;
    std::atomic<bool> changed_{false};
    std::atomic<std::uint64_t> unmet_count_{0};
    std::atomic<bool> halt_{false};
    bool unmet_ = true, exact_ = false;
    Stop stop_ = Stop::none;
    Beside memory_;
    Components<W> components_;

    // The masks of another set of goals mean something else.
    void forget() {
        for (unsigned s = 0; s < g.shards.size(); ++s)
            for (std::uint64_t i = 0; i < g.shards[s].size; ++i) masks_[s][i].store(0, std::memory_order_relaxed);
    }

    // The goals of `start`, those that its steps fire, and those of its successors.
    STORMPROOF_INLINE std::uint64_t value(std::uint32_t id, std::uint64_t start) const {
        return g.symmetry || g.reduced ? value_by_all_steps(id, start) : value_by_first_steps(id, start);
    }

    // Without reduction and symmetry, where a few steps are often enough for every goal.
    STORMPROOF_INLINE std::uint64_t value_by_first_steps(std::uint32_t id, std::uint64_t start) const {
        const std::uint32_t* next = g.edges_of(id);
        if (!next) return start;
        std::uint32_t edge = 0;
        std::uint64_t mask = start;
        enabled_while(m, g.config(id), [&](std::uint32_t number) {
            edge = *next++;
            mask |= set_->fires[number] | (of(edge & ~last_edge) & set_->keeps[number]);
            return mask != set_->all;
        });
        while (mask != set_->all && !(edge & last_edge)) {
            edge = *next++;
            mask |= of(edge & ~last_edge);
        }
        return mask;
    }

    STORMPROOF_NOINLINE std::uint64_t value_by_all_steps(std::uint32_t id, std::uint64_t start) const {
        std::uint64_t mask = start;
        g.each_permuted_step(
            id,
            [&](std::uint32_t number, const Instruction&, std::uint32_t to, std::uint32_t permutation) {
                mask |= set_->fires[number] | (set_->before(permutation, of(to)) & set_->keeps[number]);
            },
            [&](std::uint32_t to, std::uint32_t permutation) { mask |= set_->before(permutation, of(to)); });
        return mask;
    }

    // Even sweeps go against the order of the search, odd ones along it. Threads share a round, and wait for each other
    // before the next: what one finds out, the next round is told.
    void sweep(std::uint64_t n) {
        changed_ = false;
        unmet_count_ = 0;
        const std::size_t last = g.rounds.size() - 1;
        for (std::size_t r = 0; r <= last && !halt_; ++r) {
            const Round& round = g.rounds[n % 2 == 0 ? last - r : r];
            each_shard(round, parallel_from_, [&](unsigned s) { sweep_shard(s, round.begin[s], round.end[s], n); });
            looked_at_ += round.size();
            if (looked_at_ >= check_every && over()) return;
            looked_at_ %= check_every;
        }
    }

    void sweep_shard(unsigned s, std::uint64_t begin, std::uint64_t end, std::uint64_t sweep) {
        std::uint64_t unmet = 0;
        bool changed = false;
        for (std::uint64_t j = begin; j < end; ++j) {
            if (j % check_every == 0 && (halt_ || (s == 0 && over()))) break;
            const bool backward = sweep % 2 == 0;
            const std::uint64_t i = backward ? end - 1 - (j - begin) : j;
            if (j + prefetch_distance < end) fetch(s, backward ? i - prefetch_distance : i + prefetch_distance, sweep);
            changed |= sweep == 0 ? begin_at(s, i, unmet) : improve_at(s, i, unmet);
        }
        if (changed) changed_ = true;
        unmet_count_ += unmet;
    }

    static constexpr std::uint64_t prefetch_distance = 8;
    static constexpr std::uint64_t check_every = 4096;  // configurations between two looks at the clock

    // Fetches the masks from which the configuration's own will be computed.
    void fetch(unsigned s, std::uint64_t i, std::uint64_t sweep) const {
        if (sweep > 0 && masks_[s][i].load(std::memory_order_relaxed) == set_->all) return;
        g.each_edge(g.number(s, i), [&](std::uint32_t to) {
            prefetch(&masks_[g.shard_of(to)][g.local(to)]);
        });
    }

    // The first value: the goals that count as met since they are not needed, those it fires, and those of its
    // successors.
    bool begin_at(unsigned s, std::uint64_t i, std::uint64_t& unmet) {
        const std::uint64_t need = set_->needs(m, g.shards[s].configs[i]);
        const std::uint64_t after = value(g.number(s, i), exact_ ? 0 : set_->assumed & ~need);
        unmet += (need & ~after) != 0;
        masks_[s][i].store(after, std::memory_order_relaxed);
        return true;
    }

    bool improve_at(unsigned s, std::uint64_t i, std::uint64_t& unmet) {
        std::atomic<std::uint64_t>& mask = masks_[s][i];
        const std::uint64_t before = mask.load(std::memory_order_relaxed);
        if (before == set_->all) return false;
        const std::uint64_t after = improved(g.number(s, i), before);
        if (after != set_->all) unmet += (set_->needs(m, g.shards[s].configs[i]) & ~after) != 0;
        if (after != before) mask.store(after, std::memory_order_relaxed);
        return after != before;
    }

    // The value of a configuration that has had one: only its successors can add to it, and if they add goals that bar
    // nothing, it does not matter by which steps.
    STORMPROOF_INLINE std::uint64_t improved(std::uint32_t id, std::uint64_t before) const {
        if (g.symmetry) return value(id, before);
        std::uint64_t beyond = 0;
        g.each_edge(id, [&](std::uint32_t to) { beyond |= of(to); });
        const std::uint64_t mask = before | (beyond & set_->unbarred);
        return (beyond & ~mask) == 0 ? mask : value(id, mask);
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
        if (!components_.make_room()) return Stop::memory;
        components_.forget();
        for (unsigned s = 0; s < g.shards.size(); ++s)
            for (std::uint64_t i = 0; i < g.shards[s].size; ++i)
                if (!search_from(g.number(s, i))) return stop_ == Stop::none ? Stop::memory : stop_;
        unmet_ = true;
        return Stop::none;
    }

    // What is known to reach every goal needs no search.
    bool search_from(std::uint32_t id) {
        const auto wanted = [&](std::uint32_t to) { return of(to) != set_->all; };
        if (components_.low(id) != Components<W>::unseen || !wanted(id)) return true;
        return components_.search(
            id, wanted, [&](std::uint64_t first, std::uint64_t last) { return complete(first, last); },
            [&] { return stopped(); });
    }

    bool stopped() { return ++looked_at_ % check_every == 0 && over(); }

    // ---- one component: its members from `first` to `last` - 1; what lies behind it is complete already ---------

    unsigned rounds_ = 8;  // over a component, before predecessors are written down
    std::uint64_t looked_at_ = 0;
    LargeArray<std::uint64_t> begin_;             // where the predecessors of each member begin
    LargeArray<std::uint32_t> before_, queue_;       // predecessors and members to look at again, by their places
    LargeArray<std::uint8_t> queued_;

    bool complete(std::uint64_t first, std::uint64_t last) {
        const std::uint32_t base = components_.low(member(first));  // the open configurations outside have smaller numbers
        if (!g.symmetry) share(first, last);
        bool solved = false;
        for (unsigned n = 0; !solved; ++n) {
            const std::optional<bool> changed = look_round(first, last, n % 2 == 0);
            if (!changed) return false;
            // One look is enough where it had nothing of its own to read.
            solved = !*changed || (last - first == 1 && !g.symmetry);
            if (!solved && n >= rounds_ && last - first > 1 && std::has_single_bit(n)) {
                const std::optional<bool> followed = follow_back(first, last, base);
                if (!followed) return false;
                solved = *followed;
            }
        }
        return true;
    }

    std::uint32_t member(std::uint64_t i) const { return components_.member(i); }

    // All of a component reaches what any of it reaches, unless steps are barred; and where configurations stand for
    // orbits, permutations take goals to others.
    void share(std::uint64_t first, std::uint64_t last) {
        if (last - first == 1) return;
        std::uint64_t all = 0;
        for (std::uint64_t i = first; i < last; ++i) all |= value(member(i), of(member(i))) & set_->unbarred;
        for (std::uint64_t i = first; i < last; ++i) raise(member(i), of(member(i)) | all);
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
            const std::uint32_t id = member(backward ? last - 1 - (j - first) : j);
            if (of(id) != set_->all) changed |= raise(id, value(id, of(id)));
        }
        return changed;
    }

    // From what changes to its predecessors, until nothing does; false: there is no memory for predecessors, and the search
    // does without, only more slowly.
    std::optional<bool> follow_back(std::uint64_t first, std::uint64_t last, std::uint32_t base) {
        const std::uint64_t size = last - first;
        for (std::uint64_t i = 0; i < size; ++i) components_.set_low(member(first + i), base + static_cast<std::uint32_t>(i));
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
            const std::uint32_t id = member(first + place);
            if (!raise(id, value(id, of(id)))) continue;
            for (std::uint64_t i = begin_[place]; i < begin_[place + 1]; ++i) {
                const std::uint32_t earlier = before_[i];
                if (queued_[earlier] || of(member(first + earlier)) == set_->all) continue;
                queued_[earlier] = 1;
                queue_[head + waiting < size ? head + waiting : head + waiting - size] = earlier;
                ++waiting;
            }
        }
        return true;
    }

    bool write_predecessors(std::uint64_t first, std::uint64_t size, std::uint32_t base) {
        if (!memory_.take(begin_, size + 2) || !memory_.take(queue_, size) || !memory_.take(queued_, size)) return false;
        for (std::uint64_t i = 0; i < size + 2; ++i) begin_[i] = 0;
        const auto each = [&](auto&& visit) {
            for (std::uint64_t i = 0; i < size; ++i)
                g.each_edge(member(first + i), [&](std::uint32_t to) {
                    const std::uint32_t number = components_.low(to);
                    if (number != Components<W>::done && number >= base) visit(number - base, static_cast<std::uint32_t>(i));
                });
        };
        each([&](std::uint32_t to, std::uint32_t) { ++begin_[to + 2]; });
        for (std::uint64_t i = 2; i < size + 2; ++i) begin_[i] += begin_[i - 1];
        if (!memory_.take(before_, begin_[size + 1])) return false;
        each([&](std::uint32_t to, std::uint32_t from) { before_[begin_[to + 1]++] = from; });
        return true;
    }
};

}  // namespace stormproof
