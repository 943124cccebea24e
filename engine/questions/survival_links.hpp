// Links that stay down (definitions 15.2 to 15.4): which channels a configuration says are cut, and what cuts do.
#pragma once

#include <cstdint>
#include <vector>

namespace stormproof::survival {

// One of the channels that a cut takes down, and the component that says whether it is: a process with the states 0 and 1,
// 1 where it is cut. Of a mailbox one sender's messages are lost.
struct CutChannel {
    std::uint32_t component = 0, channel = 0, receiver = 0;
    std::uint32_t sender = UINT32_MAX;  // UINT32_MAX: the channel is no mailbox
};

struct Links {
    std::uint32_t network = UINT32_MAX;         // the process whose transitions are the cuts; UINT32_MAX: there are none
    std::vector<std::vector<CutChannel>> cuts;  // of each of its transitions
    // process -> transition -> the component of the channel into which it sends, or UINT32_MAX
    std::vector<std::vector<std::uint32_t>> says;

    bool any() const { return network != UINT32_MAX; }

    // Is it a send on a channel that is cut?
    template <class State>
    bool goes_nowhere(std::uint32_t process, std::uint32_t transition, const State* states) const {
        return any() && says[process][transition] != UINT32_MAX && states[says[process][transition]] != 0;
    }
};

}  // namespace stormproof::survival
