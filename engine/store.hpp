// Memory of a search: arrays that grow without being copied, and the index of visited configurations.
//
// The index is an open-addressing table of 32-bit slots: the number of a configuration in the arena, and in
// the bits that the number does not need, a few bits of its hash, so that most misses never touch the arena.
// Nothing is ever deleted. To grow, the old table is freed first and the new one filled from the arena: there
// are never two tables at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <utility>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "machine.hpp"

namespace stormproof {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t cache_line = 128;  // two lines: processors fetch them in pairs

// Zeroed memory whose pages count only once they are touched; null when there is none.
inline void* take_memory(std::size_t bytes) {
#ifdef __linux__
    if (bytes >= huge_page) {
        void* where = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (where == MAP_FAILED) return nullptr;
        madvise(where, bytes, MADV_HUGEPAGE);  // random access is what a search does; a refusal is no harm
        return where;
    }
#endif
    return std::calloc(bytes, 1);
}

inline void give_back(void* where, std::size_t bytes) {
    if (!where) return;
#ifdef __linux__
    if (bytes >= huge_page) {
        munmap(where, bytes);
        return;
    }
#endif
    std::free(where);
}

// An array that grows by segments, each as long as all before it: entries never move, so that other threads
// may read what is there while it grows.
template <class T>
class Growing {
  public:
    Growing() = default;
    Growing(const Growing&) = delete;
    Growing& operator=(const Growing&) = delete;
    ~Growing() { clear(); }

    T& operator[](std::uint64_t i) { return *at(i); }
    const T& operator[](std::uint64_t i) const { return *at(i); }

    // Makes room for entries 0 .. n-1; false when there is no memory.
    bool reserve(std::uint64_t n) {
        while (capacity_ < n) {
            const std::uint64_t entries = first << segments_;
            T* more = static_cast<T*>(take_memory(entries * sizeof(T)));
            if (!more) return false;
            segment_[segments_++] = more;
            capacity_ += entries;
        }
        return true;
    }
    std::uint64_t capacity() const { return capacity_; }

    void clear() {
        for (unsigned s = 0; s < segments_; ++s) give_back(segment_[s], (first << s) * sizeof(T));
        segments_ = 0;
        capacity_ = 0;
    }

  private:
    static constexpr std::uint64_t first = 256;
    T* at(std::uint64_t i) const {
        const std::uint64_t j = i + first;
        const unsigned bits = static_cast<unsigned>(std::bit_width(j)) - 1;
        return segment_[bits - 8] + (j ^ (std::uint64_t{1} << bits));
    }
    T* segment_[40] = {};
    unsigned segments_ = 0;
    std::uint64_t capacity_ = 0;
};

// An array in one piece. It may move when it grows (on Linux without being copied), so only its owner may use it
// while it does.
template <class T>
class Stretch {
  public:
    Stretch() = default;
    Stretch(const Stretch&) = delete;
    Stretch& operator=(const Stretch&) = delete;
    ~Stretch() { clear(); }

    T& operator[](std::uint64_t i) { return data_[i]; }
    const T& operator[](std::uint64_t i) const { return data_[i]; }
    T* data() { return data_; }
    const T* data() const { return data_; }
    std::uint64_t capacity() const { return capacity_; }

    bool reserve(std::uint64_t n) {
        if (n <= capacity_) return true;
        std::uint64_t more = capacity_ ? capacity_ : std::uint64_t{65536} / sizeof(T);
        while (more < n) more *= 2;
        return resize(more);
    }
    // Just so many entries, zero where they are new.
    bool resize(std::uint64_t n) {
        void* where = moved(n * sizeof(T));
        if (!where) return false;
        data_ = static_cast<T*>(where);
        capacity_ = n;
        return true;
    }
    void clear() {
#ifdef __linux__
        if (data_) munmap(data_, capacity_ * sizeof(T));
#else
        std::free(data_);
#endif
        data_ = nullptr;
        capacity_ = 0;
    }

  private:
    void* moved(std::size_t bytes) {
#ifdef __linux__
        void* where = data_ ? mremap(data_, capacity_ * sizeof(T), bytes, MREMAP_MAYMOVE)
                            : mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (where == MAP_FAILED) return nullptr;
        if (bytes >= huge_page) madvise(where, bytes, MADV_HUGEPAGE);
        return where;
#else
        return std::realloc(data_, bytes);
#endif
    }
    T* data_ = nullptr;
    std::uint64_t capacity_ = 0;
};

__extension__ typedef unsigned __int128 uint128;

inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
    const uint128 product = static_cast<uint128>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

template <unsigned W>
inline std::uint64_t hash_of(const Config<W>& c) {
    std::uint64_t h = 0x9e3779b97f4a7c15;
    for (unsigned i = 0; i < W; ++i) h = fold(c.w[i] ^ 0xa0761d6478bd642f, h ^ 0xe7037ed1a0b428db);
    return h * 0x9fb21c651e98df25;
}

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
        number_mask_ = number_bits >= 32 ? UINT32_MAX : (std::uint32_t{1} << number_bits) - 1;
        return true;
    }
    void clear() {
        if (slots_) give_back(slots_, bytes_for(log_));
        slots_ = nullptr;
    }

    std::uint64_t bytes() const { return slots_ ? bytes_for(log_) : 0; }
    unsigned log() const { return log_; }
    std::uint64_t slot_of(std::uint64_t hash) const { return hash >> (64 - log_); }
    std::uint64_t next(std::uint64_t slot) const { return (slot + 1) & ((std::uint64_t{1} << log_) - 1); }
    std::atomic<std::uint32_t>& operator[](std::uint64_t slot) { return slots_[slot]; }

    std::uint32_t entry(std::uint64_t hash, std::uint32_t number) const {
        return (static_cast<std::uint32_t>(hash) & ~number_mask_) | (number + 1);
    }
    bool may_be(std::uint32_t entry, std::uint64_t hash) const {
        return ((entry ^ static_cast<std::uint32_t>(hash)) & ~number_mask_) == 0;
    }
    std::uint32_t number(std::uint32_t entry) const { return (entry & number_mask_) - 1; }

  private:
    std::atomic<std::uint32_t>* slots_ = nullptr;
    unsigned log_ = 0;
    std::uint32_t number_mask_ = 0;
};

}  // namespace stormproof
