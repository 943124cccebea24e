// States of a cheapest-first search under subsumption: under each key an antichain of sets of bits.
//
// A state is a key (compared for equality) and a payload (a set of bits, the more the better): a state is
// subsumed by one with the same key, a payload that includes its own, and a cost that is not greater. The
// search finishes states in the order of their cost, so dropping subsumed states keeps shortest paths exact.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/index.hpp"
#include "core/numbers.hpp"
#include "core/platform.hpp"
#include "core/usage.hpp"

namespace stormproof {

// A state that several antichains make up is numbered by whoever has them.
constexpr std::uint64_t no_parent = UINT64_MAX;

struct RscState {
    std::uint64_t parent = no_parent;
    std::uint32_t next = none, cost = 0, key = none;
    bool dead = false;  // subsumed by a state that came later and is as cheap
};

class Antichain {
  public:
    Antichain(std::size_t key_words, std::size_t payload_words, Usage& usage)
        : key_words_(key_words), payload_words_(payload_words), usage_(usage) {}

    const RscState& state(std::uint32_t i) const { return states_[i]; }
    const std::uint64_t* key(std::uint32_t i) const { return &keys_[std::size_t(states_[i].key) * key_words_]; }
    const std::uint64_t* payload(std::uint32_t i) const { return payloads_.data() + std::size_t(i) * payload_words_; }
    // Key and payload.
    std::vector<std::uint64_t> words(std::uint32_t i) const {
        std::vector<std::uint64_t> out(key(i), key(i) + key_words_);
        out.insert(out.end(), payload(i), payload(i) + payload_words_);
        return out;
    }

    // The number of the new state, or `none` when an old one subsumes it (or memory is full). `final_cost`: every
    // state still to come costs at least this.
    std::uint32_t add(const std::uint64_t* key, const std::uint64_t* payload, std::uint64_t parent,
                      std::uint32_t cost = 0, std::uint32_t final_cost = 0) {
        std::uint32_t k = find_key(key);
        if (k == none || subsumed(heads_[k], payload, cost)) return none;
        if (states_.size() == none) usage_.fail();
        if (usage_.full() || !usage_.room(states_, 1) || !usage_.room(payloads_, payload_words_)) return none;
        remove_subsumed(k, payload, cost, final_cost);
        std::uint32_t i = static_cast<std::uint32_t>(states_.size());
        states_.push_back({parent, heads_[k], cost, k, false});
        payloads_.insert(payloads_.end(), payload, payload + payload_words_);
        heads_[k] = i;
        return i;
    }

    static std::uint64_t hash(const std::uint64_t* key, std::size_t words) {
        std::uint64_t h = 0x9e3779b97f4a7c15;
        for (std::size_t w = 0; w < words; ++w) h = multiply_fold(h ^ key[w], 0x9fb21c651e98df25);
        return h * 0xff51afd7ed558ccd;
    }

  private:
    bool includes(const std::uint64_t* big, const std::uint64_t* small) const {
        for (std::size_t w = 0; w < payload_words_; ++w)
            if (small[w] & ~big[w]) return false;
        return true;
    }

    bool subsumed(std::uint32_t head, const std::uint64_t* small, std::uint32_t cost) const {
        for (std::uint32_t i = head; i != none; i = states_[i].next)
            if (states_[i].cost <= cost && includes(payload(i), small)) return true;
        return false;
    }

    // Removes from the antichain what the new state subsumes; a removed state that was not yet expanded and is no
    // cheaper need not be expanded.
    void remove_subsumed(std::uint32_t k, const std::uint64_t* big, std::uint32_t cost, std::uint32_t final_cost) {
        std::uint32_t* link = &heads_[k];
        while (*link != none) {
            RscState& old = states_[*link];
            if (cost <= std::max(old.cost, final_cost) && includes(big, payload(*link))) {
                if (old.cost >= cost) old.dead = true;
                *link = old.next;
            } else {
                link = &old.next;
            }
        }
    }

    std::uint32_t find_key(const std::uint64_t* key) {
        if (heads_.size() >= most_load(index_.log()) && !grow_index()) return none;
        const std::uint64_t hash = this->hash(key, key_words_);
        std::uint64_t slot = index_.slot_of(hash);
        for (; const std::uint32_t entry = index_[slot].load(std::memory_order_relaxed); slot = index_.next(slot)) {
            const std::uint32_t k = index_.number(entry);
            if (index_.may_be(entry, hash) && std::equal(key, key + key_words_, &keys_[std::size_t(k) * key_words_]))
                return k;
        }
        if (!usage_.room(keys_, key_words_) || !usage_.room(heads_, 1)) return none;
        const auto k = static_cast<std::uint32_t>(heads_.size());
        keys_.insert(keys_.end(), key, key + key_words_);
        heads_.push_back(none);
        index_[slot].store(index_.entry(hash, k), std::memory_order_relaxed);
        return k;
    }

    static std::uint64_t most_load(unsigned log) { return log == 0 ? 0 : (std::uint64_t{3} << log) / 4; }

    bool grow_index() {
        const unsigned log = std::max(6u, index_.log() + 1);
        if (log >= 32) return usage_.fail();
        if (!usage_.take(Index::bytes_for(log))) return false;
        usage_.give_back(index_.bytes());
        if (!index_.reset(log, log)) return usage_.fail();
        for (std::uint32_t k = 0; k < heads_.size(); ++k) {
            const std::uint64_t hash = this->hash(&keys_[std::size_t(k) * key_words_], key_words_);
            std::uint64_t slot = index_.slot_of(hash);
            while (index_[slot].load(std::memory_order_relaxed)) slot = index_.next(slot);
            index_[slot].store(index_.entry(hash, k), std::memory_order_relaxed);
        }
        return true;
    }

    std::size_t key_words_, payload_words_;
    Usage& usage_;
    std::vector<RscState> states_;
    std::vector<std::uint64_t> payloads_, keys_;
    std::vector<std::uint32_t> heads_;
    Index index_;  // of the keys
};

}  // namespace stormproof
