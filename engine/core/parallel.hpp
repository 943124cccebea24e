// Work in several threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/function_ref.hpp"

namespace stormproof {

// Runs work(0) to work(n - 1) in so many threads; what no thread can be started for is done by the first, afterwards. The first
// exception is thrown again once all have ended.
void in_parallel(unsigned n, FunctionRef<void(unsigned)> work);

// Divides 0 to size - 1 among n threads, in order: work(who, begin, end).
void in_slices(std::size_t size, unsigned n, FunctionRef<void(unsigned, std::size_t, std::size_t)> work);

template <class T>
void sort_in_parallel(std::vector<T>& list, unsigned n) {
    const auto at = [&](std::size_t slice) {
        return list.begin() + static_cast<std::ptrdiff_t>(list.size() * std::min<std::size_t>(slice, n) / n);
    };
    in_parallel(n, [&](unsigned who) { std::sort(at(who), at(who + 1)); });
    for (unsigned width = 1; width < n; width *= 2)
        in_parallel((n + 2 * width - 1) / (2 * width), [&](unsigned who) {
            const unsigned first = 2 * width * who;
            std::inplace_merge(at(first), at(first + width), at(first + 2 * width));
        });
}

}  // namespace stormproof
