// Permutations as what they do to the numbers that make up a configuration, and the least image of a configuration.
#pragma once

#include <cstdint>
#include <deque>
#include <numeric>
#include <vector>

namespace stormproof {

// Numbers are renamed by a table; where `bits` is not 0 the number is a queue of letters of so many bits each, with a
// 1 above the last one, and each letter is renamed.
struct Renaming {
    std::vector<std::uint32_t> table;
    std::uint32_t bits = 0;

    std::uint64_t operator()(std::uint64_t value) const {
        if (bits == 0) return table[value];
        std::uint64_t out = 0;
        std::uint32_t at = 0;
        for (; value > 1; value >>= bits, at += bits)
            out |= std::uint64_t{table[value & ((std::uint64_t{1} << bits) - 1)]} << at;
        return out | std::uint64_t{1} << at;
    }
};

// The renamings of a search, which stay where they are.
class Renamings {
  public:
    // Null: every number keeps its name.
    const Renaming* add(std::vector<std::uint32_t> table, std::uint32_t bits = 0) {
        std::vector<std::uint32_t> same(table.size());
        std::iota(same.begin(), same.end(), 0u);
        if (table == same) return nullptr;
        all_.push_back({std::move(table), bits});
        return &all_.back();
    }

  private:
    std::deque<Renaming> all_;
};

// Where the number of one place of the image comes from.
struct Origin {
    std::uint32_t place = 0;
    const Renaming* renaming = nullptr;  // or none

    template <class Number>
    std::uint64_t value(const Number* numbers) const {
        return renaming ? (*renaming)(numbers[place]) : std::uint64_t{numbers[place]};
    }
};

using Permutation = std::vector<Origin>;  // for each place

// The first of the permutations that gives the least image, and how many give it.
struct LeastImage {
    std::uint32_t permutation = 0, alike = 1;
};

// All of them; number 0 is the identity.
class Permutations {
  public:
    void push_back(Permutation permutation) {
        is_moved_.resize(permutation.size());
        for (std::uint32_t i = 0; i < permutation.size(); ++i)
            if (permutation[i].place != i || permutation[i].renaming) is_moved_[i] = true;
        moved_.clear();
        for (std::uint32_t i = 0; i < permutation.size(); ++i)
            if (is_moved_[i]) moved_.push_back(i);
        permutations_.push_back(std::move(permutation));
    }
    std::size_t size() const { return permutations_.size(); }
    const Permutation& operator[](std::uint32_t permutation) const { return permutations_[permutation]; }

    // Images are compared place by place, where they may differ: of many processes only some are moved.
    template <class Number>
    LeastImage least(const Number* numbers) const {
        LeastImage best;
        for (std::uint32_t t = 1; t < permutations_.size(); ++t) {
            const Permutation &now = permutations_[t], &least = permutations_[best.permutation];
            std::size_t i = 0;
            for (; i < moved_.size(); ++i) {
                const std::uint64_t a = now[moved_[i]].value(numbers), b = least[moved_[i]].value(numbers);
                if (a == b) continue;
                if (a < b) best = {t, 1};
                break;
            }
            if (i == moved_.size()) ++best.alike;
        }
        return best;
    }

  private:
    std::vector<Permutation> permutations_;
    std::vector<bool> is_moved_;
    std::vector<std::uint32_t> moved_;  // the places that some permutation changes
};

// Symmetries are used up to this number of permutations.
constexpr std::size_t most_permutations = 120;

}  // namespace stormproof
