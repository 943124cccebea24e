// The successors of a state in the search of rsc_mailbox.cpp, and the reception that closes a cycle there.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "core/leaving.hpp"
#include "steps/mailbox_layout.hpp"

namespace stormproof {

// An action, or a send and at once its reception.
struct MailboxStep {
    std::uint32_t process = none, transition = none;
    std::uint32_t receiver = none, reception = none;
    bool guess = false;  // the send is pending from here on
};

// Each thread has its own.
class MailboxSteps {
  public:
    explicit MailboxSteps(const MailboxLayout& layout)
        : layout_(layout), system_(layout.system), leaving_(layout.system), next_(layout.words()) {}

    // put(length, step, words of the successor)
    template <class Put>
    void expand(const std::uint64_t* at, Put&& put) {
        for (std::uint32_t p = 0; p < system_.processes.size(); ++p)
            for (const Transition& t : leaving_(p, layout_.control[p].get(at))) {
                const MailboxStep step{p, leaving_.number(p, t)};
                if (t.kind == ActionKind::internal) act(at, step, t, put);
                if (t.kind == ActionKind::send) send(at, step, t, put);
            }
    }

    // The transition by which the owner of the mailbox receives the pending message and closes a cycle.
    Firing closing(const std::uint64_t* at) const {
        const PendingIntoMailbox& pending = layout_.pendings[layout_.pending.get(at)];
        if (pending.queue == none) return {none, none};
        const std::uint32_t q = system_.channels[pending.queue].receiver;
        if (!layout_.process_depends[q].get(at)) return {none, none};
        for (const Transition& r : leaving_(q, layout_.control[q].get(at)))
            if (takes(r, pending.queue, pending.message)) return {q, leaving_.number(q, r)};
        return {none, none};
    }

  private:
    template <class Put>
    void act(const std::uint64_t* at, const MailboxStep& step, const Transition& t, Put& put) {
        move(at, step.process, t);
        touch({step.process});
        put(1, step, next_.data());
    }

    template <class Put>
    void send(const std::uint64_t* at, const MailboxStep& step, const Transition& t, Put& put) {
        const std::uint32_t p = step.process;
        move(at, p, t);
        if (layout_.blocks(t)) layout_.block_of(p, t.channel).set(next_.data(), 1);
        touch({p}, t.channel);
        put(1, step, next_.data());
        if (is_blocked(at, p, t)) return;
        const PendingIntoMailbox& pending = layout_.pendings[layout_.pending.get(at)];
        if (pending.queue == none) guess(at, step, t, put);
        if (pending.queue != t.channel || passes(t, p, pending)) match(at, step, t, put);
    }

    template <class Put>
    void guess(const std::uint64_t* at, MailboxStep step, const Transition& t, Put& put) {
        const std::uint32_t p = step.process;
        move(at, p, t);
        layout_.pending.set(next_.data(), layout_.number_of[p][step.transition]);
        if (!layout_.overtakes(t.channel)) layout_.queue_depends[t.channel].set(next_.data(), 1);
        if (system_.channels[t.channel].receiver != p) layout_.process_depends[p].set(next_.data(), 1);
        step.guess = true;
        put(1, step, next_.data());
    }

    template <class Put>
    void match(const std::uint64_t* at, MailboxStep step, const Transition& t, Put& put) {
        const std::uint32_t p = step.process, q = system_.channels[t.channel].receiver;
        for (const Transition& r : leaving_(q, q == p ? t.target : layout_.control[q].get(at))) {
            if (!takes(r, t.channel, t.message)) continue;
            move(at, p, t);
            layout_.control[q].set(next_.data(), r.target);
            touch({p, q}, t.channel);
            step.receiver = q, step.reception = leaving_.number(q, r);
            put(2, step, next_.data());
        }
    }

    void move(const std::uint64_t* at, std::uint32_t p, const Transition& t) {
        std::copy(at, at + next_.size(), next_.begin());
        layout_.control[p].set(next_.data(), t.target);
    }

    bool takes(const Transition& r, std::uint32_t c, std::uint32_t sent) const {
        return r.kind == ActionKind::receive && r.channel == c && system_.channels[c].faults.may_become(sent, r.message);
    }

    // Everything that takes part depends on the pending send if one of them does: the processes, and the queue that a
    // message is put into. A process that has sent the pending message to itself depends on it from its next action on.
    void touch(std::initializer_list<std::uint32_t> processes, std::uint32_t c = none) {
        std::uint64_t* next = next_.data();
        const PendingIntoMailbox& pending = layout_.pendings[layout_.pending.get(next)];
        if (pending.queue == none) return;
        const bool ordered = c != none && !layout_.overtakes(c);
        const auto depends = [&](std::uint32_t p) { return p == pending.sender || layout_.process_depends[p].get(next); };
        if (std::none_of(processes.begin(), processes.end(), depends) && !(ordered && layout_.queue_depends[c].get(next)))
            return;
        for (std::uint32_t p : processes) layout_.process_depends[p].set(next, 1);
        if (ordered) layout_.queue_depends[c].set(next, 1);
    }

    // Does an unmatched send before keep the message from being received?
    bool is_blocked(const std::uint64_t* at, std::uint32_t p, const Transition& t) const {
        return layout_.block_of(p, t.channel).get(at) && (!layout_.overtakes(t.channel) || system_.is_crash(t.message));
    }

    // May the message be received before the pending one of the same mailbox?
    bool passes(const Transition& t, std::uint32_t p, const PendingIntoMailbox& pending) const {
        return layout_.overtakes(t.channel) && !(system_.is_crash(t.message) && pending.sender == p);
    }

    const MailboxLayout& layout_;
    const System& system_;
    const Leaving leaving_;
    std::vector<std::uint64_t> next_;
};

}  // namespace stormproof
