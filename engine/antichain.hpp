// States of a cheapest-first search under subsumption: under each key an antichain of sets of bits.
//
// A state is a key (compared for equality) and a payload (a set of bits, the more the better): a state is
// subsumed by one with the same key, a payload that includes its own, and a cost that is not greater. The
// search settles states in the order of their cost, so dropping subsumed states keeps shortest paths exact.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "limits.hpp"
#include "system.hpp"

namespace stormproof {


// How a state was reached: what the sender did alone, its send, and in a matched pair the same of the receiver.
struct Arrival {
    std::uint32_t sender = none, before_send = none, send = none;
    std::uint32_t receiver = none, before_reception = none, reception = none;
};

struct RscState {
    std::uint64_t bits = 0;  // the first word of the payload, here so that walking an antichain stays in one place
    std::uint32_t next = none, cost = 0, key = none, parent = none;
    Arrival arrival;
    bool dead = false;  // subsumed by a state that came later and is as cheap
    std::uint8_t turn = 0;  // the permutation that took it to the least of its orbit
};

class Antichain {
  public:
    Antichain(std::size_t key_words, std::size_t payload_words, const Monitor& monitor)
        : key_words_(key_words), payload_words_(payload_words), monitor_(monitor) {}

    const RscState& state(std::uint32_t i) const { return states_[i]; }
    const std::uint64_t* key(std::uint32_t i) const { return &keys_[std::size_t(states_[i].key) * key_words_]; }
    const std::uint64_t* payload(std::uint32_t i) const { return &payloads_[std::size_t(i) * payload_words_]; }
    std::size_t size() const { return states_.size(); }
    std::uint64_t bytes() const { return bytes_; }
    bool full() const { return full_; }  // the memory limit forbade growth: the answer is not complete

    // The number of the new state, or `none` when an old one subsumes it (or memory is full). `settled`: every
    // state still to come costs at least this.
    std::uint32_t add(const std::uint64_t* key, const std::uint64_t* payload, std::uint32_t parent,
                      std::uint32_t cost, std::uint32_t settled, const Arrival& arrival, std::uint32_t turn = 0) {
        std::uint32_t k = find_key(key);
        if (k == none || subsumed(heads_[k], payload, cost)) return none;
        if (!room(states_, 1) || !room(payloads_, payload_words_)) return none;
        remove_subsumed(k, payload, cost, settled);
        std::uint32_t i = static_cast<std::uint32_t>(states_.size());
        states_.push_back({payload[0], heads_[k], cost, k, parent, arrival, false, static_cast<std::uint8_t>(turn)});
        payloads_.insert(payloads_.end(), payload, payload + payload_words_);
        heads_[k] = i;
        return i;
    }

    // Counts memory that the search uses outside of the antichain.
    void charge(std::uint64_t more) {
        if (!monitor_.allows(bytes_ + more)) full_ = true;
        bytes_ += more;
    }

    // Asks the monitor before a vector grows, so that the memory limit is never exceeded.
    template <class T>
    bool room(std::vector<T>& v, std::size_t more) {
        std::size_t need = v.size() + more;
        if (need <= v.capacity()) return true;
        std::size_t capacity = std::max({need, v.capacity() * 2, std::size_t(64)});
        if (!monitor_.allows(bytes_ + capacity * sizeof(T))) {
            full_ = true;
            return false;
        }
        bytes_ += (capacity - v.capacity()) * sizeof(T);
        v.reserve(capacity);
        return true;
    }

  private:
    // The words after the first, which the caller has compared.
    bool includes_rest(const std::uint64_t* big, const std::uint64_t* small) const {
        for (std::size_t w = 1; w < payload_words_; ++w)
            if (small[w] & ~big[w]) return false;
        return true;
    }

    bool subsumed(std::uint32_t head, const std::uint64_t* small, std::uint32_t cost) const {
        for (std::uint32_t i = head; i != none; i = states_[i].next) {
            const RscState& old = states_[i];
            if (!(small[0] & ~old.bits) && old.cost <= cost && includes_rest(payload(i), small)) return true;
        }
        return false;
    }

    // Removes from the antichain what the new state subsumes; a removed state that was not yet expanded and is no
    // cheaper need not be expanded.
    void remove_subsumed(std::uint32_t k, const std::uint64_t* big, std::uint32_t cost, std::uint32_t settled) {
        std::uint32_t* link = &heads_[k];
        while (*link != none) {
            RscState& old = states_[*link];
            bool covered = !(old.bits & ~big[0]) && cost <= std::max(old.cost, settled) &&
                           includes_rest(big, payload(*link));
            if (covered) {
                if (old.cost >= cost) old.dead = true;
                *link = old.next;
            } else {
                link = &old.next;
            }
        }
    }

    std::uint64_t hash(const std::uint64_t* key) const {
        std::uint64_t h = 0x9e3779b97f4a7c15ull;
        for (std::size_t w = 0; w < key_words_; ++w) {
            h = (h ^ key[w]) * 0xff51afd7ed558ccdull;
            h ^= h >> 32;
        }
        return h;
    }

    std::uint32_t find_key(const std::uint64_t* key) {
        if ((heads_.size() + 1) * 2 > table_.size() && !grow_table()) return none;
        std::size_t mask = table_.size() - 1, slot = hash(key) & mask;
        for (; table_[slot] != none; slot = (slot + 1) & mask)
            if (std::equal(key, key + key_words_, &keys_[std::size_t(table_[slot]) * key_words_]))
                return table_[slot];
        if (!room(keys_, key_words_) || !room(heads_, 1)) return none;
        keys_.insert(keys_.end(), key, key + key_words_);
        heads_.push_back(none);
        return table_[slot] = static_cast<std::uint32_t>(heads_.size() - 1);
    }

    bool grow_table() {
        std::size_t size = std::max<std::size_t>(64, table_.size() * 2);
        if (!monitor_.allows(bytes_ + size * sizeof(std::uint32_t))) {
            full_ = true;
            return false;
        }
        bytes_ += (size - table_.size()) * sizeof(std::uint32_t);
        table_.assign(size, none);
        for (std::uint32_t k = 0; k < heads_.size(); ++k) {
            std::size_t slot = hash(&keys_[std::size_t(k) * key_words_]) & (size - 1);
            while (table_[slot] != none) slot = (slot + 1) & (size - 1);
            table_[slot] = k;
        }
        return true;
    }

    std::size_t key_words_, payload_words_;
    const Monitor& monitor_;
    std::uint64_t bytes_ = 0;
    bool full_ = false;
    std::vector<RscState> states_;
    std::vector<std::uint64_t> payloads_, keys_;
    std::vector<std::uint32_t> heads_, table_;
};

}  // namespace stormproof
