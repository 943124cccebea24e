// Arrays that grow without being copied.
//
// On Linux large arrays are mapped from the system in huge pages. A build that defines STORMPROOF_PORTABLE_MEMORY,
// as the one for the sanitizers does, takes all memory from the C library, as on other systems.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#if defined(__linux__) && !defined(STORMPROOF_PORTABLE_MEMORY)
#define STORMPROOF_MAPPED_MEMORY
#include <sys/mman.h>
#endif

namespace stormproof {

constexpr std::size_t huge_page = std::size_t{2} << 20;

#ifdef STORMPROOF_MAPPED_MEMORY

inline void* map_memory(std::size_t bytes) {
    void* where = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (where == MAP_FAILED) return nullptr;
    // A search accesses its memory at random, for which huge pages help; a refusal does no harm.
    if (bytes >= huge_page) madvise(where, bytes, MADV_HUGEPAGE);
    return where;
}

// Zeroed memory whose pages count only once they are touched; null when there is none.
inline void* take_memory(std::size_t bytes) { return bytes >= huge_page ? map_memory(bytes) : std::calloc(bytes, 1); }

inline void give_back(void* where, std::size_t bytes) {
    if (bytes < huge_page) std::free(where);
    else if (where) munmap(where, bytes);
}

// Memory for an array in one piece, zeroed where it is new. It may move.
inline void* resize_memory(void* where, std::size_t before, std::size_t after) {
    if (!where) return map_memory(after);
    void* moved = mremap(where, before, after, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED) return nullptr;
    if (after >= huge_page) madvise(moved, after, MADV_HUGEPAGE);
    return moved;
}

inline void give_back_resized(void* where, std::size_t bytes) {
    if (where) munmap(where, bytes);
}

#else

inline void* take_memory(std::size_t bytes) { return std::calloc(bytes, 1); }
inline void give_back(void* where, std::size_t) { std::free(where); }

inline void* resize_memory(void* where, std::size_t before, std::size_t after) {
    void* moved = std::realloc(where, after);
    if (moved && after > before) std::memset(static_cast<char*>(moved) + before, 0, after - before);
    return moved;
}

inline void give_back_resized(void* where, std::size_t) { std::free(where); }

#endif

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
        const unsigned bits = static_cast<unsigned>(std::bit_width(j | 1)) - 1;  // | 1: it is never 0
        return segment_[bits - 8] + (j ^ (std::uint64_t{1} << bits));
    }
    T* segment_[40] = {};
    unsigned segments_ = 0;
    std::uint64_t capacity_ = 0;
};

// An array in one piece. It may move when it grows (on Linux without being copied), so only its owner may use it
// while it does.
template <class T>
class LargeArray {
  public:
    LargeArray() = default;
    LargeArray(const LargeArray&) = delete;
    LargeArray& operator=(const LargeArray&) = delete;
    ~LargeArray() { give_back_resized(data_, capacity_ * sizeof(T)); }

    T& operator[](std::uint64_t i) { return data_[i]; }
    const T& operator[](std::uint64_t i) const { return data_[i]; }
    const T* data() const { return data_; }
    std::uint64_t capacity() const { return capacity_; }

    bool reserve(std::uint64_t n) {
        if (n <= capacity_) return true;
        std::uint64_t more = capacity_ ? capacity_ : std::uint64_t{65536} / sizeof(T);
        while (more < n) more *= 2;
        return resize(more);
    }
    // Exactly so many entries, zero where they are new; false when there is no memory.
    bool resize(std::uint64_t n) {
        void* where = resize_memory(data_, capacity_ * sizeof(T), n * sizeof(T));
        if (!where) return false;
        data_ = static_cast<T*>(where);
        capacity_ = n;
        return true;
    }

  private:
    T* data_ = nullptr;
    std::uint64_t capacity_ = 0;
};

}  // namespace stormproof
