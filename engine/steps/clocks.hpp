// When timers may expire that are on time, and when time passes (definitions 16.3, 16.4), for exact and for abstract contents.
#pragma once

#include "steps/rules.hpp"

namespace stormproof::survival {

// Is a step possible that takes no time? A send is, whatever its channel holds.
template <class View>
bool is_busy(const Rules& rules, const View& view) {
    const Clocks& clocks = rules.question.extras.clocks;
    for (std::uint32_t p = 0; p < rules.system.processes.size(); ++p) {
        const auto& transitions = rules.system.processes[p].transitions;
        const std::uint32_t state = view.state(p);
        for (std::uint32_t t = rules.first[p][state]; t < rules.first[p][state + 1]; ++t) {
            const Transition& transition = transitions[t];
            if (transition.kind == TransitionKind::send) return true;
            if (transition.kind == TransitionKind::receive) {
                if (!view.empty(transition.channel) && view.head(transition.channel) == transition.message) return true;
            } else if (rules.question.marks[p][t] == unmarked && clocks.pace[p][t] == Pace::at_once) {
                return true;
            }
        }
    }
    return false;
}

// A configuration; whether somebody is busy is looked up once.
template <class View>
class Moment {
  public:
    Moment(const Rules& rules, const View& view) : rules_(rules), clocks_(rules.question.extras.clocks), view_(view) {}

    // May a process take this internal action now, as far as clocks decide it?
    bool allows(std::uint32_t process, std::uint32_t transition) {
        if (!clocks_.used()) return true;
        switch (clocks_.pace[process][transition]) {
            case Pace::at_once:
            case Pace::any_time: return true;
            case Pace::timer: return view_.state(clocks_.of[process]) == clocks_.due[process][view_.state(process)] && !busy();
            case Pace::passes: return somebody_waits() && !busy();
        }
        return true;
    }

  private:
    const Rules& rules_;
    const Clocks& clocks_;
    const View& view_;
    enum class Known : std::uint8_t { no, idle, busy } known_ = Known::no;

    bool busy() {
        if (known_ == Known::no) known_ = is_busy(rules_, view_) ? Known::busy : Known::idle;
        return known_ == Known::busy;
    }
    // A timer runs, and none is due.
    bool somebody_waits() const {
        bool waits = false;
        for (std::uint32_t p = 0; p < clocks_.of.size(); ++p) {
            const std::uint32_t due = clocks_.of[p] == Clocks::none ? 0 : clocks_.due[p][view_.state(p)];
            if (due == 0) continue;
            if (view_.state(clocks_.of[p]) >= due) return false;
            waits = true;
        }
        return waits;
    }
};

}  // namespace stormproof::survival
