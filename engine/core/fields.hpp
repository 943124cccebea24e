// Numbers of a few bits each, packed into 64-bit words.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace stormproof {

// A group of bits that lies within one word.
struct Field {
    std::uint32_t word = 0, shift = 0;
    std::uint64_t mask = 0;  // of the value, before the shift; 0: there is no such field, and its value is 0
    std::uint64_t get(const std::uint64_t* words) const { return (words[word] >> shift) & mask; }
    void set(std::uint64_t* words, std::uint64_t value) const {
        words[word] = (words[word] & ~(mask << shift)) | (value << shift);
    }
    void add(std::uint64_t* words, std::uint64_t value) const { words[word] += value << shift; }
};

// Places each field into the first word with room for it, or else into a new word.
class Packer {
  public:
    // With at most so many bits in a word, unless a field has more.
    explicit Packer(std::uint32_t most = 64) : most_(most) {}

    // A field for the values 0 to `values` - 1.
    Field field(std::uint64_t values) { return bits_field(static_cast<std::uint32_t>(std::bit_width(values - 1))); }
    Field bits_field(std::uint32_t bits) {
        if (bits == 0) return {};
        const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
        for (std::uint32_t i = 0; i < used_.size(); ++i)
            if (used_[i] + bits <= most_) {
                used_[i] += bits;
                return {i, used_[i] - bits, mask};
            }
        used_.push_back(bits);
        return {static_cast<std::uint32_t>(used_.size() - 1), 0, mask};
    }
    // So many new words; returns the number of the first.
    std::uint32_t whole_words(std::uint32_t count) {
        const auto first = static_cast<std::uint32_t>(used_.size());
        used_.insert(used_.end(), count, 64);
        return first;
    }
    // How many bits of each word are used, from the lowest on.
    std::vector<std::uint32_t> used_bits() const {
        std::vector<std::uint32_t> bits = used_;
        bits.resize(words(), 0);
        return bits;
    }
    std::uint32_t words() const { return std::max<std::uint32_t>(1, static_cast<std::uint32_t>(used_.size())); }

  private:
    const std::uint32_t most_;
    std::vector<std::uint32_t> used_;  // of each word, how many bits
};

}  // namespace stormproof
