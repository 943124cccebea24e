// The successors of a state in the search of rsc.hpp, and the receptions that close a cycle there.
#pragma once

#include <algorithm>
#include <vector>

#include "steps/alone.hpp"
#include "steps/rendezvous_layout.hpp"

namespace stormproof {

// How a state was reached: what the sender did alone, its send, and in a matched pair the same of the receiver.
struct Arrival {
    std::uint32_t sender = none, before_send = none, send = none;
    std::uint32_t receiver = none, before_reception = none, reception = none;
};

// The reception of the pending send by a process that depends on it, and what the process does alone before.
struct Closing {
    std::uint32_t length = none, process = none, variant = none, reception = none;
};

// Each thread has its own.
class RscSteps {
  public:
    RscSteps(const RscLayout& layout, const Monitor& monitor, Usage& usage)
        : layout_(layout), key_(layout.key.words()), payload_(layout.payload.words()), system_(layout.system),
          monitor_(monitor), locals_(system_, layout.tracked, monitor, usage) {}
    virtual ~RscSteps() = default;

    // A limit that was hit within a state, so that not all of its successors are known.
    Stop cut_short() const { return locals_.stopped() == Stop::none ? late_ : locals_.stopped(); }

  protected:
    const RscLayout& layout_;
    std::vector<std::uint64_t> key_, payload_;  // of the successor that is put

    virtual void put(std::uint32_t weight, const Arrival& arrival) = 0;
    // The shortest one, once at most for a state, and before its successors.
    virtual void close(const Closing& closing) = 0;

    void expand(const std::uint64_t* key, const std::uint64_t* payload) {
        key_at_.assign(key, key + key_.size());
        payload_at_.assign(payload, payload + payload_.size());
        now_.clear();
        for (std::uint32_t p = 0; p < system_.processes.size(); ++p) now_.push_back(&alone(p));
        if (cut_short() != Stop::none) return;
        const std::uint64_t pending = layout_.pending.get(key_at_.data());
        if (pending != 0) look_for_violation(layout_.pendings[pending]);
        if (pending != 0 && !depends(payload_at_, layout_.sender_of(pending))) depart(layout_.sender_of(pending));
        if (pending == 0) wanted_.assign(system_.processes.size(), 1);
        else close_around(layout_.pendings[pending].channel);
        for (std::uint32_t p = 0; p < system_.processes.size(); ++p)
            for (std::uint32_t v = 0; v < now_[p]->size() && wanted_[p]; ++v)
                for (const auto& t : locals_.leaving(p, (*now_[p])[v].state))
                    if (t.kind == ActionKind::send) send(p, v, t);
    }

    // What process p may do alone from its local state in the state that was expanded last.
    const std::vector<Variant>& alone(std::uint32_t p) {
        free_.clear();
        for (const Field& field : layout_.free_of[p]) free_.push_back(field.get(payload_at_.data()));
        return locals_.from(p, static_cast<std::uint32_t>(layout_.control[p].get(key_at_.data())), free_);
    }

  private:
    using Words = std::vector<std::uint64_t>;

    bool depends(const Words& payload, std::uint32_t p) const { return layout_.depends[p].get(payload.data()); }

    // One state of a large system may have millions of successors, so limits are checked among them, too.
    bool late() {
        if (++looks_ % (1 << 16) == 0) late_ = monitor_.over();
        return late_ != Stop::none;
    }

    // While a send is pending, only the processes with which its receiver can come to interact have to act (rsc.hpp).
    void close_around(std::uint32_t channel) {
        const Channel& ch = system_.channels[channel];
        wanted_.assign(system_.processes.size(), ch.sender == ch.receiver);
        if (ch.sender != ch.receiver) locals_.add_interacting(ch.receiver, now_, wanted_);
    }

    // Process p has done nothing since it guessed a send to itself, and depends on that from its next action on. What
    // it does alone now is a state of its own: back in the same local state, p is no longer where it was.
    void depart(std::uint32_t p) {
        only_first_.assign(1, (*now_[p])[0]);
        now_[p] = &only_first_;
        for (const auto& t : locals_.leaving(p, only_first_[0].state)) {
            if (t.kind == ActionKind::receive) continue;
            copy();
            place(p, locals_.after(only_first_[0], t), t.target);
            layout_.depends[p].set(payload_.data(), 1);
            put(1, {p, 0, number(p, t), none, none, none});
        }
    }

    void look_for_violation(const PendingSend& pending) {
        const Channel& channel = system_.channels[pending.channel];
        const std::uint32_t q = channel.receiver;
        if (!depends(payload_at_, q)) return;
        for (std::uint32_t w = 0; w < now_[q]->size(); ++w) {  // in the order of their cost
            const Variant& at = (*now_[q])[w];
            for (const auto& r : locals_.leaving(q, at.state))
                if (r.kind == ActionKind::receive && r.channel == pending.channel &&
                    channel.faults.may_become(pending.message, r.message))
                    return close({at.cost + 1, q, w, number(q, r)});
        }
    }

    // In the successor, puts process p into `target` after what it did alone.
    void place(std::uint32_t p, const Variant& before, std::uint32_t target) {
        layout_.control[p].set(key_.data(), target);
        for (std::size_t i = 0; i < before.free.size(); ++i)
            layout_.free_of[p][i].set(payload_.data(), before.free[i]);
    }

    void copy() {
        key_ = key_at_;
        payload_ = payload_at_;
    }

    void send(std::uint32_t p, std::uint32_t v, const Transition& t) {
        const Variant& before = (*now_[p])[v];
        const auto guess = layout_.pendings.on(t.channel).find(t.message);
        if (guess == layout_.pendings.on(t.channel).end()) return;  // nobody can ever receive it
        bool overtakes = system_.channels[t.channel].faults.may_overtake() && t.message != crash_message;
        if (!overtakes && !locals_.is_free(before, t.channel)) return;
        const std::uint64_t pending = layout_.pending.get(key_at_.data());
        if (pending == 0) {
            copy();
            place(p, before, t.target);
            layout_.pending.set(key_.data(), guess->second);
            layout_.depends[p].set(payload_.data(), system_.channels[t.channel].receiver != p);
            put(before.cost + 1, {p, v, number(p, t), none, none, none});
        }
        if (layout_.pendings[pending].channel != t.channel || overtakes) match(p, v, t);
    }

    void match(std::uint32_t p, std::uint32_t v, const Transition& t) {
        const Variant& sender = (*now_[p])[v];
        std::uint32_t q = system_.channels[t.channel].receiver;
        if (q == p) {  // nothing comes between the two: the process is where the send left it
            for (const auto& r : locals_.leaving(p, t.target)) {
                if (!takes(t, r)) continue;
                copy();
                place(p, sender, r.target);
                depend(p, p);
                put(sender.cost + 2, {p, v, number(p, t), p, 0, number(p, r)});
            }
            return;
        }
        for (std::uint32_t w = 0; w < now_[q]->size(); ++w)
            for (const auto& r : locals_.leaving(q, (*now_[q])[w].state)) {
                if (late()) return;
                if (!takes(t, r)) continue;
                const Variant& receiver = (*now_[q])[w];
                copy();
                place(p, sender, t.target);
                place(q, receiver, r.target);
                depend(p, q);
                put(sender.cost + receiver.cost + 2, {p, v, number(p, t), q, w, number(q, r)});
            }
    }

    bool takes(const Transition& send, const Transition& r) const {
        return r.kind == ActionKind::receive && r.channel == send.channel &&
               system_.channels[send.channel].faults.may_become(send.message, r.message);
    }

    // In the successor, what p and q do together depends on the pending send if one of them does.
    void depend(std::uint32_t p, std::uint32_t q) {
        const std::uint64_t pending = layout_.pending.get(key_at_.data());
        const bool sent = pending != 0 && (layout_.sender_of(pending) == p || layout_.sender_of(pending) == q);
        if (!sent && !depends(payload_, p) && !depends(payload_, q)) return;
        layout_.depends[p].set(payload_.data(), 1);
        layout_.depends[q].set(payload_.data(), 1);
    }

    std::uint32_t number(std::uint32_t p, const Transition& t) const {
        return static_cast<std::uint32_t>(&t - system_.processes[p].transitions.data());
    }

    const System& system_;
    const Monitor& monitor_;
    Locals locals_;
    Words key_at_, payload_at_;  // of the state that is expanded
    Mask free_;
    std::vector<const std::vector<Variant>*> now_;
    std::vector<std::uint8_t> wanted_;  // the processes whose pairs are explored
    std::vector<Variant> only_first_;
    std::uint64_t looks_ = 0;
    Stop late_ = Stop::none;
};

}  // namespace stormproof
