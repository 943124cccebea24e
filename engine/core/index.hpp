// An open-addressing table of 32-bit slots: a number, and in the bits that the number does not need, a few bits of a
// hash, so that most misses never touch what is numbered. Nothing is ever deleted. To grow, the old table is freed
// first and the new one filled from what is numbered: there are never two tables at once.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/memory.hpp"

namespace stormproof {

class Index {
  public:
    Index() = default;
    Index(const Index&) = delete;
    Index& operator=(const Index&) = delete;
    ~Index() { clear(); }

    static std::uint64_t bytes_for(unsigned log) { return std::uint64_t{4} << log; }

    // Frees the old table and takes an empty one with 2^log slots whose numbers have `number_bits` bits.
    bool reset(unsigned log, unsigned number_bits) {
        clear();
        slots_ = static_cast<std::atomic<std::uint32_t>*>(take_memory(bytes_for(log)));
        if (!slots_) return false;
        log_ = log;
        shift_ = 64 - log;
        slot_mask_ = (std::uint64_t{1} << log) - 1;
        number_mask_ = number_bits >= 32 ? UINT32_MAX : (std::uint32_t{1} << number_bits) - 1;
        return true;
    }
    void clear() {
        if (slots_) give_back(slots_, bytes_for(log_));
        slots_ = nullptr;
    }

    std::uint64_t bytes() const { return slots_ ? bytes_for(log_) : 0; }
    unsigned log() const { return log_; }
    std::uint64_t slot_of(std::uint64_t hash) const { return hash >> shift_; }
    std::uint64_t next(std::uint64_t slot) const { return (slot + 1) & slot_mask_; }
    std::atomic<std::uint32_t>& operator[](std::uint64_t slot) { return slots_[slot]; }
    const std::atomic<std::uint32_t>& operator[](std::uint64_t slot) const { return slots_[slot]; }

    std::uint32_t entry(std::uint64_t hash, std::uint32_t number) const {
        return (static_cast<std::uint32_t>(hash) & ~number_mask_) | (number + 1);
    }
    bool may_be(std::uint32_t entry, std::uint64_t hash) const {
        return ((entry ^ static_cast<std::uint32_t>(hash)) & ~number_mask_) == 0;
    }
    std::uint32_t number(std::uint32_t entry) const { return (entry & number_mask_) - 1; }

  private:
    std::atomic<std::uint32_t>* slots_ = nullptr;
    std::uint64_t slot_mask_ = 0;
    unsigned log_ = 0, shift_ = 0;
    std::uint32_t number_mask_ = 0;
};

}  // namespace stormproof
