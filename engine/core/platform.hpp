// What compilers offer in different ways. GCC and Clang take the first branches, others (MSVC) the second.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__GNUC__)
#define STORMPROOF_NOINLINE [[gnu::noinline]]
#define STORMPROOF_INLINE [[gnu::always_inline]]  // in hot loops of files that are too long for GCC to inline on its own
#else
#define STORMPROOF_NOINLINE
#define STORMPROOF_INLINE
#endif

namespace stormproof {

constexpr std::size_t cache_line = 128;  // two lines: processors fetch them in pairs

// A hint that memory will be read soon.
inline void prefetch([[maybe_unused]] const void* where) {
#if defined(__GNUC__)
    __builtin_prefetch(where);
#endif
}

// The value, or 0. Not a branch: for conditions that are hard to predict.
template <class Word>
constexpr Word value_if(bool condition, Word value) {
    return value & (Word{0} - Word{condition});
}

// The product of two words, its upper half folded into its lower half: the mixing step of the hash functions.
inline std::uint64_t multiply_fold(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 uint128;
    const uint128 product = static_cast<uint128>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#else
    constexpr std::uint64_t low = UINT32_MAX;
    const std::uint64_t middle = (a >> 32) * (b & low) + ((a & low) * (b & low) >> 32);
    const std::uint64_t other = (a & low) * (b >> 32) + (middle & low);
    return a * b ^ ((a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32));
#endif
}

}  // namespace stormproof
