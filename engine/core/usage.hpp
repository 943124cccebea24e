// The memory that the parts of one search use together, in any number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "core/limits.hpp"

namespace stormproof {

class Usage {
  public:
    explicit Usage(const Monitor& monitor) : monitor_(monitor) {}

    std::uint64_t bytes() const { return bytes_; }
    bool full() const { return full_; }  // the memory limit forbade growth: the answer is not complete

    // Asked before memory is taken, so that the limit is never exceeded.
    bool take(std::uint64_t more) {
        if (monitor_.allows(bytes_.fetch_add(more) + more)) return true;
        give_back(more);
        return fail();
    }
    // There is no more memory, or no more numbers for what is in it.
    bool fail() {
        full_ = true;
        return false;
    }
    void give_back(std::uint64_t bytes) { bytes_ -= bytes; }

    // Makes room for more entries. A vector grows by a quarter, and both are there while it is copied.
    template <class T>
    bool room(std::vector<T>& v, std::size_t more) {
        const std::size_t need = v.size() + more, before = v.capacity();
        if (need <= before) return true;
        const std::size_t capacity = std::max({need, before + before / 4, std::size_t(16)});
        if (!take(capacity * sizeof(T))) return false;
        v.reserve(capacity);
        give_back(before * sizeof(T));
        return true;
    }

  private:
    const Monitor& monitor_;
    std::atomic<std::uint64_t> bytes_{0};
    std::atomic<bool> full_{false};
};

}  // namespace stormproof
