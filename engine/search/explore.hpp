// The k-bounded transition system, explored breadth first.
//
// Successors are generated in batches. While one batch is generated, the slots and the configurations that it
// will be compared with are fetched from memory: memory latency is what limits a search.
//
// Threads expand blocks of the current level and share the index; a configuration belongs to the shard of the
// thread that found it first. Levels do not depend on the threads, so neither do counts, verdicts and the lengths of
// witnesses.
//
// Silent steps cost nothing in the length of a run: a level is closed under them, round by round, before its
// actions are taken. Parents are not stored: a predecessor is in the round before, see offenders.hpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "core/limits.hpp"
#include "core/parallel.hpp"
#include "core/platform.hpp"
#include "store/graph.hpp"
#include "store/visited.hpp"

namespace stormproof {

// Every step of a configuration: visit(successor).
template <unsigned W, class Visit>
STORMPROOF_INLINE inline void all_steps(const Machine& m, const Config<W>& c, Visit& visit) {
    each_enabled(m, c, [&](std::uint32_t, const Instruction& instruction) { visit(perform(m, instruction, c)); });
    if (m.silent) each_silent(m, c, visit);
}

// Which steps are taken from each configuration: all of them, unless there is a reduction (reduction.hpp).
struct AllSteps {
    static constexpr bool reduces = false;

    template <unsigned W, class Visit>
    std::uint16_t each(const Machine& m, const Config<W>& c, Visit& visit) {
        all_steps(m, c, visit);
        return everyone;
    }
};

template <unsigned W, class Steps = AllSteps>
class Explorer {
  public:
    Explorer(Graph<W>& graph, Monitor& monitor, unsigned threads, std::uint64_t parallel_from)
        : g(graph), m(graph.m), monitor_(monitor), threads_(threads), parallel_from_(parallel_from),
          visited_(graph, monitor), workers_(threads) {
        block_ = std::clamp<std::uint32_t>(4096 / m.max_degree, 1, 64);
        // A small limit is exceeded by little.
        block_ = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(monitor.at_most(1 << 20) / 256, 1, block_));
        for (auto& worker : workers_) worker.batch.resize(batch_size + m.max_degree);
    }

    // Explores everything, or until a limit stops it; returns that limit.
    Stop run() { return begin() ? end() : stop_; }

    // The parts of `run`, for a search that goes on from there; false: a limit has stopped it.
    bool begin() {
        if (!hand_out_budget(1)) return false;
        add_initial();
        return explore_from(0);
    }

    // Takes every step at these configurations, in place of those that were taken, and explores what follows.
    bool take_all_at(const std::vector<std::uint32_t>& ids) {
        const std::size_t level = g.rounds.size();
        Round found = start_round(false);
        visited_.shared = false;
        for (const std::uint32_t id : ids) {
            if (workers_[0].budget < needed_budget() && !hand_out_budget(1)) return false;
            g.each_edge(id, [&](std::uint32_t) { ++g.unused_edges; });
            if (Monitor::is_sampled(g.local(id))) workers_[0].taken += postponed(id);
            g.shards[g.shard_of(id)].chosen[g.local(id)] = everyone;
            expand_at(0, g.shard_of(id), g.local(id), true, [&](const Config<W>& c, auto& push) { all_steps(m, c, push); });
        }
        flush(0, false);
        if (failed_ != Stop::none) return stop_at(failed_);
        if (finish_round(found)) g.rounds.push_back(found);
        return explore_from(level);
    }

    Stop end() {
        report();
        visited_.clear();
        return stop_ = monitor_.over() == Stop::states ? Stop::states : Stop::none;
    }

    bool stop_at(Stop why) {
        stop_ = why;
        report();
        visited_.clear();
        return false;
    }

    Stop stop() const { return stop_; }
    std::uint64_t bytes() const { return g.bytes() + visited_.bytes() + beside; }
    std::uint64_t peak_bytes() const { return peak_; }

    std::uint64_t beside = 0;  // bytes of what a search keeps beside the graph

  private:
    static constexpr std::size_t batch_size = 64;
    static constexpr std::size_t prefetch_distance = 16;  // so many configurations are fetched before they are compared
    static constexpr unsigned checked_blocks = 16;
    struct Successor {
        Config<W> config;
        std::uint64_t hash;
        bool last;
    };
    struct alignas(cache_line) Worker {
        std::vector<Successor> batch;
        std::size_t pending = 0;
        std::uint64_t budget = 0;  // how many configurations it may still add before the index must grow
        Steps steps;
        Tally enabled, taken;  // actions at the configurations that are sampled
    };

    Graph<W>& g;
    const Machine& m;
    Monitor& monitor_;
    const unsigned threads_;
    const std::uint64_t parallel_from_;  // smaller rounds are not worth more than one thread
    Visited<W> visited_;
    std::vector<Worker> workers_;
    std::uint32_t block_;
    unsigned active_ = 1;  // threads at work in this round
    alignas(cache_line) std::atomic<std::uint64_t> cursor_{0};
    alignas(cache_line) std::atomic<bool> halt_{false};
    std::atomic<Stop> failed_{Stop::none};
    Stop stop_ = Stop::none;
    std::atomic<std::uint64_t> peak_{0};

    void add_initial() {
        const Config<W> c = initial_config<W>(m);
        bool fresh = false;
        visited_.find_or_add(0, c, hash_of(c), fresh);
        if (g.symmetry) g.shards[0].represented += 1;  // permutations take it to itself
        Round round{std::vector<std::uint64_t>(threads_, 0), std::vector<std::uint64_t>(threads_, 0)};
        round.end[0] = 1;
        g.rounds.push_back(round);
    }

    // Explores what follows the level that begins with that round, a level at a time.
    bool explore_from(std::size_t level) {
        while (level < g.rounds.size()) {
            if (m.silent && !Steps::reduces && !close(level)) return false;
            const std::size_t next = g.rounds.size();
            Round found = start_round(false);
            for (std::size_t r = level; r < next; ++r)
                if (!expand(g.rounds[r], false)) return false;
            if (finish_round(found)) g.rounds.push_back(found);
            level = next;
        }
        return true;
    }

    // Adds what silent steps reach to the level that begins with round `level`.
    bool close(std::size_t level) {
        for (std::size_t r = level; r < g.rounds.size(); ++r) {
            Round found = start_round(true);
            if (!expand(g.rounds[r], true)) return false;
            if (finish_round(found)) g.rounds.push_back(found);
        }
        return true;
    }

    Round start_round(bool silent) const {
        Round round;
        for (const Shard<W>& shard : g.shards) round.begin.push_back(shard.size);
        round.silent = silent;
        return round;
    }
    bool finish_round(Round& round) const {
        for (const Shard<W>& shard : g.shards) round.end.push_back(shard.size);
        return round.size() > 0;
    }

    // Expands every configuration of a round; `only_silent`: by silent steps only, and without keeping edges.
    bool expand(const Round round, bool only_silent) {
        const std::uint64_t total = round.size();
        cursor_ = 0;
        while (true) {
            active_ = total - std::min(total, cursor_.load()) >= parallel_from_ ? threads_ : 1;
            if (!hand_out_budget(active_)) return false;
            visited_.shared = active_ > 1;
            halt_ = false;
            in_parallel(active_, [&](unsigned who) { work(who, round, total, only_silent); });
            if (failed_ != Stop::none) return stop_at(failed_);
            if (cursor_ >= total) return true;
        }
    }

    void work(unsigned who, const Round& round, std::uint64_t total, bool only_silent) {
        Worker& worker = workers_[who];
        for (unsigned blocks = 0;; ++blocks) {
            // What is still pending will be added before this block's: both must fit the budget.
            if (halt_ || worker.budget < std::uint64_t{block_ + 1} * m.max_degree + batch_size) break;
            if ((blocks % checked_blocks == 0 || monitor_.too_many(g.size())) && over_limit()) break;
            const std::uint64_t begin = cursor_.fetch_add(block_);
            if (begin >= total) break;
            const std::uint64_t end = std::min<std::uint64_t>(begin + block_, total);
            for (std::uint64_t i = begin; i < end; ++i) expand_one(who, round, i, only_silent);
        }
        flush(who, only_silent);
    }

    // Checked before the blocks up to the next check are expanded: the memory limit must allow what they may add.
    bool over_limit() {
        report();
        Stop why = monitor_.over();
        const std::uint64_t more = needed_budget() * (checked_blocks + 1) * active_ * (sizeof(Config<W>) + 8);
        if (why == Stop::none && !monitor_.allows(monitor_.memory + more)) why = Stop::memory;
        if (why != Stop::none) fail(why);
        return why != Stop::none;
    }

    void fail(Stop why) {
        Stop before = Stop::none;
        failed_.compare_exchange_strong(before, why);
        halt_ = true;
    }

    void expand_one(unsigned who, const Round& round, std::uint64_t i, bool only_silent) {
        unsigned s = 0;
        for (; i >= round.end[s] - round.begin[s]; ++s) i -= round.end[s] - round.begin[s];
        const std::uint64_t local = round.begin[s] + i;
        if (only_silent) {
            expand_at(who, s, local, false, [&](const Config<W>& c, auto& push) { each_silent(m, c, push); });
            return;
        }
        expand_at(who, s, local, true, [&](const Config<W>& c, auto& push) {
            const std::uint16_t taken = workers_[who].steps.each(m, c, push);
            if constexpr (Steps::reduces) g.shards[s].chosen[local] = taken;
        });
        if (Steps::reduces && Monitor::is_sampled(local)) sample(workers_[who], g.number(s, local));
    }

    // Adds what `take` makes of a configuration: take(configuration, push).
    template <class Take>
    void expand_at(unsigned who, unsigned s, std::uint64_t local, bool keeps_edges, Take&& take) {
        Worker& worker = workers_[who];
        const std::size_t before = worker.pending;
        Successor* end = worker.batch.data() + before;
        const auto push = [&](const Config<W>& next) {
            Successor& p = *end++;
            p.config = next;
            if (g.symmetry) g.symmetry->canonical(p.config);
            p.hash = hash_of(p.config);
            p.last = false;
            visited_.fetch_slot(p.hash);
        };
        const Config<W> c = g.shards[s].configs[local];
        take(c, push);
        worker.pending = static_cast<std::size_t>(end - worker.batch.data());
        if (keeps_edges) {
            const std::uint64_t at = g.shards[who].edge_count + before;
            g.shards[s].first[local] = worker.pending == before ? no_edges : g.place_of_edges(who, at);
        }
        if (worker.pending > before) worker.batch[worker.pending - 1].last = true;
        if (worker.pending >= batch_size) flush(who, !keeps_edges);
    }

    void sample(Worker& worker, std::uint32_t id) const {
        std::uint64_t enabled = 0;
        each_enabled(m, g.config(id), [&](std::uint32_t, const Instruction&) { ++enabled; });
        worker.enabled += enabled;
        worker.taken += enabled - postponed(id);
    }

    std::uint64_t postponed(std::uint32_t id) const {
        std::uint64_t count = 0;
        each_enabled(m, g.config(id), [&](std::uint32_t, const Instruction&) { ++count; });
        g.each_taken(id, [&](std::uint32_t, const Instruction&) { --count; });
        return count;
    }

    void flush(unsigned who, bool only_silent) {
        Worker& worker = workers_[who];
        Shard<W>& shard = g.shards[who];
        if (!only_silent && !shard.room_for_edges(worker.pending, g.most_edges())) {
            fail(Stop::memory);
            worker.pending = 0;
            return;
        }
        const Successor* const batch = worker.batch.data();
        const std::size_t pending = worker.pending;
        for (std::size_t i = 0; i < std::min(prefetch_distance, pending); ++i) visited_.fetch_config(batch[i].hash);
        for (std::size_t i = 0; i < pending; ++i) {
            if (i + prefetch_distance < pending) visited_.fetch_config(batch[i + prefetch_distance].hash);
            const Successor& p = batch[i];
            bool fresh = false;
            const std::uint32_t id = visited_.find_or_add(who, p.config, p.hash, fresh);
            if (id == no_edges) fail(Stop::memory);
            if (fresh) {
                --worker.budget;
                if (g.symmetry) shard.represented += g.symmetry->orbit(p.config);
            }
            if (!only_silent) shard.edges[shard.edge_count++] = id | (p.last ? last_edge : 0);
        }
        worker.pending = 0;
    }

    // ---- the index -------------------------------------------------------------------------------------

    std::uint64_t needed_budget() const { return std::uint64_t{block_ + 1} * m.max_degree + batch_size; }

    // Each of the threads at work may add so many configurations before the index must grow.
    bool hand_out_budget(unsigned sharing) {
        if (!visited_.make_room(needed_budget() * sharing)) return stop_at(Stop::memory);
        for (auto& worker : workers_) worker.budget = visited_.room() / sharing;
        return true;
    }

    void report() {
        const std::uint64_t now = bytes();
        std::uint64_t before = peak_;
        while (before < now && !peak_.compare_exchange_weak(before, now)) {}
        monitor_.memory = now;
        monitor_.states = g.size();
        monitor_.represented = g.represented();
        std::uint64_t past = 0;
        if (!g.rounds.empty())
            for (const std::uint64_t end : g.rounds.back().end) past += end;
        monitor_.frontier = g.size() - std::min(g.size(), past);
        if (Steps::reduces) report_samples();
    }

    void report_samples() {
        std::uint64_t enabled = 0, taken = 0;
        for (const Worker& worker : workers_) enabled += worker.enabled, taken += worker.taken;
        monitor_.enabled = enabled;
        monitor_.taken = taken;
    }
};

}  // namespace stormproof
