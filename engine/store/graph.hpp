// The k-bounded transition system as it is kept: configurations in the order in which they were found, and for
// each the numbers of its successors. Which step leads to which successor is not kept: steps are derived again,
// in the order of the successors.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "core/platform.hpp"
#include "reduce/configuration_symmetry.hpp"
#include "reduce/stubborn.hpp"
#include "steps/silent.hpp"

namespace stormproof {

constexpr std::uint32_t last_edge = std::uint32_t{1} << 31;  // marks the last successor of a configuration
constexpr std::uint32_t no_edges = UINT32_MAX;
constexpr std::uint32_t most_numbers = last_edge - 2;

// A counter with one writer, which another thread may read.
class Tally {
  public:
    STORMPROOF_INLINE operator std::uint64_t() const { return value_.load(std::memory_order_relaxed); }
    STORMPROOF_INLINE std::uint64_t operator++(int) {
        const std::uint64_t now = *this;
        *this += 1;
        return now;
    }
    STORMPROOF_INLINE void operator+=(std::uint64_t more) { value_.store(*this + more, std::memory_order_relaxed); }

  private:
    std::atomic<std::uint64_t> value_{0};
};

// What one thread found, and the edges that it wrote.
template <unsigned W>
struct alignas(cache_line) Shard {
    Growing<Config<W>> configs;
    Growing<std::uint32_t> first;  // where the successors of each configuration begin: whose edges, offset
    LargeArray<std::uint32_t> edges;  // written by its own thread only, and not read before the search ends
    Growing<std::uint16_t> chosen;  // reduction only: the process whose closed set was expanded, or `everyone`
    Growing<std::uint32_t> parents;  // reduction only: in the breadth-first order, plus 1
    alignas(cache_line) Tally size;
    Tally edge_count;
    Tally represented;  // symmetry: the configurations that its own stand for

    bool room_for_edges(std::uint64_t more, std::uint64_t most) {
        return edge_count + more < most && edges.reserve(edge_count + more);
    }
    // Room for one more configuration.
    bool room_for_config(std::uint64_t most, bool reduced) {
        return size < most && configs.reserve(size + 1) && first.reserve(size + 1) && (!reduced || chosen.reserve(size + 1));
    }
};

constexpr std::uint16_t everyone = UINT16_MAX;

// A round of configurations: in each shard the numbers from `begin` to `end`.
struct Round {
    std::vector<std::uint64_t> begin, end;
    bool silent = false;  // reached by a silent step from the round before
    std::uint64_t size() const {
        std::uint64_t sum = 0;
        for (std::size_t s = 0; s < begin.size(); ++s) sum += end[s] - begin[s];
        return sum;
    }
};

// A round's part of each shard, in threads of their own if it has so many configurations: visit(shard).
template <class Visit>
void each_shard(const Round& round, std::uint64_t parallel_from, Visit&& visit) {
    const auto shards = static_cast<unsigned>(round.begin.size());
    if (shards > 1 && round.size() >= parallel_from) return in_parallel(shards, visit);
    for (unsigned s = 0; s < shards; ++s) visit(s);
}

template <unsigned W>
class Graph {
  public:
    explicit Graph(const Machine& machine, unsigned threads)
        : m(machine), shard_bits(static_cast<unsigned>(std::bit_width(threads - 1))), shard_mask((1u << shard_bits) - 1),
          shards(threads) {}

    const Machine& m;
    const unsigned shard_bits, shard_mask;  // the low bits of a number name its shard
    std::vector<Shard<W>> shards;  // one per thread
    std::vector<Round> rounds;
    const ConfigurationSymmetry<W>* symmetry = nullptr;  // symmetry: each configuration stands for its orbit
    bool reduced = false;
    std::uint64_t unused_edges = 0;  // written before everybody was expanded instead
    // Of a reduced graph, whose rounds are in another order: the configurations breadth first, and the rounds of that.
    Growing<std::uint32_t> order;
    std::vector<Round> order_rounds;

    const std::vector<Round>& breadth_first_rounds() const { return reduced ? order_rounds : rounds; }

    unsigned shard_of(std::uint32_t id) const { return id & shard_mask; }
    std::uint32_t local(std::uint32_t id) const { return id >> shard_bits; }
    std::uint32_t number(unsigned shard, std::uint64_t local) const {
        return static_cast<std::uint32_t>(local << shard_bits) | shard;
    }
    const Config<W>& config(std::uint32_t id) const { return shards[shard_of(id)].configs[local(id)]; }
    std::uint64_t size() const {
        std::uint64_t sum = 0;
        for (const Shard<W>& shard : shards) sum += shard.size;
        return sum;
    }
    std::uint64_t edge_count() const {
        std::uint64_t sum = 0;
        for (const Shard<W>& shard : shards) sum += shard.edge_count;
        return sum - unused_edges;
    }
    std::uint64_t represented() const {
        std::uint64_t sum = 0;
        for (const Shard<W>& shard : shards) sum += shard.represented;
        return sum;
    }
    // How many edges a thread may write.
    std::uint64_t most_edges() const { return std::min<std::uint64_t>(last_edge, place_mask()) - 1; }
    std::uint32_t place_of_edges(unsigned shard, std::uint64_t offset) const {
        return static_cast<std::uint32_t>(offset | std::uint64_t{shard} << (32 - shard_bits));
    }
    std::uint64_t bytes() const {
        const std::uint64_t each = sizeof(Config<W>) + 4 + (reduced ? 2 : 0) + (order.capacity() ? 8 : 0);
        return size() * each + (edge_count() + unused_edges) * 4;
    }

    // The successors of a configuration, in the order of `each_step`: visit(number).
    template <class Visit>
    void each_edge(std::uint32_t id, Visit&& visit) const {
        const std::uint32_t* edge = edges_of(id);
        if (!edge) return;
        do visit(*edge & ~last_edge);
        while (!(*edge++ & last_edge));
    }

    // The successor with that number among those of `each_edge`, if there are so many.
    std::optional<std::uint32_t> successor(std::uint32_t id, std::uint32_t nth) const {
        const std::uint32_t* edges = edges_of(id);
        if (!edges || (nth > 0 && (edges[nth - 1] & last_edge))) return {};
        return edges[nth] & ~last_edge;
    }

    Config<W> representative(Config<W> c) const {
        if (symmetry) symmetry->canonical(c);
        return c;
    }
    // The permutation that takes a successor to its representative.
    std::uint32_t permutation_of(Config<W> c) const { return symmetry ? symmetry->canonical(c) : 0; }

    // Where the successors of a configuration begin, in the order of `each_step`; null: it has none.
    STORMPROOF_INLINE const std::uint32_t* edges_of(std::uint32_t id) const {
        const std::uint32_t at = shards[shard_of(id)].first[local(id)];
        return at == no_edges ? nullptr : edges_at(at);
    }

    // The actions that were taken from a configuration: visit(number, instruction).
    template <class Visit>
    void each_taken(std::uint32_t id, Visit&& visit) const {
        const Config<W>& c = config(id);
        const std::uint16_t who = reduced ? shards[shard_of(id)].chosen[local(id)] : everyone;
        if (who == everyone) return each_enabled(m, c, visit);
        thread_local ClosedSet closed;
        closed.close(m, who, c);
        closed.each_enabled_in(m, c, visit);
    }

    // Every step that was taken from a configuration, and its successor:
    // action(number of the instruction, instruction, successor), then silent(successor).
    template <class Action, class Silent>
    void each_step(std::uint32_t id, Action&& action, Silent&& silent) const {
        const std::uint32_t* next = edges_of(id);
        if (!next) return;
        std::uint32_t edge = 0;
        each_taken(id, [&](std::uint32_t number, const Instruction& instruction) {
            edge = *next++;
            action(number, instruction, edge & ~last_edge);
        });
        while (!(edge & last_edge)) {
            edge = *next++;
            silent(edge & ~last_edge);
        }
    }

    // The same with the permutation of each successor: action(number, instruction, successor, permutation) and
    // silent(successor, permutation).
    template <class Action, class Silent>
    void each_permuted_step(std::uint32_t id, Action&& action, Silent&& silent) const {
        if (symmetry) return each_step_of_orbit(id, action, silent);
        each_step(
            id, [&](std::uint32_t number, const Instruction& s, std::uint32_t to) { action(number, s, to, 0u); },
            [&](std::uint32_t to) { silent(to, 0u); });
    }

  private:
    template <class Action, class Silent>
    STORMPROOF_NOINLINE void each_step_of_orbit(std::uint32_t id, Action& action, Silent& silent) const {
        const Config<W>& c = config(id);
        std::vector<std::uint32_t> unseen;
        each_step(
            id,
            [&](std::uint32_t number, const Instruction& s, std::uint32_t to) {
                action(number, s, to, permutation_of(perform(m, s, c)));
            },
            [&](std::uint32_t to) { unseen.push_back(to); });
        if (unseen.empty()) return;
        auto next = unseen.begin();
        each_silent(m, c, [&](const Config<W>& n) { silent(*next++, permutation_of(n)); });
    }

    std::uint64_t place_mask() const { return (std::uint64_t{1} << (32 - shard_bits)) - 1; }
    const std::uint32_t* edges_at(std::uint32_t place) const {
        return shards[std::uint64_t{place} >> (32 - shard_bits)].edges.data() + (place & place_mask());
    }
};

}  // namespace stormproof
