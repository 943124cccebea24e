// The system as integers: what every search of the engine reads. No Python here.
//
// Names stay in src/stormproof/engine/lowering.py, which numbers processes, local states, channels and
// messages. Message 0 is always the crash message; users' messages count from 1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace stormproof {

enum class ActionKind : std::uint8_t { send, receive, internal };

constexpr std::uint32_t crash_message = 0;
// Where a number may be absent: no process, channel, transition or state. The bindings turn it into None.
constexpr std::uint32_t none = UINT32_MAX;

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

// A channel with the faults that may happen to it, silently, between any two actions (definitions 2.2 to 2.4).
struct Channel {
    std::uint32_t sender = 0;
    std::uint32_t receiver = 0;
    bool loss = false;
    bool reorder = false;
    bool duplicate = false;                           // a message that is received may also stay
    std::vector<std::uint32_t> pool;                  // messages that may be in it, without the crash message
    std::vector<std::vector<std::uint32_t>> becomes;  // message -> what it may become, itself left out; sorted
    // The flag of a kind of fault by its keyword (src/stormproof/model/faults.py); nullptr: there is none.
    bool* flag(std::string_view keyword) {
        return keyword == "loss" ? &loss : keyword == "reorder" ? &reorder : keyword == "duplicate" ? &duplicate : nullptr;
    }
    bool perfect() const { return !loss && !reorder && !duplicate && !corrupt(); }
    bool corrupt() const {
        for (const auto& others : becomes)
            if (!others.empty()) return true;
        return false;
    }
    // May `sent` be received as `received`?
    bool may_become(std::uint32_t sent, std::uint32_t received) const {
        return sent == received || std::binary_search(becomes[sent].begin(), becomes[sent].end(), received);
    }
};

struct System {
    std::vector<Process> processes;
    std::vector<Channel> channels;
    std::uint32_t messages = 1;  // how many messages there are, the crash message included
};

}  // namespace stormproof
