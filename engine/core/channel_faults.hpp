// What each kind of fault does to the messages of a channel (definitions 2.2 to 2.5, 9.1).
//
// No other file of the engine names a kind of channel fault. The searches ask what may happen to a message: whether it
// may vanish, change, be received before earlier ones, or stay when it is received. The search at a bound lets silent
// faults happen between any two actions (`each_silent_outcome`, `each_staying_head`), survival lets faults happen at
// the send and at the reception (`each_vanishing_send`, `each_faulty_send`, `each_faulty_reception`), and reachability
// applies faults only where a reception or a goal needs them, with the questions of `ChannelFaults` itself.
//
// A new kind is a value of `Fault`, a flag with its keyword, and its part in these functions. The crash message is
// never affected by any of them (definitions 5.1). In a mailbox loss and duplication may spare the messages of some
// senders, and they spare crash messages (definitions 12.2).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/numbers.hpp"

namespace stormproof {

// Every kind of fault that is counted, those of links and of processes last; answers list them in this order.
enum class Fault : std::uint8_t { loss, corruption, reordering, duplication, cut, stop, restart, crash };
constexpr std::array fault_names{"LOSS", "CORRUPTION", "REORDERING", "DUPLICATION", "CUT", "STOP", "RESTART", "CRASH"};
constexpr std::size_t fault_kinds = fault_names.size();

class ChannelFaults {
  public:
    std::vector<std::vector<std::uint32_t>> becomes;  // message -> what it may become, itself left out; sorted

    // Declares a kind by its keyword (src/stormproof/kernel/model/faults.py); false: there is none. What a corruption does
    // is said by `becomes`.
    // `spared`: message -> whether it never happens to it; empty for none.
    bool declare(std::string_view keyword, std::vector<std::uint8_t> spared = {}) {
        if (keyword == "loss") loss_ = true, never_lost_ = std::move(spared);
        else if (keyword == "reorder") reorder_ = true;
        else if (keyword == "duplicate") duplicate_ = true, never_stays_ = std::move(spared);
        else return keyword == "corrupt";
        return true;
    }

    bool may_vanish() const { return loss_; }        // without being received
    bool may_vanish(std::uint32_t message) const { return loss_ && (never_lost_.empty() || !never_lost_[message]); }
    bool may_overtake() const { return reorder_; }   // be received before messages that were sent earlier
    bool may_stay() const { return duplicate_; }     // in the channel, although it is received
    bool may_stay(std::uint32_t message) const {
        return duplicate_ && (never_stays_.empty() || !never_stays_[message]);
    }
    bool may_change() const {
        return std::any_of(becomes.begin(), becomes.end(), [](const auto& others) { return !others.empty(); });
    }
    // May `sent` be received as `received`?
    bool may_become(std::uint32_t sent, std::uint32_t received) const {
        return sent == received || std::binary_search(becomes[sent].begin(), becomes[sent].end(), received);
    }
    bool perfect() const { return !loss_ && !reorder_ && !duplicate_ && !may_change(); }
    bool has_silent_steps() const { return loss_ || may_change(); }

    // The same faults with messages in other numbers, the new number being the place in `letters`; and what they make
    // of those, which may be left out.
    ChannelFaults with(const std::vector<std::uint32_t>& letters, std::vector<std::vector<std::uint32_t>> others) const {
        ChannelFaults out = *this;
        out.becomes = std::move(others);
        for (auto* spared : {&out.never_lost_, &out.never_stays_}) {
            if (spared->empty()) continue;
            std::vector<std::uint8_t> renumbered;
            for (auto message : letters) renumbered.push_back((*spared)[message]);
            *spared = std::move(renumbered);
        }
        return out;
    }

  private:
    bool loss_ = false, reorder_ = false, duplicate_ = false;
    std::vector<std::uint8_t> never_lost_, never_stays_;
};

// ---- between any two actions ------------------------------------------------------------------------------

constexpr std::uint32_t vanished = none;

// What a message in the channel may silently turn into: visit(other), or visit(vanished).
template <class Visit>
inline void each_silent_outcome(const ChannelFaults& faults, std::uint32_t message, Visit&& visit) {
    if (faults.may_vanish(message)) visit(vanished);
    if (faults.becomes.empty()) return;
    for (auto other : faults.becomes[message]) visit(other);
}

// No message has more outcomes than this.
inline std::uint64_t most_silent_outcomes(const ChannelFaults& faults) {
    std::size_t most = 0;
    for (const auto& others : faults.becomes) most = std::max(most, others.size());
    return most + faults.may_vanish();
}

// The heads of the channel of which a copy may be received as `message` while they stay: visit(head).
template <class Visit>
void each_staying_head(const ChannelFaults& faults, std::uint32_t message, Visit&& visit) {
    if (!faults.may_stay(message)) return;
    visit(message);
    for (std::uint32_t head = 0; head < faults.becomes.size(); ++head)
        if (head != message && faults.may_become(head, message)) visit(head);
}

// ---- at the send and at the reception ---------------------------------------------------------------------

// What goes wrong with the message of a step; by default nothing.
struct MessageOutcome {
    bool lost = false;
    std::uint32_t becomes = none;                  // a send: the message that is put into the channel instead
    std::uint32_t overtakes = 0;                   // a send: how many messages it is put before
    std::uint32_t kept = none;                     // a reception: where the message stays in what is left
    std::uint32_t kept_as = none, head = none;     // the message that stays, and that stood there, if it is another
};

// The fields of an outcome, by the names that they have in Python (`Strike`, src/stormproof/kernel/model/fault_steps.py).
template <class Visit>
void each_field(const MessageOutcome& outcome, Visit&& visit) {
    visit("lost", outcome.lost);
    visit("becomes", outcome.becomes);
    visit("overtakes", outcome.overtakes);
    visit("kept", outcome.kept);
    visit("kept_as", outcome.kept_as);
    visit("head", outcome.head);
}

// The faults that an outcome takes: visit(kind, how many).
template <class Visit>
void each_fault(const MessageOutcome& outcome, Visit&& visit) {
    const std::uint32_t corruptions = (outcome.becomes != none) + (outcome.kept_as != none) + (outcome.head != none);
    if (outcome.lost) visit(Fault::loss, 1u);
    if (corruptions > 0) visit(Fault::corruption, corruptions);
    if (outcome.overtakes > 0) visit(Fault::reordering, 1u);
    if (outcome.kept != none) visit(Fault::duplication, 1u);
}

// The outcomes of a send that leave the channel as it is.
template <class Visit>
void each_vanishing_send(const ChannelFaults& faults, std::uint32_t message, Visit&& visit) {
    if (!faults.may_vanish(message)) return;
    MessageOutcome outcome;
    outcome.lost = true;
    visit(outcome);
}

template <class Visit>
void each_overtaking(const ChannelFaults& faults, MessageOutcome outcome, std::uint32_t length, Visit&& visit) {
    if (!faults.may_overtake()) return;
    for (outcome.overtakes = length; outcome.overtakes > 0; --outcome.overtakes) visit(outcome);
}

// The outcomes of a send that add to the channel, which has so many messages, and go wrong.
template <class Visit>
void each_faulty_send(const ChannelFaults& faults, std::uint32_t message, std::uint32_t length, Visit&& visit) {
    MessageOutcome outcome;
    each_overtaking(faults, outcome, length, visit);
    for (auto other : faults.becomes[message]) {
        outcome.becomes = other;
        visit(outcome);
        each_overtaking(faults, outcome, length, visit);
    }
}

// The outcomes of the reception of `message` from a channel that go wrong, if `head` is at the head and may stay in
// `places` of what is left.
template <class Visit>
void each_faulty_reception(const ChannelFaults& faults, std::uint32_t head, std::uint32_t places,
                           std::uint32_t message, Visit&& visit) {
    if (!faults.may_stay(head) || !faults.may_become(head, message)) return;
    MessageOutcome outcome;
    if (head != message) outcome.head = head;
    if (!faults.may_overtake()) places = 1;
    for (outcome.kept = 0; outcome.kept < places; ++outcome.kept) {
        outcome.kept_as = none;
        visit(outcome);
        for (auto other : faults.becomes[head]) {
            outcome.kept_as = other;
            visit(outcome);
        }
    }
}

}  // namespace stormproof
