// Symmetry for the search of rsc.hpp (definitions 3.13): each orbit of states is represented by its least state.
#pragma once

#include <vector>

#include "reduce/symmetry.hpp"
#include "reduce/turns.hpp"
#include "steps/rendezvous_layout.hpp"

namespace stormproof {

// A state as numbers: control states, the pending send, and for each process whether it depends on it, for each
// channel whether it is free.
class RscTurns {
  public:
    RscTurns(const RscLayout& layout, const std::vector<Automorphism>& group)
        : layout_(layout), group_(group), numbers_(layout.control.size() * 2 + layout.free.size() + 1) {
        for (const Automorphism& g : group) {
            std::vector<std::uint32_t> table;
            for (std::uint32_t i = 0; i < layout.pendings.size(); ++i) table.push_back(layout.image_of(g, i));
            turns_.push_back(turn_of(g, std::move(table)));
        }
    }

    bool used() const { return turns_.size() > 1; }
    const Automorphism& operator[](std::uint32_t turn) const { return group_[turn]; }

    // Replaces a state by the least of its orbit, and returns the number of the permutation that leads there.
    std::uint32_t settle(std::uint64_t* key, std::uint64_t* payload) {
        if (!used()) return 0;
        std::size_t at = 0;
        const auto read = [&](const Field& field, const std::uint64_t* words) { numbers_[at++] = field.get(words); };
        each(key, payload, read);
        const std::uint32_t turn = turns_.least(numbers_.data()).turn;
        if (turn == 0) return 0;
        at = 0;
        const auto write = [&](const Field& field, std::uint64_t* words) {
            field.set(words, turns_[turn][at++].value(numbers_.data()));
        };
        each(key, payload, write);
        return turn;
    }

  private:
    const RscLayout& layout_;
    const std::vector<Automorphism>& group_;
    std::vector<std::uint64_t> numbers_;
    Turns turns_;
    Renamings renamings_;

    template <class Visit>
    void each(std::uint64_t* key, std::uint64_t* payload, Visit&& visit) const {
        for (const Field& field : layout_.control) visit(field, key);
        visit(layout_.pending, key);
        for (const Field& field : layout_.depends) visit(field, payload);
        for (const Field& field : layout_.free) visit(field, payload);
    }

    Turn turn_of(const Automorphism& g, std::vector<std::uint32_t> pendings) {
        const auto count = static_cast<std::uint32_t>(g.process.size());
        Turn turn(numbers_.size());
        turn[count] = {count, renamings_.add(std::move(pendings))};
        for (std::uint32_t p = 0; p < count; ++p) {
            turn[g.process[p]] = {p, renamings_.add(g.state[p])};
            turn[count + 1 + g.process[p]] = {count + 1 + p};
        }
        for (std::uint32_t c = 0; c < g.channel.size(); ++c)
            turn[2 * count + 1 + g.channel[c]] = {2 * count + 1 + c};
        return turn;
    }
};

}  // namespace stormproof
