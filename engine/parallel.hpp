// Runs work(0) to work(n - 1) in so many threads; what no thread can be started for is done by the first, afterwards.
#pragma once

#include <system_error>
#include <thread>
#include <vector>

namespace stormproof {

template <class Work>
void in_parallel(unsigned n, Work&& work) {
    std::vector<std::thread> others;
    try {
        for (unsigned who = 1; who < n; ++who) others.emplace_back([&work, who] { work(who); });
    } catch (const std::system_error&) {
    }
    const unsigned started = static_cast<unsigned>(others.size()) + 1;
    work(0u);
    for (unsigned who = started; who < n; ++who) work(who);
    for (std::thread& other : others) other.join();
}

}  // namespace stormproof
