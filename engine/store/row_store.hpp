// The configurations that were found, by number, and what is known of each.
//
// One thread adds configurations. Others may look rows up meanwhile, and read those that they know of: a row is whole before
// its number is in the index, and before the rows or the index move to where there is more room, the one that adds waits until
// nobody reads.
#pragma once

#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <shared_mutex>

#include "core/platform.hpp"
#include "steps/faulty.hpp"

namespace stormproof::survival {

constexpr std::uint32_t unclear = 1u << 31;  // of Node::mask: some calm run hits the bound of the slack

// Bits of Node::flags.
enum : std::uint8_t {
    expanded = 1,  // a storm reaches it, with the fewest faults and actions that are noted
    judged = 2,    // its mask is final
    valued = 4,    // the goals that hold here are in its mask
    widened = 8,   // its calm successors with the slack are its edges
    hits = 16,     // a calm send from here needs more messages than the slack allows
    tried = 32,    // a search for a path to the goals has been here
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
    explicit Store(const Layout& layout) : cells_(layout.cells), slots_(1024) {}

    std::vector<Node> nodes;
    std::vector<std::uint32_t> edges;

    std::uint32_t size() const { return static_cast<std::uint32_t>(nodes.size()); }
    const Cell* row(std::uint32_t id) const { return rows_.get() + std::size_t{id} * cells_; }
    void read(std::uint32_t id, std::vector<Cell>& out) const { out.assign(row(id), row(id) + cells_); }

    // Nothing moves while a thread has this: for those that read while another one adds.
    std::shared_lock<std::shared_mutex> hold_still() const { return std::shared_lock(moving_); }
    // The number of a row, or `nothing`.
    std::uint32_t find(const Cell* row, std::uint64_t hash) const { return look_up(row, hash).number - 1; }
    // Hints that one of them is needed soon.
    void fetch(std::uint32_t id) const { prefetch(&nodes[id]); }
    void fetch_slot(std::uint64_t hash) const { prefetch(&slots_[hash & (slots_.size() - 1)]); }

    std::uint32_t find_or_add(const Cell* row) { return find_or_add(row, hash_of(row)); }
    std::uint32_t find_or_add(const Cell* row, std::uint64_t hash) {
        if (nodes.size() * 4 > slots_.size() * 3) grow();
        const auto [slot, number] = look_up(row, hash);
        if (number) return number - 1;
        if (nodes.size() == room_) make_room();
        std::memcpy(rows_.get() + nodes.size() * cells_, row, cells_ * sizeof(Cell));
        nodes.emplace_back();
        slots_[slot].store(size(), std::memory_order_release);
        return size() - 1;
    }

    template <class Visit>
    void each_successor(std::uint32_t id, Visit&& visit) const {
        const Node& node = nodes[id];
        for (std::uint32_t i = 0; i < node.degree; ++i) visit(edges[node.first + i]);
    }

    std::uint64_t bytes() const {
        return room_ * cells_ * sizeof(Cell) + nodes.capacity() * sizeof(Node) + edges.capacity() * 4 +
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
    std::vector<std::atomic<std::uint32_t>> slots_;  // number + 1, or 0
    std::unique_ptr<Cell[]> rows_;
    std::size_t room_ = 0;              // for so many of them
    mutable std::shared_mutex moving_;  // slots or rows

    struct Place {
        std::size_t slot;
        std::uint32_t number;  // what was read there
    };
    // Where the row is, or is to be. Each slot is read once: another row may be put there at any moment.
    Place look_up(const Cell* row, std::uint64_t hash) const {
        for (std::size_t slot = hash & (slots_.size() - 1);; slot = (slot + 1) & (slots_.size() - 1)) {
            const std::uint32_t number = slots_[slot].load(std::memory_order_acquire);
            if (!number || std::memcmp(this->row(number - 1), row, cells_ * sizeof(Cell)) == 0) return {slot, number};
        }
    }
    void make_room() {
        const std::unique_lock<std::shared_mutex> lock(moving_);
        const std::size_t room = std::max<std::size_t>(2 * room_, 16);
        auto rows = std::make_unique_for_overwrite<Cell[]>(room * cells_);
        if (rows_) std::memcpy(rows.get(), rows_.get(), nodes.size() * cells_ * sizeof(Cell));
        rows_ = std::move(rows);
        room_ = room;
    }
    void grow() {
        const std::unique_lock<std::shared_mutex> lock(moving_);
        slots_ = std::vector<std::atomic<std::uint32_t>>(slots_.size() * 2);
        for (std::uint32_t id = 0; id < size(); ++id) {
            std::size_t slot = hash_of(row(id)) & (slots_.size() - 1);
            while (slots_[slot].load(std::memory_order_relaxed)) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot].store(id + 1, std::memory_order_relaxed);
        }
    }
};

}  // namespace stormproof::survival
