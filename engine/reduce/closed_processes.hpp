// Reduction for survival (definitions 10.16): closed sets of processes, whose steps may be taken before those of others.
//
// A set P of processes is closed at a configuration r if nobody outside can change what its processes can do: a channel
// into which one of them sends has room, or its receiver is in P; a channel from which one receives has a head,
// or its sender is in P; where a message is put only because its receiver has not ended, the receiver is in P, and where
// one of them may end, those who send to it are; no channel of theirs lets messages overtake. Faults happen at sends and receptions, so they belong to the steps of P.
//
// (1) As in stubborn.hpp: as long as nobody in P acts, the enabled steps A of P stay the same, and each commutes with
//     each step of others.
//
// P is expanded alone only if, moreover,
// (2) A has a calm step; with timers on time one that takes no time, while which nothing expires (definitions 16.9);
// (3) no goal that is asked can hold before somebody in P has acted;
// (4) no send can hit the bound of a channel into P, unless a hit is known already or the sender is in P.
//
// Never G. Let r -w-> lead to G. By (3) somebody in P acts in w, and by (1) the first such step comes to the front: w gets
// shorter, until G is reached.
//
// Always possible G. Calm runs to G are kept as before, so the reduced graph shows which of its configurations have one
// within k; for the others all calm runs with the slack are explored, without reduction. Now let r -w-> s where s has no
// calm run to G, and suppose that every configuration of the reduced graph has one. Let v be a shortest from r. If
// everybody is expanded at r, take the first step of w. Otherwise, if somebody in P acts in w, take the first such step:
// w gets shorter. If not, somebody in P acts in v by (3); its first step a is calm and leads to r', from where the
// rest of v and, by (1), all of w can be taken, to t with s -a-> t. As a is calm, t has no calm run to G, and v is
// shorter. In the end w is empty, and a configuration of the reduced graph has no calm run to G, a contradiction. This is
// the argument of Valmari and Vogler (Fair Testing and Stubborn Sets): no condition on cycles is needed.
//
// Hits of the bound. Let r -w-> s where a send of S into channel c hits the bound. When a step of P is added, S is where it
// was (if S is in P, the channel had room at r, and only S fills it), c is as full and its receiver has not ended: by
// (4) the receiver is not in P, or S is.
//
// Under a budget of faults steps do not commute, and the order of few faults is not kept: reduction is used without
// a budget, and a violation that it finds is looked for again by the whole search.
#pragma once

#include <algorithm>

#include "steps/faulty.hpp"
#include "steps/rules.hpp"

namespace stormproof::survival {

// What is known of a configuration as long as the members of a set have not acted.
template <class Cell>
struct Waiting {
    const Rules& rules;
    const RowView<Cell> now;
    const std::vector<std::uint8_t>& member;

    bool takes(std::uint32_t c) const { return member[rules.ends(c).second]; }
    bool puts(std::uint32_t c) const { return member[rules.ends(c).first]; }

    // The content may be the present one, with more behind it unless its sender waits, and less before it
    // unless its receiver waits.
    bool may_be(std::uint32_t c, const std::vector<std::uint32_t>& word) const {
        const Cell *begin = now.word(c), *end = begin + now.length(c);
        if (takes(c) && puts(c)) return std::equal(word.begin(), word.end(), begin, end);
        if (takes(c)) return word.size() >= now.length(c) && std::equal(begin, end, word.begin());
        if (puts(c)) return word.size() <= now.length(c) && std::equal(word.begin(), word.end(), end - word.size());
        return true;
    }
    bool may_contain(std::uint32_t c, std::uint32_t message) const {
        return !puts(c) || now.contains(c, message).may;
    }
    bool may_begin_with(std::uint32_t c, std::uint32_t message) const {
        if (takes(c) && !now.empty(c)) return now.head(c) == message;
        return may_contain(c, message);
    }
    bool may_rest() const {
        for (std::uint32_t p = 0; p < member.size(); ++p)
            if (member[p] && !rules.question.rests[p][now.state(p)]) return false;
        for (std::uint32_t c = 0; c < rules.system.channels.size(); ++c) {
            const std::uint32_t receiver = rules.ends(c).second;
            if (takes(c) && !now.empty(c) && !rules.question.ended[receiver][now.state(receiver)]) return false;
        }
        return true;
    }
};

// May the goal hold before a member has acted? The members have a calm step, so there is no deadlock before.
template <class Cell>
bool may_hold_before(const Waiting<Cell>& waiting, const Goal& goal, std::uint32_t number) {
    const GoalNode& node = goal[number];
    const auto part = [&](std::uint32_t child) { return may_hold_before(waiting, goal, child); };
    const auto& now = waiting.now;
    switch (node.kind) {
        case GoalKind::all: return std::all_of(node.details.begin(), node.details.end(), part);
        case GoalKind::any: return std::any_of(node.details.begin(), node.details.end(), part);
        case GoalKind::at:
            return !waiting.member[node.subject] || bool(node.details[now.state(node.subject)]) != node.negated;
        case GoalKind::deadlock: return node.negated;
        case GoalKind::at_rest: return node.negated || waiting.may_rest();
        case GoalKind::holds: return node.negated || waiting.may_be(node.subject, node.details);
        case GoalKind::contains: return node.negated || waiting.may_contain(node.subject, node.details[0]);
        case GoalKind::head: return node.negated || waiting.may_begin_with(node.subject, node.details[0]);
        case GoalKind::listed: return true;
    }
    return true;
}

template <class Cell>
class ClosedProcesses {
  public:
    ClosedProcesses(const Rules& rules, const Layout& layout)
        : rules_(rules), layout_(layout), member_(rules.system.processes.size(), 0) {
        for (std::size_t p = 0; p < rules.system.processes.size(); ++p)
            ends_.push_back(std::any_of(rules.question.ended[p].begin(), rules.question.ended[p].end(),
                                        [](std::uint8_t ended) { return ended; }));
    }

    // The closed set with the fewest enabled transitions at this configuration, or null: everybody. `open`: a bit
    // for each ask that is not answered yet; `hit`: some send is known to hit the bound.
    const std::vector<std::uint8_t>* choose(const Cell* row, std::uint32_t open, bool hit) {
        std::uint32_t fewest = nothing;
        for (std::uint32_t p = 0; p < member_.size() && fewest > 1; ++p) {
            if (!close(row, p) || !calm_ || count_ >= fewest || !may_wait(row, open, hit)) continue;
            fewest = count_;
            chosen_ = member_;
        }
        return fewest == nothing ? nullptr : &chosen_;
    }

  private:
    const Rules& rules_;
    const Layout& layout_;
    std::vector<std::uint8_t> member_, chosen_, ends_;  // ends_: the process has states in which it has ended
    std::vector<std::uint32_t> work_;
    std::uint32_t count_ = 0;  // enabled transitions of the set
    bool calm_ = false;        // one of them needs no fault and no time

    void add(std::uint32_t p) {
        if (member_[p]) return;
        member_[p] = 1;
        work_.push_back(p);
    }

    bool close(const Cell* row, std::uint32_t start) {
        std::fill(member_.begin(), member_.end(), 0);
        work_.clear();
        count_ = 0;
        calm_ = false;
        add(start);
        while (!work_.empty()) {
            const std::uint32_t p = work_.back();
            work_.pop_back();
            const auto& transitions = rules_.system.processes[p].transitions;
            for (auto t = rules_.first[p][row[p]]; t < rules_.first[p][row[p] + 1]; ++t) {
                if (!add_awaited(RowView<Cell>{layout_, row}, p, t, transitions[t])) return false;
                if (rules_.question.ended[p][transitions[t].target]) add_senders(p, row[p]);
            }
        }
        return true;
    }

    // The process may end: what becomes of messages to it depends on whether they are sent before.
    void add_senders(std::uint32_t p, std::uint32_t state) {
        if (rules_.question.ended[p][state]) return;
        for (std::uint32_t c = 0; c < rules_.system.channels.size(); ++c)
            if (rules_.ends(c).second == p && !rules_.question.observed[c]) add(rules_.ends(c).first);
    }

    // Counts an enabled transition, and adds whom it depends on; false: no closed set has it.
    bool add_awaited(const RowView<Cell>& at, std::uint32_t p, std::uint32_t number, const Transition& t) {
        if (t.kind == TransitionKind::internal) {
            const std::uint8_t mark = rules_.question.marks[p][number];
            const Clocks& clocks = rules_.question.extras.clocks;
            const Pace pace = clocks.used() ? clocks.pace[p][number] : Pace::at_once;
            const bool expires = pace == Pace::timer || pace == Pace::passes;
            if (mark != disabled && !expires) note(mark == unmarked && pace == Pace::at_once);
            return true;
        }
        const ChannelFaults& faults = rules_.system.channels[t.channel].faults;
        if (faults.may_overtake()) return false;
        const auto [sender, receiver] = rules_.ends(t.channel);
        if (t.kind == TransitionKind::receive) {
            if (at.empty(t.channel)) add(sender);
            else if (at.head(t.channel) == t.message) note(true);
            else if (faults.may_stay() && faults.may_become(at.head(t.channel), t.message)) note(false);
            return true;
        }
        const bool full = at.length(t.channel) >= rules_.question.k;
        const bool unseen = !at.empty(t.channel) && rules_.unseen(t.channel, at.state(receiver));
        if (full || (!at.empty(t.channel) && ends_[receiver] && !rules_.question.observed[t.channel])) add(receiver);
        if (!full || unseen) note(true);
        else if (faults.may_vanish()) note(false);
        return true;
    }

    void note(bool calm) {
        ++count_;
        calm_ = calm_ || calm;
    }

    bool may_wait(const Cell* row, std::uint32_t open, bool hit) const {
        const Waiting<Cell> waiting{rules_, RowView<Cell>{layout_, row}, member_};
        for (std::uint32_t c = 0; !hit && c < rules_.system.channels.size(); ++c)
            if (waiting.takes(c) && !waiting.puts(c) && rules_.question.may_hit[c]) return false;
        const auto& asks = rules_.question.asks;
        for (std::uint32_t a = 0; a < asks.size(); ++a)
            if ((open >> a & 1) &&
                may_hold_before(waiting, asks[a].goal, static_cast<std::uint32_t>(asks[a].goal.size() - 1)))
                return false;
        return true;
    }
};
extern template class ClosedProcesses<std::uint8_t>;
extern template class ClosedProcesses<std::uint16_t>;

}  // namespace stormproof::survival
