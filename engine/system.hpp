// The system as integers: what every search of the engine reads. No Python here.
//
// Names stay in src/stormproof/engine/lowering.py, which numbers processes, local states, channels and
// messages. Message 0 is always the crash message; users' messages count from 1.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "channel_faults.hpp"
#include "numbers.hpp"

namespace stormproof {

enum class ActionKind : std::uint8_t { send, receive, internal };

struct Transition {
    std::uint32_t source = 0;
    ActionKind kind = ActionKind::internal;
    std::uint32_t channel = none;  // index into System::channels; none for internal actions
    std::uint32_t message = 0;     // for internal actions: the number of the action's name
    std::uint32_t target = 0;
    bool fault = false;            // an internal action by which the process crashes, stops or restarts
};

// An action of a run: the process, and the number of its transition.
using Firing = std::pair<std::uint32_t, std::uint32_t>;

struct Process {
    std::uint32_t states = 0;
    std::uint32_t initial = 0;
    std::vector<Transition> transitions;  // sorted by source
    std::vector<std::uint8_t> crashed;    // for each state: in the crash broadcast or in `stop`
};

struct Channel {
    std::uint32_t sender = 0;
    std::uint32_t receiver = 0;
    ChannelFaults faults;
    std::vector<std::uint32_t> pool;  // messages that may be in it, without the crash message
};

struct System {
    std::vector<Process> processes;
    std::vector<Channel> channels;
    std::uint32_t messages = 1;  // how many messages there are, the crash message included
};

}  // namespace stormproof
