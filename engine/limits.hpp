// How a search is watched and stopped: limits on time, memory and states, and interruption.
//
// The search calls `over()` every few thousand states and stops when it is true; another thread (the one
// that draws the progress line) reads the counters and may call `interrupt()`.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace stormproof {

enum class Stop : std::uint8_t { none = 0, time = 1, memory = 2, states = 3, interrupted = 4 };

class Monitor {
  public:
    // 0 stands for no limit.
    Monitor(double seconds, std::uint64_t bytes, std::uint64_t most_states)
        : max_seconds_(seconds), max_bytes_(bytes), max_states_(most_states), start_(clock::now()) {}
    Monitor(const Monitor& other) = delete;
    // A part of a search with a budget of states of its own: the other limits are those of `whole`.
    Monitor(const Monitor& whole, std::uint64_t most_states)
        : whole_(&whole), max_seconds_(whole.max_seconds_), max_bytes_(whole.max_bytes_), max_states_(most_states),
          start_(whole.start_) {}

    std::atomic<std::uint64_t> states{0}, frontier{0}, memory{0};

    void interrupt() { interrupted_ = true; }

    double elapsed() const { return std::chrono::duration<double>(clock::now() - start_).count(); }

    // May `more` bytes be allocated on top of `used`? To be asked *before* a table grows, so that the limit
    // is really kept.
    bool allows(std::uint64_t used_and_more) const { return max_bytes_ == 0 || used_and_more <= max_bytes_; }
    std::uint64_t max_bytes() const { return max_bytes_; }
    std::uint64_t max_states() const { return max_states_; }

    // Which limit has been hit, if any; the counters above must be up to date.
    Stop over() const {
        if (interrupted_ || (whole_ && whole_->interrupted_)) return Stop::interrupted;
        if (max_states_ && states > max_states_) return Stop::states;
        if (max_bytes_ && memory > max_bytes_) return Stop::memory;
        if (max_seconds_ > 0 && elapsed() > max_seconds_) return Stop::time;
        return Stop::none;
    }

  private:
    using clock = std::chrono::steady_clock;
    const Monitor* whole_ = nullptr;
    double max_seconds_;
    std::uint64_t max_bytes_, max_states_;
    clock::time_point start_;
    std::atomic<bool> interrupted_{false};
};

}  // namespace stormproof
