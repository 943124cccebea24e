// Symmetry for the search of rsc.hpp (definitions 3.13): each orbit of states is represented by its least state.
#pragma once

#include <vector>

#include "reduce/symmetry.hpp"
#include "reduce/permutations.hpp"
#include "steps/rendezvous_layout.hpp"

namespace stormproof {

// A state as numbers: control states, the pending send, and for each process whether it depends on it, for each
// channel whether it is free.
class RscSymmetry {
  public:
    RscSymmetry(const RscLayout& layout, const std::vector<Automorphism>& group)
        : layout_(layout), group_(group), numbers_(layout.control.size() * 2 + layout.free.size() + 1) {
        for (const Automorphism& g : group) {
            std::vector<std::uint32_t> table;
            for (std::uint32_t i = 0; i < layout.pendings.size(); ++i) table.push_back(layout.image_of(g, i));
            permutations_.push_back(permutation_of(g, std::move(table)));
        }
    }

    bool used() const { return permutations_.size() > 1; }
    const Automorphism& operator[](std::uint32_t permutation) const { return group_[permutation]; }

    // Replaces a state by the least of its orbit, and returns the number of the permutation that leads there.
    std::uint32_t canonical(std::uint64_t* key, std::uint64_t* payload) {
        if (!used()) return 0;
        std::size_t at = 0;
        const auto read = [&](const Field& field, const std::uint64_t* words) { numbers_[at++] = field.get(words); };
        each(key, payload, read);
        const std::uint32_t permutation = permutations_.least(numbers_.data()).permutation;
        if (permutation == 0) return 0;
        at = 0;
        const auto write = [&](const Field& field, std::uint64_t* words) {
            field.set(words, permutations_[permutation][at++].value(numbers_.data()));
        };
        each(key, payload, write);
        return permutation;
    }

  private:
    const RscLayout& layout_;
    const std::vector<Automorphism>& group_;
    std::vector<std::uint64_t> numbers_;
    Permutations permutations_;
    Renamings renamings_;

    template <class Visit>
    void each(std::uint64_t* key, std::uint64_t* payload, Visit&& visit) const {
        for (const Field& field : layout_.control) visit(field, key);
        visit(layout_.pending, key);
        for (const Field& field : layout_.depends) visit(field, payload);
        for (const Field& field : layout_.free) visit(field, payload);
    }

    Permutation permutation_of(const Automorphism& g, std::vector<std::uint32_t> pendings) {
        const auto count = static_cast<std::uint32_t>(g.process.size());
        Permutation permutation(numbers_.size());
        permutation[count] = {count, renamings_.add(std::move(pendings))};
        for (std::uint32_t p = 0; p < count; ++p) {
            permutation[g.process[p]] = {p, renamings_.add(g.state[p])};
            permutation[count + 1 + g.process[p]] = {count + 1 + p};
        }
        for (std::uint32_t c = 0; c < g.channel.size(); ++c)
            permutation[2 * count + 1 + g.channel[c]] = {2 * count + 1 + c};
        return permutation;
    }
};

}  // namespace stormproof
