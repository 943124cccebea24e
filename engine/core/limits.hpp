// Limits of a search on time, memory and states, its progress, and its interruption.
//
// The search calls `over()` every few thousand states, and once it has found more of them than it may, and stops when
// that names a limit; another thread (the one that draws the progress line) reads the counters and may call
// `interrupt()`.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace stormproof {

// The limit that stopped a search.
enum class Stop : std::uint8_t { none, time, memory, states, interrupted, disk };

// What a search is at: finding configurations, judging what they can reach, or looking for a shortest run.
enum class Phase : std::uint8_t { exploring, judging, shortening };

class Monitor {
  public:
    // 0 stands for no limit.
    Monitor(double seconds, std::uint64_t bytes, std::uint64_t most_states)
        : max_seconds_(seconds), max_bytes_(bytes), max_states_(most_states), start_(clock::now()) {}
    Monitor(const Monitor& other) = delete;
    // For a part of a search, with its own budget of states: the other limits are those of `whole`.
    Monitor(const Monitor& whole, std::uint64_t most_states)
        : whole_(&whole), max_seconds_(whole.max_seconds_), max_bytes_(whole.max_bytes_), max_states_(most_states),
          start_(whole.start_) {}

    std::atomic<std::uint64_t> states{0}, frontier{0}, memory{0};
    std::atomic<bool> compact{false};  // the configurations are in the compact store
    std::atomic<Phase> phase{Phase::exploring};
    std::atomic<std::uint64_t> unjudged{0};  // while judging: configurations whose needs are not known to be met
    // Symmetry: how many configurations those that were found stand for; 0: it is not used.
    std::atomic<std::uint64_t> represented{0};
    // Reduction: the actions that were enabled at every 16th configuration, and those of them that were taken.
    std::atomic<std::uint64_t> enabled{0}, taken{0};

    void interrupt() { interrupted_ = true; }

    double elapsed() const { return std::chrono::duration<double>(clock::now() - start_).count(); }

    // May so many bytes be in use? Asked *before* a table grows, so that the limit is never exceeded.
    bool allows(std::uint64_t bytes) const { return max_bytes_ == 0 || bytes <= max_bytes_; }
    std::uint64_t max_states() const { return max_states_; }
    bool too_many(std::uint64_t found) const { return max_states_ && found > max_states_; }
    std::uint64_t max_bytes() const { return max_bytes_; }
    // So many states, or fewer if the limit is smaller.
    std::uint64_t at_most(std::uint64_t n) const { return max_states_ ? std::min(max_states_, n) : n; }

    // Which limit has been hit, if any; the counters above must be up to date.
    Stop over() const {
        if (interrupted_ || (whole_ && whole_->interrupted_)) return Stop::interrupted;
        if (too_many(states)) return Stop::states;
        if (max_bytes_ && memory > max_bytes_) return Stop::memory;
        if (max_seconds_ > 0 && elapsed() > max_seconds_) return Stop::time;
        return Stop::none;
    }
    // Is the time over, or was it interrupted? For what is not a search, and counts nothing.
    bool must_end() const {
        return interrupted_ || (whole_ && whole_->interrupted_) || (max_seconds_ > 0 && elapsed() > max_seconds_);
    }

    static bool is_sampled(std::uint64_t number) { return number % 16 == 0; }

  private:
    using clock = std::chrono::steady_clock;
    const Monitor* whole_ = nullptr;
    double max_seconds_;
    std::uint64_t max_bytes_, max_states_;
    clock::time_point start_;
    std::atomic<bool> interrupted_{false};
};

}  // namespace stormproof
