// The configurations that were found, by number, and what is known of each.
#pragma once

#include <cstring>

#include "platform.hpp"
#include "survival_steps.hpp"

namespace stormproof::survival {

constexpr std::uint32_t unclear = 1u << 31;  // of Node::mask: some calm run hits the bound of the slack

// Bits of Node::flags.
enum : std::uint8_t {
    settled = 1,   // a storm reaches it, with the fewest faults and actions that are noted
    judged = 2,    // its mask is final
    valued = 4,    // the goals that hold here are in its mask
    widened = 8,   // its calm successors with the slack are its edges
    hits = 16,     // a calm send from here needs more messages than the slack allows
    tried = 32,    // a search for a way to the goals has been here
};

struct Node {
    std::uint32_t parent = nothing;
    std::uint32_t actions = 0;
    std::uint32_t mask = 0;      // a bit per ask: some calm run leads to its goal; the bit `unclear`: to a hit
    std::uint32_t first = 0;     // its calm successors, in Store::edges
    std::uint32_t place = nothing;  // in the list that is being worked on
    std::uint32_t faults = nothing;  // of the best storm that is known, if any
    std::uint16_t degree = 0;
    std::uint16_t last = UINT16_MAX;  // the process of the last action of that storm
    std::uint16_t changes = 0;        // how often another process acts than before
    std::uint8_t flags = 0;
    bool is(std::uint8_t flag) const { return flags & flag; }
};

template <class Cell>
class Store {
  public:
    explicit Store(const Layout& layout) : cells_(layout.cells), slots_(1024, 0) {}

    std::vector<Node> nodes;
    std::vector<std::uint32_t> edges;

    std::uint32_t size() const { return static_cast<std::uint32_t>(nodes.size()); }
    const Cell* row(std::uint32_t id) const { return rows_.data() + std::size_t{id} * cells_; }
    void read(std::uint32_t id, std::vector<Cell>& out) const { out.assign(row(id), row(id) + cells_); }

    // The number of a row, or `nothing`.
    std::uint32_t find(const Cell* row, std::uint64_t hash) const { return slots_[slot_for(row, hash)] - 1; }
    // Hints that one of them is needed soon.
    void fetch(std::uint32_t id) const { prefetch(&nodes[id]); }
    void fetch_slot(std::uint64_t hash) const { prefetch(&slots_[hash & (slots_.size() - 1)]); }

    std::uint32_t find_or_add(const Cell* row) { return find_or_add(row, hash_of(row)); }
    std::uint32_t find_or_add(const Cell* row, std::uint64_t hash) {
        if (nodes.size() * 4 > slots_.size() * 3) grow();
        const std::size_t slot = slot_for(row, hash);
        if (slots_[slot]) return slots_[slot] - 1;
        rows_.insert(rows_.end(), row, row + cells_);
        nodes.emplace_back();
        slots_[slot] = size();
        return size() - 1;
    }

    template <class Visit>
    void each_successor(std::uint32_t id, Visit&& visit) const {
        const Node& node = nodes[id];
        for (std::uint32_t i = 0; i < node.degree; ++i) visit(edges[node.first + i]);
    }

    std::uint64_t bytes() const {
        return rows_.capacity() * sizeof(Cell) + nodes.capacity() * sizeof(Node) + edges.capacity() * 4 +
               slots_.size() * 4;
    }
    // Could it take another configuration and its edges without running out of numbers?
    bool full() const { return nodes.size() >= nothing - 2 || edges.size() >= nothing - 70000; }

    std::uint64_t hash_of(const Cell* row) const {
        std::uint64_t h = 0x9e3779b97f4a7c15;
        for (std::size_t i = 0; i < cells_ * sizeof(Cell); i += 8) {
            std::uint64_t part;
            std::memcpy(&part, reinterpret_cast<const char*>(row) + i, 8);
            h = (h ^ part) * 0x9fb21c651e98df25;
            h ^= h >> 32;
        }
        return h;
    }

  private:
    const std::size_t cells_;
    std::vector<Cell> rows_;
    std::vector<std::uint32_t> slots_;  // number + 1, or 0

    // Where the row is, or is to be.
    std::size_t slot_for(const Cell* row, std::uint64_t hash) const {
        std::size_t slot = hash & (slots_.size() - 1);
        while (slots_[slot] && std::memcmp(this->row(slots_[slot] - 1), row, cells_ * sizeof(Cell)) != 0)
            slot = (slot + 1) & (slots_.size() - 1);
        return slot;
    }
    void grow() {
        slots_.assign(slots_.size() * 2, 0);
        for (std::uint32_t id = 0; id < size(); ++id) {
            std::size_t slot = hash_of(row(id)) & (slots_.size() - 1);
            while (slots_[slot]) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = id + 1;
        }
    }
};

}  // namespace stormproof::survival
