// Which channels a send may find full, as far as its two processes alone can tell.
#pragma once

#include <algorithm>
#include <vector>

#include "questions/survival.hpp"

namespace stormproof::survival {

// Two processes with the channels between them; whatever else they do is always possible. Every run of the whole
// system is a run of these two, so a channel that never fills here never fills there.
class Pair {
  public:
    Pair(const System& system, const Question& question, std::uint32_t first, std::uint32_t second)
        : system_(system), question_(question), members_{first} {
        if (second != first) members_.push_back(second);
        pair.messages = system.messages;
        about.k = question.k;
        about.slack = 0;
        about.asks = {{false, {GoalNode{GoalKind::any, false, 0, {}}}}};  // nothing is asked but what is explored
        for (std::uint32_t c = 0; c < system.channels.size(); ++c) add_channel(c);
        for (auto p : members_) add_process(p);
    }

    System pair;
    Question about;
    std::vector<std::uint32_t> channels;  // those between them

  private:
    const System& system_;
    const Question& question_;
    std::vector<std::uint32_t> members_;

    std::uint32_t place(std::uint32_t process) const {
        return static_cast<std::uint32_t>(std::find(members_.begin(), members_.end(), process) - members_.begin());
    }

    void add_channel(std::uint32_t c) {
        const std::uint32_t sender = place(system_.channels[c].sender), receiver = place(system_.channels[c].receiver);
        const bool outside = sender == members_.size() || receiver == members_.size();
        if (outside || (members_.size() > 1 && sender == receiver)) return;
        pair.channels.push_back(system_.channels[c]);
        pair.channels.back().sender = sender;
        pair.channels.back().receiver = receiver;
        channels.push_back(c);
        about.observed.push_back(question_.observed[c]);
    }

    void add_process(std::uint32_t p) {
        Process process = system_.processes[p];
        std::vector<std::uint8_t> marks = question_.marks[p];
        for (std::size_t t = 0; t < process.transitions.size(); ++t) {
            Transition& transition = process.transitions[t];
            if (transition.kind == ActionKind::internal) continue;
            const auto at = std::find(channels.begin(), channels.end(), transition.channel);
            transition.channel = static_cast<std::uint32_t>(at - channels.begin());
            if (at != channels.end()) continue;
            transition.kind = ActionKind::internal;
            transition.channel = none;
            marks[t] = unmarked;
        }
        pair.processes.push_back(std::move(process));
        about.marks.push_back(std::move(marks));
        about.rests.push_back(question_.rests[p]);
        about.ended.push_back(question_.ended[p]);
    }
};

// A flag for each channel; fills(system, question) explores a pair and says whether a channel of it may fill.
template <class Fills>
std::vector<std::uint8_t> channels_that_may_fill(const System& system, const Question& question, Fills&& fills) {
    std::vector<std::uint8_t> out(system.channels.size(), false), done(system.channels.size(), false);
    for (std::uint32_t c = 0; c < system.channels.size(); ++c) {
        if (done[c]) continue;
        const Pair between(system, question, system.channels[c].sender, system.channels[c].receiver);
        const bool may = fills(between.pair, between.about);
        for (auto channel : between.channels) {
            out[channel] = may;
            done[channel] = true;
        }
    }
    return out;
}

}  // namespace stormproof::survival
