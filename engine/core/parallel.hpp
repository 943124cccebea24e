// Work in several threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace stormproof {

// Runs work(0) to work(n - 1) in so many threads; what no thread can be started for is done by the first, afterwards. The first
// exception is thrown again once all have ended.
template <class Work>
void in_parallel(unsigned n, Work&& work) {
    if (n <= 1) return work(0u);
    std::exception_ptr problem;
    std::mutex noting;
    const auto guarded = [&](unsigned who) {
        try {
            work(who);
        } catch (...) {
            const std::lock_guard<std::mutex> lock(noting);
            if (!problem) problem = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    try {
        for (unsigned who = 1; who < n; ++who) others.emplace_back([&guarded, who] { guarded(who); });
    } catch (const std::system_error&) {
    }
    const unsigned started = static_cast<unsigned>(others.size()) + 1;
    guarded(0u);
    for (unsigned who = started; who < n; ++who) guarded(who);
    for (std::thread& other : others) other.join();
    if (problem) std::rethrow_exception(problem);
}

// Divides 0 to size - 1 among n threads, in order: work(who, begin, end).
template <class Work>
void in_slices(std::size_t size, unsigned n, Work&& work) {
    in_parallel(n, [&](unsigned who) { work(who, size * who / n, size * (who + 1) / n); });
}

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
