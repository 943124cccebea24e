// The sends that may be guessed to be pending, numbered for the search of rsc.hpp.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "core/system.hpp"

namespace stormproof {

struct PendingSend {
    std::uint32_t channel = none, message = none;
};

// Sends that no later reception can distinguish share a number, so that one guess stands for all of them. Number 0:
// nothing is pending.
class PendingSends {
  public:
    explicit PendingSends(const System& system) : system_(system), sends_(1), numbers_(system.channels.size()) {
        for (std::uint32_t c = 0; c < system.channels.size(); ++c) number(c);
    }

    std::size_t size() const { return sends_.size(); }
    const PendingSend& operator[](std::uint64_t number) const { return sends_[number]; }
    // The numbers of the messages that are sent into a channel and can be received.
    const std::map<std::uint32_t, std::uint32_t>& on(std::uint32_t channel) const { return numbers_[channel]; }

    bool sends_crash(std::uint32_t c) const {
        const auto sent = named_on(c, ActionKind::send);
        return std::find(sent.begin(), sent.end(), crash_message) != sent.end();
    }

  private:
    const System& system_;
    std::vector<PendingSend> sends_;
    std::vector<std::map<std::uint32_t, std::uint32_t>> numbers_;

    // What a receiver can ever receive of a message decides its class; a send that nobody can receive is no guess.
    void number(std::uint32_t c) {
        std::map<std::vector<std::uint32_t>, std::uint32_t> classes;
        const auto taken = named_on(c, ActionKind::receive);
        for (std::uint32_t m : named_on(c, ActionKind::send)) {
            std::vector<std::uint32_t> takes = arrives_as(system_.channels[c], m);
            std::erase_if(takes, [&](std::uint32_t r) { return !std::binary_search(taken.begin(), taken.end(), r); });
            if (takes.empty()) continue;
            if (m == crash_message) takes.push_back(none);  // never in one class with an ordinary message
            const auto [at, fresh] = classes.try_emplace(takes, static_cast<std::uint32_t>(sends_.size()));
            if (fresh) sends_.push_back({c, m});
            numbers_[c][m] = at->second;
        }
    }

    // Everything that `may_become` allows, in order.
    static std::vector<std::uint32_t> arrives_as(const Channel& channel, std::uint32_t sent) {
        std::vector<std::uint32_t> found;
        if (sent != crash_message) found = channel.faults.becomes[sent];
        found.insert(std::lower_bound(found.begin(), found.end(), sent), sent);
        return found;
    }

    std::vector<std::uint32_t> named_on(std::uint32_t c, ActionKind kind) const {
        const Channel& channel = system_.channels[c];
        const Process& process = system_.processes[kind == ActionKind::send ? channel.sender : channel.receiver];
        std::vector<std::uint32_t> found;
        for (const Transition& t : process.transitions)
            if (t.kind == kind && t.channel == c) found.push_back(t.message);
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    }
};

}  // namespace stormproof
