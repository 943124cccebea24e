// Numbers for the configurations of a fixed set, in about four bits each and without the configurations themselves.
//
// Each configuration falls on a bit; where it is alone there, the bit is its place, and the others go on to a smaller
// array (Limasset, Rizk, Chikhi and Peterlongo: Fast and scalable minimal perfect hashing for massive key sets). The few that are
// left are listed. What is not in the set has some number too: whoever asks must know.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <mutex>
#include <vector>

#include "core/configuration.hpp"
#include "core/function_ref.hpp"
#include "core/platform.hpp"
#include "store/visited.hpp"

namespace stormproof {

template <unsigned W>
class PerfectHash {
  public:
    // each(visit) visits every configuration of the set, in any order and several threads; false: it was stopped.
    using Visit = FunctionRef<void(const Config<W>&)>;
    bool build(std::uint64_t size, FunctionRef<bool(Visit)> each) {
        std::uint64_t left = size;
        while (left > few && levels_.size() < most_levels) {
            std::vector<Place> places(2 * left / bits_per_place + 1), crowded(places.size());
            const bool whole = each([&](const Config<W>& c) {
                const std::uint64_t hash = hash_of(c);
                if (!is_placed(hash)) note(bit_of(hash, levels_.size(), places.size()), places, crowded);
            });
            if (!whole) return false;
            std::uint64_t alone = 0;
            for (std::size_t i = 0; i < places.size(); ++i)
                for (unsigned w = 0; w < words; ++w) {
                    places[i].bits[w] &= ~crowded[i].bits[w];
                    alone += static_cast<std::uint64_t>(std::popcount(places[i].bits[w]));
                }
            left -= alone;
            levels_.push_back(std::move(places));
        }
        std::mutex adding;
        if (left > 0 && !each([&](const Config<W>& c) {
                if (is_placed(hash_of(c))) return;
                const std::lock_guard<std::mutex> lock(adding);
                rest_.push_back(c);
            }))
            return false;
        std::sort(rest_.begin(), rest_.end());
        count();
        return true;
    }

    std::uint64_t operator()(const Config<W>& c) const {
        const std::uint64_t hash = hash_of(c);
        for (std::size_t level = 0; level < levels_.size(); ++level) {
            const Bit at = bit_of(hash, level, levels_[level].size());
            const Place& place = levels_[level][at.place];
            if (!(place.bits[at.word] & at.mask)) continue;
            std::uint64_t number = place.before;
            for (unsigned w = 0; w < at.word; ++w) number += static_cast<std::uint64_t>(std::popcount(place.bits[w]));
            return number + static_cast<std::uint64_t>(std::popcount(place.bits[at.word] & (at.mask - 1)));
        }
        const auto found = std::lower_bound(rest_.begin(), rest_.end(), c);
        return found == rest_.end() ? 0 : placed_ + static_cast<std::uint64_t>(found - rest_.begin());
    }

    // About how much it takes for so many, while it is built.
    static std::uint64_t bytes_for(std::uint64_t size) { return size * 3 / 4 + 4096; }

  private:
    static constexpr unsigned words = 7, bits_per_place = 64 * words;
    static constexpr std::uint64_t few = 1000;
    static constexpr std::size_t most_levels = 40;
    struct alignas(64) Place {
        std::uint64_t before = 0;  // how many bits are set in the places before
        std::uint64_t bits[words] = {};
    };
    struct Bit {
        std::uint64_t place, mask;
        unsigned word;
    };
    std::vector<std::vector<Place>> levels_;
    std::vector<Config<W>> rest_;
    std::uint64_t placed_ = 0;

    static Bit bit_of(std::uint64_t hash, std::size_t level, std::uint64_t places) {
        const std::uint64_t h = multiply_fold(hash ^ (level + 1) * 0x9fb21c651e98df25, 0xe7037ed1a0b428db);
        const auto bit = static_cast<unsigned>((h & UINT32_MAX) * bits_per_place >> 32);
        return {(h >> 32) * places >> 32, std::uint64_t{1} << bit % 64, bit / 64};
    }

    bool is_placed(std::uint64_t hash) const {
        for (std::size_t level = 0; level < levels_.size(); ++level) {
            const Bit at = bit_of(hash, level, levels_[level].size());
            if (levels_[level][at.place].bits[at.word] & at.mask) return true;
        }
        return false;
    }

    static void note(const Bit& at, std::vector<Place>& places, std::vector<Place>& crowded) {
        const auto add = [&](std::uint64_t& bits) {
            return std::atomic_ref(bits).fetch_or(at.mask, std::memory_order_relaxed) & at.mask;
        };
        if (add(places[at.place].bits[at.word])) add(crowded[at.place].bits[at.word]);
    }

    void count() {
        for (auto& places : levels_)
            for (Place& place : places) {
                place.before = placed_;
                for (const std::uint64_t bits : place.bits) placed_ += static_cast<std::uint64_t>(std::popcount(bits));
            }
    }
};

extern template class PerfectHash<1>;
extern template class PerfectHash<4>;
extern template class PerfectHash<max_words>;

}  // namespace stormproof
