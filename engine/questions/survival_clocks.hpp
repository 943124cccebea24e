// Timers on time (definitions 16.2 to 16.4): clocks are components, and time passes by the step of one process more.
#pragma once

#include <cstdint>
#include <vector>

namespace stormproof::survival {

// What an internal action has to do with time: it takes none, it is the first timer of its state, it takes as long as
// it likes, or by it time passes.
enum class Pace : std::uint8_t { at_once, timer, any_time, passes };

struct Clocks {
    static constexpr std::uint32_t none = UINT32_MAX;

    std::uint32_t time = none;                    // the process by whose step time passes; none: timers expire at any time
    std::vector<std::uint32_t> of;                // process -> its clock, or none
    std::vector<std::vector<std::uint32_t>> due;  // process -> state -> when its first timer is due; 0: none runs
    std::vector<std::vector<Pace>> pace;          // process -> transition

    bool used() const { return time != none; }
    bool passes(std::uint32_t process) const { return used() && process == time; }
    bool counts(std::uint32_t process) const { return used() && of[process] != none; }

    // The clocks after a step of a process, given the states of all others after it.
    template <class State>
    void move(std::uint32_t process, State* states) const {
        if (counts(process)) states[of[process]] = 0;
        if (!passes(process)) return;
        for (std::uint32_t p = 0; p < of.size(); ++p)
            if (of[p] != none && due[p][states[p]] > 0) ++states[of[p]];
    }
};

}  // namespace stormproof::survival
