// What a step needs to know of the system, and what goals mean, for exact and for abstract contents alike.
#pragma once

#include <algorithm>

#include "questions/survival.hpp"

namespace stormproof::survival {

struct Rules {
    const System& system;
    const Question& question;
    std::vector<std::vector<std::uint32_t>> first;  // process -> state -> number of its first transition
    std::uint32_t check_every;  // so many configurations between two looks at the clock: of large systems they take long

    Rules(const System& s, const Question& q) : system(s), question(q) {
        std::size_t steps = 1;
        for (const Process& process : s.processes)
            for (const Transition& t : process.transitions) steps += 1 + corruptions(t);
        check_every = static_cast<std::uint32_t>(std::clamp<std::size_t>((1 << 16) / steps, 1, 2048));
        for (const Process& process : s.processes) {
            std::vector<std::uint32_t> begin(process.states + 1, 0);
            for (const Transition& t : process.transitions) ++begin[t.source + 1];
            for (std::uint32_t i = 0; i < process.states; ++i) begin[i + 1] += begin[i];
            first.push_back(std::move(begin));
        }
    }

    // Is a message on this channel of no interest to anybody, while its receiver is in this state?
    // Not while a process sends to itself: it has not ended before it has sent.
    bool unseen(std::uint32_t channel, std::uint32_t receiver_state) const {
        const auto& [sender, receiver] = ends(channel);
        return sender != receiver && question.ended[receiver][receiver_state] && !question.observed[channel];
    }
    std::pair<std::uint32_t, std::uint32_t> ends(std::uint32_t channel) const {
        return {system.channels[channel].sender, system.channels[channel].receiver};
    }

  private:
    std::size_t corruptions(const Transition& t) const {
        if (t.kind == TransitionKind::internal) return 0;
        const ChannelFaults& faults = system.channels[t.channel].faults;
        return faults.may_change() && t.message < faults.becomes.size() ? faults.becomes[t.message].size() : 0;
    }
};

// A View has state(process), empty(channel), head(channel), and for goals on contents whether they may and must hold:
// holds(channel, word), contains(channel, message) and listed(list), each a pair {may, must}.
struct MayMust {
    bool may, must;
};

template <class View>
bool has_calm_step(const Rules& rules, const View& view) {
    for (std::uint32_t p = 0; p < rules.system.processes.size(); ++p) {
        const auto& transitions = rules.system.processes[p].transitions;
        const std::uint32_t state = view.state(p);
        for (std::uint32_t t = rules.first[p][state]; t < rules.first[p][state + 1]; ++t) {
            const Transition& transition = transitions[t];
            if (transition.kind == TransitionKind::send) return true;
            if (transition.kind == TransitionKind::internal && rules.question.marks[p][t] == unmarked &&
                !rules.question.extras.clocks.passes(p))  // where time passes, a timer runs
                return true;
            if (transition.kind == TransitionKind::receive && !view.empty(transition.channel) &&
                view.head(transition.channel) == transition.message)
                return true;
        }
    }
    return false;
}

template <class View>
bool is_at_rest(const Rules& rules, const View& view) {
    const Question& q = rules.question;
    for (std::uint32_t p = 0; p < rules.system.processes.size(); ++p)
        if (!q.rests[p][view.state(p)]) return false;
    for (std::uint32_t c = 0; c < rules.system.channels.size(); ++c) {
        const std::uint32_t receiver = rules.system.channels[c].receiver;
        if (!view.empty(c) && !q.ended[receiver][view.state(receiver)]) return false;
    }
    return true;
}

// May the goal hold in what the view represents? For exact contents this is whether it holds.
template <class View>
bool may_hold(const Rules& rules, const Goal& goal, std::uint32_t number, const View& view) {
    const GoalNode& node = goal[number];
    const auto part = [&](std::uint32_t child) { return may_hold(rules, goal, child, view); };
    const auto exact = [&](bool value) { return value != node.negated; };
    const auto either = [&](MayMust answer) { return node.negated ? !answer.must : answer.may; };
    switch (node.kind) {
        case GoalKind::all: return std::all_of(node.details.begin(), node.details.end(), part);
        case GoalKind::any: return std::any_of(node.details.begin(), node.details.end(), part);
        case GoalKind::at: return exact(node.details[view.state(node.subject)]);
        case GoalKind::holds:
            if (node.details.empty()) return exact(view.empty(node.subject));
            return either(view.holds(node.subject, node.details));
        case GoalKind::contains: return either(view.contains(node.subject, node.details[0]));
        case GoalKind::head: return exact(!view.empty(node.subject) && view.head(node.subject) == node.details[0]);
        case GoalKind::deadlock: return exact(!has_calm_step(rules, view) && !is_at_rest(rules, view));
        case GoalKind::at_rest: return exact(is_at_rest(rules, view));
        case GoalKind::listed: return either(view.listed(rules.question.lists[node.subject]));
    }
    return false;
}

template <class View>
bool may_hold(const Rules& rules, const Goal& goal, const View& view) {
    return may_hold(rules, goal, static_cast<std::uint32_t>(goal.size() - 1), view);
}

// What a step that leads to such a configuration does to the state of Question::pending.
enum class Sets : std::uint8_t { nothing, pending, settled };

template <class View>
Sets sets_pending(const Rules& rules, const View& view) {
    const Pending& pending = rules.question.pending;
    if (may_hold(rules, pending.end, view)) return Sets::settled;
    return may_hold(rules, pending.begin, view) ? Sets::pending : Sets::nothing;
}

}  // namespace stormproof::survival
