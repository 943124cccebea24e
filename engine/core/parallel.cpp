#include "core/parallel.hpp"

#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

namespace stormproof {

void in_parallel(unsigned n, FunctionRef<void(unsigned)> work) {
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

void in_slices(std::size_t size, unsigned n, FunctionRef<void(unsigned, std::size_t, std::size_t)> work) {
    in_parallel(n, [&](unsigned who) { work(who, size * who / n, size * (who + 1) / n); });
}

}  // namespace stormproof
