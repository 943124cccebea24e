// Which configurations have been seen, and under which number.
//
// Configurations are kept in the graph, in the order in which they were found; the index is filled from there.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "core/index.hpp"
#include "core/limits.hpp"
#include "core/memory.hpp"
#include "core/platform.hpp"
#include "store/graph.hpp"

namespace stormproof {

template <unsigned W>
inline std::uint64_t hash_of(const Config<W>& c) {
    std::uint64_t h = 0x9e3779b97f4a7c15;
    for (unsigned i = 0; i < W; ++i) h = multiply_fold(c.w[i] ^ 0xa0761d6478bd642f, h ^ 0xe7037ed1a0b428db);
    return h * 0x9fb21c651e98df25;
}

template <unsigned W>
class Visited {
  public:
    Visited(Graph<W>& graph, const Monitor& monitor) : g(graph), monitor_(monitor) {}

    bool shared = false;  // several threads add at the same time

    std::uint64_t bytes() const { return index_.bytes(); }
    void clear() { index_.clear(); }

    void fetch_slot(std::uint64_t hash) { prefetch(&index_[index_.slot_of(hash)]); }
    void fetch_config(std::uint64_t hash) {
        const std::uint32_t entry = index_[index_.slot_of(hash)].load(std::memory_order_acquire);
        const bool hit = static_cast<int>(entry != 0) & static_cast<int>(index_.may_be(entry, hash));
        prefetch(&g.config(value_if(hit, index_.number(entry))));  // else the initial configuration, which costs nothing
    }

    // The number of a configuration, or `no_edges` when it has not been seen.
    std::uint32_t find(const Config<W>& c, std::uint64_t hash) {
        for (std::uint64_t slot = index_.slot_of(hash);; slot = index_.next(slot)) {
            const std::uint32_t entry = index_[slot].load(std::memory_order_acquire);
            if (entry == 0) return no_edges;
            if (index_.may_be(entry, hash) && g.config(index_.number(entry)) == c) return index_.number(entry);
        }
    }

    // The number of a configuration, a new one of shard `who` if it has not been seen; `no_edges` when there
    // is no memory for it. The caller has made room in the index.
    STORMPROOF_INLINE std::uint32_t find_or_add(unsigned who, const Config<W>& c, std::uint64_t hash, bool& fresh) {
        Shard<W>& shard = g.shards[who];
        bool written = false;
        for (std::uint64_t slot = index_.slot_of(hash);; slot = index_.next(slot)) {
            std::uint32_t entry = index_[slot].load(std::memory_order_acquire);
            if (entry == 0) {
                // The configuration is in its place before its number can be seen.
                if (!written && !shard.room_for_config(most_numbers >> g.shard_bits, g.reduced)) return no_edges;
                if (!written) shard.configs[shard.size] = c;
                written = true;
                const std::uint32_t id = g.number(who, shard.size);
                if (publish(slot, entry, index_.entry(hash, id))) {
                    shard.size++;
                    fresh = true;
                    return id;
                }
            }
            if (index_.may_be(entry, hash) && g.config(index_.number(entry)) == c) return index_.number(entry);
        }
    }

    // How many configurations may be added before the index must grow.
    std::uint64_t room() const { return most_load(index_.log()) - g.size(); }

    // Makes room for so many more; false when memory does not allow it.
    bool make_room(std::uint64_t more) {
        unsigned log = index_.bytes() ? index_.log() : 10;
        while (g.size() + more > most_load(log)) ++log;
        if (index_.bytes() && log == index_.log()) return true;
        // Numbers interleave the shards, so they may be larger than their count.
        if (!monitor_.allows(g.bytes() + Index::bytes_for(log))) return false;
        if (!index_.reset(log, std::min(32u, log + g.shard_bits))) return false;
        fill();
        return true;
    }

  private:
    Graph<W>& g;
    const Monitor& monitor_;
    Index index_;

    static std::uint64_t most_load(unsigned log) { return (std::uint64_t{3} << log) / 4; }

    bool publish(std::uint64_t slot, std::uint32_t& found, std::uint32_t entry) {
        if (shared)
            return index_[slot].compare_exchange_strong(found, entry, std::memory_order_release,
                                                        std::memory_order_acquire);
        index_[slot].store(entry, std::memory_order_relaxed);
        return true;
    }

    void fill() {
        constexpr std::uint64_t distance = 16;
        for (unsigned s = 0; s < g.shards.size(); ++s) {
            const Shard<W>& shard = g.shards[s];
            std::uint64_t hashes[distance] = {};
            for (std::uint64_t i = 0; i < shard.size + distance; ++i) {
                if (i >= distance && i - distance < shard.size) place(hashes[i % distance], g.number(s, i - distance));
                if (i >= shard.size) continue;
                hashes[i % distance] = hash_of(shard.configs[i]);
                fetch_slot(hashes[i % distance]);
            }
        }
    }

    void place(std::uint64_t hash, std::uint32_t id) {
        std::uint64_t slot = index_.slot_of(hash);
        while (index_[slot].load(std::memory_order_relaxed)) slot = index_.next(slot);
        index_[slot].store(index_.entry(hash, id), std::memory_order_relaxed);
    }
};

}  // namespace stormproof
