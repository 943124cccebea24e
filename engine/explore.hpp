// The k-bounded transition system, explored breadth first and kept: configurations in the order in which they
// were found, and for each the numbers of its successors.
//
// Successors are made in batches: while one batch is generated, the slots and the configurations that it will
// be compared with are fetched from memory, which is what a search waits for.
//
// With two threads both expand blocks of the current level and share the index; a configuration belongs to
// the shard of the thread that found it first. Levels are the same whatever the threads do, so counts,
// verdicts and the lengths of witnesses are.
//
// Silent steps cost nothing in the length of a run: a level is closed under them, round by round, before its
// actions are taken. Nothing remembers parents: a predecessor is in the round before, see `witness.hpp`.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "limits.hpp"
#include "machine.hpp"
#include "store.hpp"

namespace stormproof {

constexpr std::uint32_t last_edge = std::uint32_t{1} << 31;  // marks the last successor of a configuration
constexpr std::uint32_t no_edges = UINT32_MAX;
constexpr std::uint32_t most_numbers = last_edge - 2;

// What one thread found, and the edges that it wrote.
template <unsigned W>
struct Shard {
    Growing<Config<W>> configs;
    Growing<std::uint32_t> first;  // where the successors of each configuration begin: stream in bit 31, offset
    Growing<std::uint32_t> edges;
    Growing<std::uint16_t> chosen;  // reduction only: the process expanded alone, or `everyone`
    std::uint64_t size = 0, edge_count = 0;
};

constexpr std::uint16_t everyone = UINT16_MAX;

// A round of configurations: in each shard the numbers from `begin` to `end`.
struct Round {
    std::array<std::uint64_t, 2> begin{}, end{};
    bool silent = false;  // reached by a silent step from the round before
    std::uint64_t size() const { return end[0] - begin[0] + end[1] - begin[1]; }
};

template <unsigned W>
class Graph {
  public:
    explicit Graph(const Machine& machine, unsigned threads) : m(machine), shard_bits(threads > 1 ? 1 : 0) {}

    const Machine& m;
    const unsigned shard_bits;  // the low bits of a number name its shard
    std::array<Shard<W>, 2> shards;
    std::vector<Round> rounds;
    bool reduced = false;

    unsigned shard_of(std::uint32_t id) const { return id & shard_bits; }
    std::uint32_t local(std::uint32_t id) const { return id >> shard_bits; }
    std::uint32_t number(unsigned shard, std::uint64_t local) const {
        return static_cast<std::uint32_t>(local << shard_bits) | shard;
    }
    const Config<W>& config(std::uint32_t id) const { return shards[shard_of(id)].configs[local(id)]; }
    std::uint64_t size() const { return shards[0].size + shards[1].size; }
    std::uint64_t edge_count() const { return shards[0].edge_count + shards[1].edge_count; }
    std::uint64_t bytes() const {
        const std::uint64_t each = sizeof(Config<W>) + 4 + (reduced ? 2 : 0);
        return size() * each + edge_count() * 4;
    }

    // The successors of a configuration, in the order of `each_step`: visit(number).
    template <class Visit>
    void each_edge(std::uint32_t id, Visit&& visit) const {
        std::uint32_t at = shards[shard_of(id)].first[local(id)];
        if (at == no_edges) return;
        const Growing<std::uint32_t>& edges = shards[at >> 31].edges;
        for (at &= ~last_edge;; ++at) {
            const std::uint32_t edge = edges[at];
            visit(edge & ~last_edge);
            if (edge & last_edge) return;
        }
    }

    // Every step that was taken from a configuration, with where it leads:
    // action(step number, step, successor), then silent(successor).
    template <class Action, class Silent>
    void each_step(std::uint32_t id, Action&& action, Silent&& silent) const {
        const Shard<W>& own = shards[shard_of(id)];
        std::uint32_t at = own.first[local(id)];
        if (at == no_edges) return;
        const Growing<std::uint32_t>& edges = shards[at >> 31].edges;
        at &= ~last_edge;
        std::uint32_t edge = 0;
        const std::uint16_t only = reduced ? own.chosen[local(id)] : everyone;
        each_enabled(m, own.configs[local(id)], [&](std::uint32_t number, const Step& step) {
            if (only != everyone && step.process != only) return;
            edge = edges[at++];
            action(number, step, edge & ~last_edge);
        });
        while (!(edge & last_edge)) {
            edge = edges[at++];
            silent(edge & ~last_edge);
        }
    }
};

template <unsigned W>
class Explorer {
  public:
    Explorer(Graph<W>& graph, Monitor& monitor, unsigned threads)
        : g(graph), m(graph.m), monitor_(monitor), threads_(threads) {
        block_ = std::clamp<std::uint32_t>(4096 / m.max_degree, 1, 64);
        for (auto& worker : workers_) worker.batch.resize(batch_size + m.max_degree);
    }

    // Explores everything, or until a limit: then says which.
    Stop run() {
        if (!grow_index()) return stop_;
        add_initial();
        std::size_t level = 0;  // the first round of the current level
        while (level < g.rounds.size()) {
            if (m.silent && !close(level)) return stop_;
            const std::size_t next = g.rounds.size();
            Round found = start_round(false);
            for (std::size_t r = level; r < next; ++r)
                if (!expand(g.rounds[r], false)) return stop_;
            if (finish_round(found)) g.rounds.push_back(found);
            level = next;
        }
        report();
        index_.clear();
        return stop_ = monitor_.over() == Stop::states ? Stop::states : Stop::none;
    }

    std::uint64_t peak_bytes() const { return peak_; }

  private:
    static constexpr std::size_t batch_size = 64;
    struct Pending {
        Config<W> config;
        std::uint64_t hash;
        bool last;
    };
    struct Worker {
        std::vector<Pending> batch;
        std::size_t pending = 0;
        std::uint64_t budget = 0;  // how many configurations it may still add before the index must grow
    };

    Graph<W>& g;
    const Machine& m;
    Monitor& monitor_;
    const unsigned threads_;
    Index index_;
    std::array<Worker, 2> workers_;
    std::uint32_t block_;
    std::atomic<std::uint64_t> cursor_{0};
    std::atomic<bool> halt_{false};
    std::atomic<std::uint8_t> failed_{0};
    bool shared_ = false;
    Stop stop_ = Stop::none;
    std::uint64_t peak_ = 0;

    void add_initial() {
        const Config<W> c = initial_config<W>(m);
        bool fresh = false;
        find_or_add(0, c, hash_of(c), fresh);
        Round round;
        round.end[0] = 1;
        g.rounds.push_back(round);
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
        for (unsigned s = 0; s < 2; ++s) round.begin[s] = g.shards[s].size;
        round.silent = silent;
        return round;
    }
    bool finish_round(Round& round) const {
        for (unsigned s = 0; s < 2; ++s) round.end[s] = g.shards[s].size;
        return round.size() > 0;
    }

    // Expands every configuration of a round; `only_silent`: by silent steps only, and without keeping edges.
    bool expand(const Round round, bool only_silent) {
        cursor_ = 0;
        while (true) {
            if (!hand_out_budget()) return false;
            const bool two = threads_ > 1 && round.size() - std::min(round.size(), cursor_.load()) > 8192;
            shared_ = two;
            halt_ = false;
            if (two) {
                std::thread other([&] { work(1, round, only_silent); });
                work(0, round, only_silent);
                other.join();
            } else {
                work(0, round, only_silent);
            }
            if (failed_) return stop_at(static_cast<Stop>(failed_.load()));
            if (cursor_ >= round.size()) return true;
        }
    }

    bool stop_at(Stop why) {
        stop_ = why;
        report();
        index_.clear();
        return false;
    }

    void work(unsigned who, const Round& round, bool only_silent) {
        Worker& worker = workers_[who];
        const std::uint64_t total = round.size();
        for (unsigned turn = 0;; ++turn) {
            // What is still pending will be added before this block's: both must fit the budget.
            if (halt_ || worker.budget < std::uint64_t{block_ + 1} * m.max_degree + batch_size) break;
            const std::uint64_t begin = cursor_.fetch_add(block_);
            if (begin >= total) break;
            const std::uint64_t end = std::min<std::uint64_t>(begin + block_, total);
            for (std::uint64_t i = begin; i < end; ++i) expand_one(who, round, i, only_silent);
            if (who == 0 && turn % 16 == 0 && over_limit()) break;
        }
        flush(who, only_silent);
    }

    bool over_limit() {
        report();
        const Stop why = monitor_.over();
        if (why != Stop::none) fail(why);
        return why != Stop::none;
    }

    void fail(Stop why) {
        std::uint8_t none = 0;
        failed_.compare_exchange_strong(none, static_cast<std::uint8_t>(why));
        halt_ = true;
    }

    void expand_one(unsigned who, const Round& round, std::uint64_t i, bool only_silent) {
        const std::uint64_t here = round.end[0] - round.begin[0];
        const unsigned s = i < here ? 0 : 1;
        const std::uint64_t local = s == 0 ? round.begin[0] + i : round.begin[1] + (i - here);
        const Config<W> c = g.shards[s].configs[local];
        Worker& worker = workers_[who];
        const std::size_t before = worker.pending;
        const auto push = [&](const Config<W>& next) {
            Pending& p = worker.batch[worker.pending++];
            p.config = next;
            p.hash = hash_of(next);
            p.last = false;
            __builtin_prefetch(&index_[index_.slot_of(p.hash)]);
        };
        if (!only_silent) {
            each_enabled(m, c, [&](std::uint32_t, const Step& step) { push(perform(m, step, c)); });
        }
        if (m.silent) each_silent(m, c, push);
        if (!only_silent) {
            const std::uint64_t at = g.shards[who].edge_count + before;
            g.shards[s].first[local] =
                worker.pending == before ? no_edges : static_cast<std::uint32_t>(at) | (who << 31);
        }
        if (worker.pending > before) worker.batch[worker.pending - 1].last = true;
        if (worker.pending >= batch_size) flush(who, only_silent);
    }

    void flush(unsigned who, bool only_silent) {
        Worker& worker = workers_[who];
        Shard<W>& shard = g.shards[who];
        if (!only_silent && !make_room(shard.edges, shard.edge_count + worker.pending, last_edge)) {
            worker.pending = 0;
            return;
        }
        for (std::size_t i = 0; i < worker.pending; ++i) {
            const Pending& p = worker.batch[i];
            const std::uint32_t entry = index_[index_.slot_of(p.hash)].load(std::memory_order_acquire);
            if (entry && index_.may_be(entry, p.hash)) __builtin_prefetch(&g.config(index_.number(entry)));
        }
        for (std::size_t i = 0; i < worker.pending; ++i) {
            const Pending& p = worker.batch[i];
            bool fresh = false;
            const std::uint32_t id = find_or_add(who, p.config, p.hash, fresh);
            if (fresh) --worker.budget;
            if (!only_silent) shard.edges[shard.edge_count++] = id | (p.last ? last_edge : 0);
        }
        worker.pending = 0;
    }

    template <class T>
    bool make_room(Growing<T>& array, std::uint64_t entries, std::uint64_t most) {
        if (entries <= most && array.reserve(entries)) return true;
        fail(Stop::memory);
        return false;
    }

    std::uint32_t find_or_add(unsigned who, const Config<W>& c, std::uint64_t hash, bool& fresh) {
        Shard<W>& shard = g.shards[who];
        std::uint64_t slot = index_.slot_of(hash);
        bool written = false;
        while (true) {
            std::uint32_t entry = index_[slot].load(std::memory_order_acquire);
            if (entry == 0) {
                // The configuration is in its place before its number can be seen.
                if (!written && !write(shard, c)) return 0;
                written = true;
                const std::uint32_t id = g.number(who, shard.size);
                if (publish(slot, entry, index_.entry(hash, id))) {
                    ++shard.size;
                    fresh = true;
                    return id;
                }
            }
            if (index_.may_be(entry, hash)) {
                const std::uint32_t id = index_.number(entry);
                if (g.config(id) == c) return id;
            }
            slot = index_.next(slot);
        }
    }

    bool write(Shard<W>& shard, const Config<W>& c) {
        const std::uint64_t most = most_numbers >> g.shard_bits;
        if (!make_room(shard.configs, shard.size + 1, most) || !make_room(shard.first, shard.size + 1, most))
            return false;
        shard.configs[shard.size] = c;
        return true;
    }

    bool publish(std::uint64_t slot, std::uint32_t& found, std::uint32_t entry) {
        if (shared_)
            return index_[slot].compare_exchange_strong(found, entry, std::memory_order_release,
                                                        std::memory_order_acquire);
        index_[slot].store(entry, std::memory_order_relaxed);
        return true;
    }

    // ---- the index -------------------------------------------------------------------------------------

    std::uint64_t needed_budget() const { return std::uint64_t{block_ + 1} * m.max_degree + batch_size; }

    static std::uint64_t most_load(unsigned log) { return (std::uint64_t{3} << log) / 4; }

    bool hand_out_budget() {
        const std::uint64_t wanted = needed_budget() * threads_;
        while (g.size() + wanted > most_load(index_.log()))
            if (!grow_index()) return false;
        const std::uint64_t budget = (most_load(index_.log()) - g.size()) / threads_;
        for (auto& worker : workers_) worker.budget = budget;
        return true;
    }

    bool grow_index() {
        unsigned log = index_.bytes() ? index_.log() + 1 : 10;
        while (g.size() + needed_budget() * threads_ > most_load(log)) ++log;
        // Numbers interleave the shards, so they may be twice as large as their count.
        const unsigned number_bits = std::min(32u, log + g.shard_bits);
        if (!monitor_.allows(g.bytes() + Index::bytes_for(log))) return stop_at(Stop::memory);
        if (!index_.reset(log, number_bits)) return stop_at(Stop::memory);
        fill_index();
        report();
        return true;
    }

    void fill_index() {
        constexpr std::uint64_t ahead = 16;
        for (unsigned s = 0; s < 2; ++s) {
            const Shard<W>& shard = g.shards[s];
            std::uint64_t hashes[ahead] = {};
            for (std::uint64_t i = 0; i < shard.size + ahead; ++i) {
                if (i >= ahead && i - ahead < shard.size) place(hashes[i % ahead], g.number(s, i - ahead));
                if (i >= shard.size) continue;
                hashes[i % ahead] = hash_of(shard.configs[i]);
                __builtin_prefetch(&index_[index_.slot_of(hashes[i % ahead])]);
            }
        }
    }

    void place(std::uint64_t hash, std::uint32_t id) {
        std::uint64_t slot = index_.slot_of(hash);
        while (index_[slot].load(std::memory_order_relaxed)) slot = index_.next(slot);
        index_[slot].store(index_.entry(hash, id), std::memory_order_relaxed);
    }

    void report() {
        const std::uint64_t bytes = g.bytes() + index_.bytes();
        peak_ = std::max(peak_, bytes);
        monitor_.memory = bytes;
        monitor_.states = g.size();
        const std::uint64_t past = g.rounds.empty() ? 0 : g.rounds.back().end[0] + g.rounds.back().end[1];
        monitor_.frontier = g.size() - std::min(g.size(), past);
    }
};

}  // namespace stormproof
