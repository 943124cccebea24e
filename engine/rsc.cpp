// The search of rsc.hpp.
#include "rsc.hpp"

#include <algorithm>

#include "antichain.hpp"
#include "fields.hpp"
#include "rsc_local.hpp"
#include "rsc_pending.hpp"
#include "rsc_turns.hpp"

namespace stormproof {
namespace {

// When a violation is known, the search for a shortest one stops after so many states.
constexpr std::uint64_t most_for_shortest = 5'000'000;

// Two ways to search the same states. `deciding`: depth first and without regard to length, so that a state is
// dropped for any other that can do as much, however it was reached; few states, and the first violation is enough.
// Otherwise cheapest first, for violations shorter than a known one.
class Search {
  public:
    Search(const System& system, Monitor& monitor, bool deciding, const std::vector<Automorphism>& group,
           std::uint64_t states_before = 0)
        : system_(system), monitor_(monitor), deciding_(deciding), before_(states_before), pendings_(system),
          locals_(system, monitor), layout_(make_layout()),
          states_(layout_.words(), payload_layout_.words(), monitor),
          symmetry_({control_, pending_, depends_, free_}, group, static_cast<std::uint32_t>(pendings_.size()),
                 [this](const Automorphism& g, std::uint32_t pending) { return image_of(g, pending); }) {}

    RscResult decide() {
        start();
        auto& stack = buckets_[0];
        while (!stack.empty() && violation_.node == none && !stopped()) {
            std::uint32_t i = stack.back();
            stack.pop_back();
            visit(i);
        }
        return finish();
    }

    // The shortest violation of fewer than `length` actions, if there is one.
    RscResult shorten(std::uint32_t length) {
        start();
        violation_.cost = length;
        for (cost_ = 0; cost_ < buckets_.size() && cost_ < violation_.cost; ++cost_) {
            auto now = std::move(buckets_[cost_]);
            for (std::uint32_t i : now) {
                if (stopped()) return finish();
                visit(i);
            }
        }
        return finish();
    }

  private:
    Packer make_layout() {
        Packer keys;
        for (const auto& process : system_.processes) control_.push_back(keys.field(process.states));
        pending_ = keys.field(static_cast<std::uint32_t>(pendings_.size()));
        for (std::size_t p = 0; p < system_.processes.size(); ++p) depends_.push_back(payload_layout_.field(2));
        for (std::uint32_t c = 0; c < system_.channels.size(); ++c) {
            const auto& channel = system_.channels[c];
            bool blocks = !channel.faults.may_vanish() && (!channel.faults.may_overtake() || pendings_.sends_crash(c)) && !pendings_.on(c).empty();
            free_.push_back(blocks ? payload_layout_.field(2) : Field{});
            if (blocks) locals_.track(c);
        }
        return keys;
    }

    std::uint32_t image_of(const Automorphism& g, std::uint32_t pending) const {
        if (pending == 0) return 0;
        const auto [channel, message] = pendings_[pending];
        return pendings_.on(g.channel[channel]).at(g.message_on(channel, message));
    }

    void start() {
        key_.assign(layout_.words(), 0);
        payload_.assign(payload_layout_.words(), 0);
        for (std::size_t p = 0; p < control_.size(); ++p)
            control_[p].set(key_.data(), system_.processes[p].initial);
        for (const auto& field : free_)
            if (field.mask) field.set(payload_.data(), 1);
        buckets_.resize(1);
        std::uint32_t i = states_.add(key_.data(), payload_.data(), none, 0, 0, {});
        if (i != none && states_.room(buckets_[0], 1)) buckets_[0].push_back(i), ++waiting_;
    }

    void visit(std::uint32_t i) {
        --waiting_;
        if (states_.state(i).dead) return;
        ++result_.states;
        expand(i);
    }

    bool stopped() {
        result_.stop = cut_short();
        std::uint64_t most = monitor_.max_states();
        bool too_many = (most && before_ + result_.states >= most) || (!deciding_ && result_.states >= most_for_shortest);
        if (too_many && result_.stop == Stop::none) result_.stop = Stop::states;
        if (result_.states % 256 == 0 && result_.stop == Stop::none) {
            report();
            result_.stop = monitor_.over();
        }
        return result_.stop != Stop::none;
    }

    // A limit that was hit within a state, so that not all of its successors are known.
    Stop cut_short() const {
        if (states_.full()) return Stop::memory;
        return locals_.stopped() == Stop::none ? late_ : locals_.stopped();
    }

    // One state of a large system may have millions of successors, so limits are checked among them, too.
    bool late() {
        if (++turns_ % (1 << 16) == 0) late_ = monitor_.over();
        return late_ != Stop::none;
    }

    void report() {
        monitor_.states = before_ + result_.states;
        monitor_.frontier = waiting_;
        monitor_.memory = states_.bytes();
    }

    // A violation that was seen is certain, even where a limit leaves open whether a shorter one exists.
    RscResult finish() {
        if (result_.stop == Stop::none) result_.stop = cut_short();
        if (violation_.node != none) build_run();
        report();
        result_.memory = states_.bytes();
        return std::move(result_);
    }

    // What process p may do alone from its local state in a state of the search.
    const std::vector<Variant>& alone(std::uint32_t i, std::uint32_t p) {
        const std::uint64_t* payload = states_.payload(i);
        Mask free = locals_.blank(p);
        const auto& mine = locals_.tracked(p);
        for (std::uint32_t bit = 0; bit < mine.size(); ++bit)
            if (free_[mine[bit]].get(payload)) give(free, bit);
        const auto at = static_cast<std::uint32_t>(control_[p].get(states_.key(i)));
        return locals_.from(p, at, free, states_);
    }

    void expand(std::uint32_t i) {
        now_.clear();
        for (std::uint32_t p = 0; p < system_.processes.size(); ++p) now_.push_back(&alone(i, p));
        const std::uint64_t pending = pending_.get(states_.key(i));
        if (pending != 0) look_for_violation(i, pendings_[pending]);
        if (pending != 0 && !depends_[sender_of(pending)].get(states_.payload(i))) depart(i, sender_of(pending));
        if (pending == 0) wanted_.assign(system_.processes.size(), 1);
        else close_around(pendings_[pending].channel);
        for (std::uint32_t p = 0; p < system_.processes.size(); ++p)
            for (std::uint32_t v = 0; v < now_[p]->size() && wanted_[p]; ++v)
                for (const auto& t : locals_.leaving(p, (*now_[p])[v].state))
                    if (t.kind == ActionKind::send) send(i, p, v, t);
    }

    // While a send is pending, only the processes with which its receiver can come to interact have to act (rsc.hpp).
    void close_around(std::uint32_t channel) {
        const Channel& ch = system_.channels[channel];
        wanted_.assign(system_.processes.size(), ch.sender == ch.receiver);
        if (ch.sender != ch.receiver) locals_.add_interacting(ch.receiver, now_, wanted_);
    }

    std::uint32_t sender_of(std::uint64_t pending) const {
        return system_.channels[pendings_[pending].channel].sender;
    }

    // Process p has done nothing since it guessed a send to itself, and depends on that from its next action on. What
    // it does alone now is a state of its own: back in the same local state, p is no longer where it was.
    void depart(std::uint32_t i, std::uint32_t p) {
        only_first_.assign(1, (*now_[p])[0]);
        now_[p] = &only_first_;
        for (const auto& t : locals_.leaving(p, only_first_[0].state)) {
            if (t.kind == ActionKind::receive) continue;
            copy(i);
            place(p, locals_.after(only_first_[0], t), t.target);
            depends_[p].set(payload_.data(), 1);
            put(i, 1, {p, 0, number(p, t), none, none, none});
        }
    }

    void look_for_violation(std::uint32_t i, const PendingSend& pending) {
        const Channel& channel = system_.channels[pending.channel];
        std::uint32_t q = channel.receiver;
        if (!depends_[q].get(states_.payload(i))) return;
        for (std::uint32_t w = 0; w < now_[q]->size(); ++w) {
            const Variant& at = (*now_[q])[w];
            if (cost_ + at.cost + 1 >= violation_.cost) return;  // variants are in the order of their cost
            for (const auto& r : locals_.leaving(q, at.state))
                if (r.kind == ActionKind::receive && r.channel == pending.channel &&
                    channel.faults.may_become(pending.message, r.message)) {
                    violation_ = {cost_ + at.cost + 1, i, q, w, number(q, r)};
                    return;
                }
        }
    }

    // In the successor, puts process p into `target` after what it did alone.
    void place(std::uint32_t p, const Variant& before, std::uint32_t target) {
        control_[p].set(key_.data(), target);
        const auto& mine = locals_.tracked(p);
        for (std::uint32_t bit = 0; bit < mine.size(); ++bit)
            free_[mine[bit]].set(payload_.data(), has(before.free, bit));
    }

    void copy(std::uint32_t i) {
        std::copy_n(states_.key(i), key_.size(), key_.begin());
        std::copy_n(states_.payload(i), payload_.size(), payload_.begin());
    }

    void put(std::uint32_t parent, std::uint32_t weight, const Arrival& arrival) {
        ++result_.transitions;
        std::uint32_t cost = deciding_ ? 0 : cost_ + weight;
        if (cost >= violation_.cost) return;  // it can lead to nothing shorter
        const std::uint32_t turn = symmetry_.settle(key_.data(), payload_.data());
        const std::uint32_t settled = deciding_ ? 0 : cost_ + 1;
        std::uint32_t i = states_.add(key_.data(), payload_.data(), parent, cost, settled, arrival, turn);
        if (i == none) return;
        if (buckets_.size() <= cost) buckets_.resize(cost + 1);
        if (!states_.room(buckets_[cost], 1)) return;
        buckets_[cost].push_back(i);
        ++waiting_;
    }

    void send(std::uint32_t i, std::uint32_t p, std::uint32_t v, const Transition& t) {
        const Variant& before = (*now_[p])[v];
        const auto guess = pendings_.on(t.channel).find(t.message);
        if (guess == pendings_.on(t.channel).end()) return;  // nobody can ever receive it
        bool overtakes = system_.channels[t.channel].faults.may_overtake() && t.message != crash_message;
        if (!overtakes && !locals_.is_free(before, t.channel)) return;
        const std::uint64_t pending = pending_.get(states_.key(i));
        if (pending == 0) {
            copy(i);
            place(p, before, t.target);
            pending_.set(key_.data(), guess->second);
            depends_[p].set(payload_.data(), system_.channels[t.channel].receiver != p);
            put(i, before.cost + 1, {p, v, number(p, t), none, none, none});
        }
        if (pendings_[pending].channel != t.channel || overtakes) match(i, p, v, t);
    }

    void match(std::uint32_t i, std::uint32_t p, std::uint32_t v, const Transition& t) {
        const Variant& sender = (*now_[p])[v];
        std::uint32_t q = system_.channels[t.channel].receiver;
        if (q == p) {  // nothing comes between the two: the process is where the send left it
            for (const auto& r : locals_.leaving(p, t.target)) {
                if (!takes(t, r)) continue;
                copy(i);
                place(p, sender, r.target);
                depend(i, p, p);
                put(i, sender.cost + 2, {p, v, number(p, t), p, 0, number(p, r)});
            }
            return;
        }
        for (std::uint32_t w = 0; w < now_[q]->size(); ++w)
            for (const auto& r : locals_.leaving(q, (*now_[q])[w].state)) {
                if (late()) return;
                if (!takes(t, r)) continue;
                const Variant& receiver = (*now_[q])[w];
                copy(i);
                place(p, sender, t.target);
                place(q, receiver, r.target);
                depend(i, p, q);
                put(i, sender.cost + receiver.cost + 2, {p, v, number(p, t), q, w, number(q, r)});
            }
    }

    bool takes(const Transition& send, const Transition& r) const {
        return r.kind == ActionKind::receive && r.channel == send.channel &&
               system_.channels[send.channel].faults.may_become(send.message, r.message);
    }

    // In the successor, what p and q do together depends on the pending send if one of them does.
    void depend(std::uint32_t i, std::uint32_t p, std::uint32_t q) {
        const std::uint64_t pending = pending_.get(states_.key(i));
        const bool sent = pending != 0 && (sender_of(pending) == p || sender_of(pending) == q);
        if (!sent && !depends_[p].get(payload_.data()) && !depends_[q].get(payload_.data())) return;
        depends_[p].set(payload_.data(), 1);
        depends_[q].set(payload_.data(), 1);
    }

    std::uint32_t number(std::uint32_t p, const Transition& t) const {
        return static_cast<std::uint32_t>(&t - system_.processes[p].transitions.data());
    }

    // The run from the initial state, then the reception that closes the cycle.
    void build_run() {
        std::vector<std::uint32_t> path;
        for (std::uint32_t i = violation_.node; states_.state(i).parent != none; i = states_.state(i).parent)
            path.push_back(i);
        std::uint32_t guessed = none;
        back_ = identity_of(system_);
        for (auto at = path.rbegin(); at != path.rend(); ++at) {
            const RscState& state = states_.state(*at);
            append_alone(state.parent, state.arrival.sender, state.arrival.before_send);
            if (state.arrival.receiver != none)
                append_alone(state.parent, state.arrival.receiver, state.arrival.before_reception);
            std::uint32_t index = append(state.arrival.sender, state.arrival.send);
            if (state.arrival.receiver != none)
                result_.communication.emplace_back(append(state.arrival.receiver, state.arrival.reception), index);
            else if (guessed == none)  // a later one is what the sender to itself then did alone
                guessed = index;
            if (state.turn != 0) back_ = compose(back_, inverse(symmetry_[state.turn]));
        }
        append_alone(violation_.node, violation_.process, violation_.variant);
        result_.communication.emplace_back(append(violation_.process, violation_.reception), guessed);
        result_.violated = true;
    }

    void append_alone(std::uint32_t i, std::uint32_t p, std::uint32_t v) {
        const auto& variants = alone(i, p);
        std::vector<std::uint32_t> steps;
        for (; variants[v].from != none; v = variants[v].from) steps.push_back(variants[v].transition);
        for (auto step = steps.rbegin(); step != steps.rend(); ++step) append(p, *step);
    }

    std::uint32_t append(std::uint32_t p, std::uint32_t transition) {
        result_.firings.emplace_back(back_.process[p], back_.transition[p][transition]);
        return static_cast<std::uint32_t>(result_.firings.size() - 1);
    }

    // The shortest violation seen so far: the state, and how the receiver gets to the last reception.
    struct Closing {
        std::uint32_t cost = none, node = none, process = none, variant = none, reception = none;
    };

    const System& system_;
    Monitor& monitor_;
    bool deciding_;
    std::uint64_t before_;  // states of an earlier search, which count too
    PendingSends pendings_;
    std::vector<Field> control_, depends_, free_;  // free_: no unmatched send is in the channel; mask 0: irrelevant
    Field pending_;
    Locals locals_;
    Packer payload_layout_, layout_;  // declared after what make_layout fills
    Antichain states_;
    RscTurns symmetry_;
    Automorphism back_;  // from the states of the search to the user's processes
    std::vector<std::uint64_t> key_, payload_;
    std::vector<const std::vector<Variant>*> now_;
    std::vector<std::uint8_t> wanted_;  // the processes whose pairs are explored
    std::vector<Variant> only_first_;
    std::vector<std::vector<std::uint32_t>> buckets_;  // states by cost
    std::uint64_t waiting_ = 0;
    std::uint32_t cost_ = 0;
    std::uint64_t turns_ = 0;
    Stop late_ = Stop::none;
    Closing violation_;
    RscResult result_;
};

}  // namespace

RscResult search_rsc(const System& system, Monitor& monitor, bool symmetry, std::uint64_t symmetry_from) {
    if (system.mailboxes()) return search_rsc_mailboxes(system, monitor);
    std::vector<Automorphism> group;
    RscResult known;
    bool decided = false;
    if (!symmetry || symmetry_from > 0) {
        Monitor small(monitor, monitor.at_most(symmetry_from));
        known = Search(system, symmetry ? small : monitor, true, group).decide();
        decided = !symmetry || known.violated || known.stop != Stop::states || monitor.at_most(symmetry_from) < symmetry_from;
    }
    if (!decided) {
        group = Shape(system).automorphisms(most_turns);
        known = Search(system, monitor, true, group).decide();
        known.symmetries = group.size();
    }
    if (!known.violated) return known;
    monitor.phase = Phase::shortening;
    auto length = static_cast<std::uint32_t>(known.firings.size());
    RscResult shorter = Search(system, monitor, false, group, known.states).shorten(length);
    known.shortest = shorter.stop == Stop::none;
    if (shorter.violated) {
        known.firings = std::move(shorter.firings);
        known.communication = std::move(shorter.communication);
    }
    known.states += shorter.states;
    known.transitions += shorter.transitions;
    known.memory = std::max(known.memory, shorter.memory);
    known.stop = shorter.stop == Stop::interrupted ? shorter.stop : Stop::none;
    return known;
}

}  // namespace stormproof
