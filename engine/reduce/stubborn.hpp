// Closed sets of processes: whose actions may be taken first, while everybody else waits (definitions 3.12).
//
// A set P is closed at a configuration r if each of its processes is in a state that is `simple` (machine.hpp) and
// waits for nobody outside P: where it sends into a full channel, the receiver belongs to P; where it receives from
// an empty channel, the sender does.
//
// (1) As long as nobody in P acts, the enabled actions A of P stay exactly the same. A channel into which P sends
//     has room, and only its sender fills it; or it is full, and only a process of P empties it. A channel from
//     which P receives has a head, which nobody else takes, corrupts or loses; or it is empty, and only a process
//     of P fills it. And each a in A commutes with each step of others: a may make room or bring a message, but
//     takes nothing away; loss and corruption in a channel that a fills affect what was there before. So in a run
//     r -w->, if somebody in P acts in w, the first such action is in A and can be moved to the front; if nobody
//     does, then r -a-> r' -w-> for every a in A.
#pragma once

#include <cstdint>
#include <vector>

#include "steps/silent.hpp"

namespace stormproof {

class ClosedSet {
  public:
    // The smallest closed set with that process; false: there is none here.
    template <unsigned W>
    bool close(const Machine& m, std::uint32_t start, const Config<W>& c) {
        is_member_.assign(m.processes.size(), 0);
        members_.clear();
        add(start);
        for (std::size_t i = 0; i < members_.size(); ++i) {
            const ProcessLayout& p = m.processes[members_[i]];
            if (!add_awaited(m, p.states[p.state.get(c.w)], c)) return false;
        }
        return true;
    }

    const std::vector<std::uint32_t>& members() const { return members_; }

    // The enabled actions of its processes, in the order of `each_enabled`: visit(number, instruction).
    template <unsigned W, class Visit>
    void each_enabled_in(const Machine& m, const Config<W>& c, Visit&& visit) const {
        for (std::size_t p = 0; p < is_member_.size(); ++p)
            if (is_member_[p]) each_enabled_of(m, m.processes[p], c, visit);
    }

  private:
    std::vector<std::uint8_t> is_member_;
    std::vector<std::uint32_t> members_;

    void add(std::uint32_t p) {
        if (is_member_[p]) return;
        is_member_[p] = 1;
        members_.push_back(p);
    }

    // Adds those for whom a process in this state waits; false: no closed set contains it.
    template <unsigned W>
    bool add_awaited(const Machine& m, const StateInfo& info, const Config<W>& c) {
        if (!info.simple) return false;
        for (const std::uint32_t channel : info.channels) {
            const ChannelLayout& ch = m.channels[channel];
            if (info.kind == StateKind::receiving) {
                if (channel_empty(ch, c)) add(m.sender[channel]);
            } else if (channel_full(ch, c)) {
                // A send into a full channel that may lose its message does something else once there is room.
                if (ch.faults.may_vanish()) return false;
                add(m.receiver[channel]);
            }
        }
        return true;
    }
};

}  // namespace stormproof
