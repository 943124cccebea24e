// Runs work(0) and work(1) in two threads, or one after the other where no second thread can be started.
#pragma once

#include <system_error>
#include <thread>

namespace stormproof {

template <class Work>
void in_two(Work&& work) {
    std::thread other;
    try {
        other = std::thread([&] { work(1u); });
    } catch (const std::system_error&) {
    }
    work(0u);
    if (other.joinable()) other.join();
    else work(1u);
}

}  // namespace stormproof
