// RSC with mailboxes: one queue per receiver, into which several processes put messages (definitions 12.5, 12.6).
//
// The borderline violations of rsc.hpp, searched without its shortcut: what a process does alone does not commute with
// what the others put into the same mailbox. Two sends into one mailbox conflict, so the set D of what depends on the
// pending send has processes and queues. Where messages overtake each other the order of sends does not matter, and
// they do not conflict.
//
//   state      control states, blocked queues, pending: nothing or (queue, message, sender, D)
//   violation  the owner of the pending message's mailbox is in D and can receive what the message may have become
//
// States are visited in the order of their length, so that the first violation is a shortest one. In a mailbox that
// reorders, a crash message is the last of its sender: an unmatched send that is not lost blocks the crash message of
// the same sender only.
#include <algorithm>
#include <deque>
#include <initializer_list>
#include <string>
#include <unordered_map>

#include "rsc.hpp"

namespace stormproof {
namespace {

struct MailboxState {
    std::vector<std::uint32_t> control;
    std::vector<bool> blocked;  // by queue or, where messages overtake each other, by queue and sender
    std::vector<bool> depends;  // processes, then queues
    std::uint32_t queue = none, message = none, sender = none;  // the pending send

    bool pending() const { return queue != none; }

    std::string key() const {
        std::string out;
        auto put = [&](std::uint32_t n) { out.append(reinterpret_cast<const char*>(&n), sizeof n); };
        for (auto state : control) put(state);
        put(queue), put(message), put(sender);
        for (const auto* bits : {&blocked, &depends})
            for (bool bit : *bits) out.push_back(static_cast<char>(bit));
        return out;
    }
};

// How a state was reached; `receiver` is none for an action without a matching reception.
struct MailboxArrival {
    std::uint32_t parent = none, process = none, transition = none, receiver = none, reception = none;
    bool guess = false;
};

class MailboxSearch {
  public:
    MailboxSearch(const System& system, Monitor& monitor) : system_(system), monitor_(monitor) {}

    RscResult run() {
        start();
        for (cost_ = 0; cost_ < buckets_.size() && !result_.violated && !stopped(); ++cost_)
            for (std::size_t n = 0; n < buckets_[cost_].size() && !result_.violated && !stopped(); ++n)
                visit(buckets_[cost_][n]);
        report();
        result_.memory = memory_;
        return std::move(result_);
    }

  private:
    void start() {
        MailboxState first;
        for (const auto& process : system_.processes) first.control.push_back(process.initial);
        first.blocked.assign(system_.channels.size() * (1 + system_.processes.size()), false);
        first.depends.assign(system_.processes.size() + system_.channels.size(), false);
        buckets_.resize(1);
        add(first, 0, {});
    }

    bool stopped() {
        if (result_.stop != Stop::none) return true;
        const auto most = monitor_.max_states();
        if (most && result_.states >= most) result_.stop = Stop::states;
        if (result_.states % 256 == 0 && result_.stop == Stop::none) {
            report();
            result_.stop = monitor_.over();
        }
        return result_.stop != Stop::none;
    }

    void report() {
        monitor_.states = result_.states;
        monitor_.frontier = states_.size() - result_.states;
        monitor_.memory = memory_;
    }

    void add(const MailboxState& state, std::uint32_t cost, const MailboxArrival& arrival) {
        std::string key = state.key();
        auto [at, fresh] = costs_.try_emplace(key, cost);
        if (!fresh && at->second <= cost) return;
        at->second = cost;
        memory_ += 3 * key.size() + sizeof(MailboxState) + sizeof(MailboxArrival) + 128;
        if (buckets_.size() <= cost) buckets_.resize(cost + 1);
        buckets_[cost].push_back(static_cast<std::uint32_t>(states_.size()));
        states_.push_back(state);
        arrivals_.push_back(arrival);
    }

    void visit(std::uint32_t i) {
        const MailboxState at = states_[i];
        if (costs_[at.key()] < cost_) return;
        ++result_.states;
        if (close(i, at)) return;
        for (std::uint32_t p = 0; p < system_.processes.size(); ++p)
            each_leaving(p, at.control[p], [&](std::uint32_t number, const Transition& t) {
                if (t.kind == ActionKind::internal) act(i, at, p, number, t);
                if (t.kind == ActionKind::send) send(i, at, p, number, t);
            });
    }

    template <class Visit>
    void each_leaving(std::uint32_t p, std::uint32_t state, Visit&& visit) const {
        const auto& all = system_.processes[p].transitions;
        auto by_source = [](const Transition& t, std::uint32_t s) { return t.source < s; };
        for (auto t = std::lower_bound(all.begin(), all.end(), state, by_source); t != all.end() && t->source == state; ++t)
            visit(static_cast<std::uint32_t>(t - all.begin()), *t);
    }

    void put(const MailboxState& next, std::uint32_t weight, const MailboxArrival& arrival) {
        ++result_.transitions;
        add(next, cost_ + weight, arrival);
    }

    void act(std::uint32_t i, const MailboxState& at, std::uint32_t p, std::uint32_t number, const Transition& t) {
        MailboxState next = at;
        next.control[p] = t.target;
        touch(next, {p});
        put(next, 1, {i, p, number});
    }

    void send(std::uint32_t i, const MailboxState& at, std::uint32_t p, std::uint32_t number, const Transition& t) {
        MailboxState alone = at;
        alone.control[p] = t.target;
        block(alone, p, t);
        touch(alone, {p}, t.channel);
        put(alone, 1, {i, p, number});
        if (is_blocked(at, p, t)) return;
        if (!at.pending()) {
            MailboxState guess = at;
            guess.control[p] = t.target;
            guess.queue = t.channel, guess.message = t.message, guess.sender = p;
            guess.depends[queue(t.channel)] = !overtakes(t.channel);
            guess.depends[p] = system_.channels[t.channel].receiver != p;
            put(guess, 1, {i, p, number, none, none, true});
        }
        if (at.queue != t.channel || passes_pending(at, p, t)) match(i, at, p, number, t);
    }

    void match(std::uint32_t i, const MailboxState& at, std::uint32_t p, std::uint32_t number, const Transition& t) {
        const std::uint32_t q = system_.channels[t.channel].receiver;
        each_leaving(q, q == p ? t.target : at.control[q], [&](std::uint32_t reception, const Transition& r) {
            if (!takes(r, t.channel, t.message)) return;
            MailboxState next = at;
            next.control[p] = t.target;
            next.control[q] = r.target;
            touch(next, {p, q}, t.channel);
            put(next, 2, {i, p, number, q, reception});
        });
    }

    bool takes(const Transition& r, std::uint32_t c, std::uint32_t sent) const {
        return r.kind == ActionKind::receive && r.channel == c &&
               system_.channels[c].faults.may_become(sent, r.message);
    }

    std::uint32_t queue(std::uint32_t c) const { return static_cast<std::uint32_t>(system_.processes.size()) + c; }

    // Everything that takes part depends on the pending send if one of them does: the processes, and the queue that a
    // message is put into. A process that has sent the pending message to itself depends on it from its next action on.
    void touch(MailboxState& next, std::initializer_list<std::uint32_t> processes, std::uint32_t c = none) const {
        if (!next.pending()) return;
        const bool ordered = c != none && !overtakes(c);
        const auto depends = [&](std::uint32_t p) { return next.depends[p] || p == next.sender; };
        if (!std::any_of(processes.begin(), processes.end(), depends) && !(ordered && next.depends[queue(c)])) return;
        for (auto p : processes) next.depends[p] = true;
        if (ordered) next.depends[queue(c)] = true;
    }

    // ---- what an unmatched send keeps from being received -------------------------------------------------------

    bool overtakes(std::uint32_t c) const { return system_.channels[c].faults.may_overtake(); }

    std::size_t block_of(std::uint32_t p, std::uint32_t c) const {
        return c * (1 + system_.processes.size()) + (overtakes(c) ? 1 + p : 0);
    }

    void block(MailboxState& next, std::uint32_t p, const Transition& t) const {
        const auto& faults = system_.channels[t.channel].faults;
        if (!faults.may_vanish(t.message) || system_.is_crash(t.message)) next.blocked[block_of(p, t.channel)] = true;
    }

    bool is_blocked(const MailboxState& at, std::uint32_t p, const Transition& t) const {
        return at.blocked[block_of(p, t.channel)] && (!overtakes(t.channel) || system_.is_crash(t.message));
    }

    // May the message be received before the pending one of the same mailbox?
    bool passes_pending(const MailboxState& at, std::uint32_t p, const Transition& t) const {
        return overtakes(t.channel) && !(system_.is_crash(t.message) && at.sender == p);
    }

    // ---- the violation ------------------------------------------------------------------------------------------

    bool close(std::uint32_t i, const MailboxState& at) {
        if (!at.pending()) return false;
        const std::uint32_t q = system_.channels[at.queue].receiver;
        if (!at.depends[q]) return false;
        std::uint32_t closing = none;
        each_leaving(q, at.control[q], [&](std::uint32_t number, const Transition& r) {
            if (closing == none && takes(r, at.queue, at.message)) closing = number;
        });
        if (closing != none) build_run(i, q, closing);
        return closing != none;
    }

    void build_run(std::uint32_t end, std::uint32_t q, std::uint32_t closing) {
        std::vector<std::uint32_t> path;
        for (std::uint32_t i = end; arrivals_[i].parent != none; i = arrivals_[i].parent) path.push_back(i);
        std::uint32_t guessed = none;
        for (auto at = path.rbegin(); at != path.rend(); ++at) {
            const MailboxArrival& arrival = arrivals_[*at];
            const std::uint32_t sent = append(arrival.process, arrival.transition);
            if (arrival.guess) guessed = sent;
            if (arrival.receiver != none)
                result_.communication.emplace_back(append(arrival.receiver, arrival.reception), sent);
        }
        result_.communication.emplace_back(append(q, closing), guessed);
        result_.violated = true;
    }

    std::uint32_t append(std::uint32_t p, std::uint32_t transition) {
        result_.firings.emplace_back(p, transition);
        return static_cast<std::uint32_t>(result_.firings.size() - 1);
    }

    const System& system_;
    Monitor& monitor_;
    std::deque<MailboxState> states_;
    std::deque<MailboxArrival> arrivals_;
    std::unordered_map<std::string, std::uint32_t> costs_;
    std::vector<std::vector<std::uint32_t>> buckets_;  // states by length
    std::uint32_t cost_ = 0;
    std::uint64_t memory_ = 0;
    RscResult result_;
};

}  // namespace

RscResult search_rsc_mailboxes(const System& system, Monitor& monitor) { return MailboxSearch(system, monitor).run(); }

}  // namespace stormproof
