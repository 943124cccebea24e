// The run to a violation that a search of rsc_mailbox.cpp has found.
#pragma once

#include "questions/rsc.hpp"
#include "steps/mailbox.hpp"

namespace stormproof {

class MailboxRun {
  public:
    MailboxRun(const MailboxLayout& layout, RscResult& result) : steps_(layout), words_(layout.words()), result_(result) {}

    // `states`: from the initial state on, to the one in which a reception closes the cycle.
    void build(const std::vector<std::vector<std::uint64_t>>& states) {
        std::uint32_t guessed = none;
        for (std::size_t i = 0; i + 1 < states.size(); ++i) {
            const MailboxStep step = step_between(states[i], states[i + 1]);
            const std::uint32_t sent = append({step.process, step.transition});
            if (step.guess) guessed = sent;
            if (step.receiver != none) result_.communication.emplace_back(append({step.receiver, step.reception}), sent);
        }
        result_.communication.emplace_back(append(steps_.closing(states.back().data())), guessed);
        result_.violated = true;
    }

  private:
    MailboxSteps steps_;
    const std::size_t words_;
    RscResult& result_;

    // States do not say how they were reached: the first of the shortest steps from one to the other.
    MailboxStep step_between(const std::vector<std::uint64_t>& from, const std::vector<std::uint64_t>& to) {
        MailboxStep found;
        std::uint32_t least = none;
        steps_.expand(from.data(), [&](std::uint32_t length, const MailboxStep& step, const std::uint64_t* next) {
            if (length >= least || !std::equal(next, next + words_, to.data())) return;
            found = step;
            least = length;
        });
        return found;
    }

    std::uint32_t append(const Firing& firing) {
        result_.firings.push_back(firing);
        return static_cast<std::uint32_t>(result_.firings.size() - 1);
    }
};

}  // namespace stormproof
