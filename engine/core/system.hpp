// The system as integers: what every search of the engine reads. No Python here.
//
// Names stay in src/stormproof/search/engine/lowering.py, which numbers processes, local states, channels and
// messages. Message 0 is always the crash message; users' messages count from 1. With mailboxes (definitions 12.1) a
// channel is the queue of its receiver and has no sender, every message has one, and each sender has a crash message:
// messages 1, 2, ... of those.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/channel_faults.hpp"
#include "core/numbers.hpp"

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
    std::uint32_t sender = 0;  // none: a mailbox
    std::uint32_t receiver = 0;
    ChannelFaults faults;
    std::vector<std::uint32_t> pool;  // messages that may be in it, without the crash message
};

struct System {
    std::vector<Process> processes;
    std::vector<Channel> channels;
    std::uint32_t messages = 1;  // how many messages there are, crash messages included
    std::uint32_t crashes = 1;   // messages below this number are crash messages
    std::vector<std::uint32_t> sender_of;  // with mailboxes: message -> the process that sends it; else empty

    bool mailboxes() const { return !sender_of.empty(); }
    bool is_crash(std::uint32_t message) const { return message < crashes; }
    // In a mailbox: were both sent by one process?
    bool same_sender(std::uint32_t a, std::uint32_t b) const { return sender_of[a] == sender_of[b]; }
};

}  // namespace stormproof
