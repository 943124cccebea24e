// Runs work(0) to work(n - 1) in so many threads; what no thread can be started for is done by the first, afterwards. If
// one of them fails, for lack of memory, it is the caller's exception.
#pragma once

#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace stormproof {

template <class Work>
void in_parallel(unsigned n, Work&& work) {
    std::vector<std::thread> others;
    std::exception_ptr problem;
    std::mutex noting;
    const auto guarded = [&](unsigned who) {
        try {
            work(who);
        } catch (...) {
            const std::lock_guard<std::mutex> lock(noting);
            problem = std::current_exception();
        }
    };
    try {
        for (unsigned who = 1; who < n; ++who) others.emplace_back(guarded, who);
    } catch (const std::system_error&) {
    }
    const unsigned started = static_cast<unsigned>(others.size()) + 1;
    guarded(0u);
    for (unsigned who = started; who < n; ++who) guarded(who);
    for (std::thread& other : others) other.join();
    if (problem) std::rethrow_exception(problem);
}

}  // namespace stormproof
