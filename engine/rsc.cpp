#include "rsc.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <span>

#include "antichain.hpp"

namespace stormproof {
namespace {

// A number of a few bits inside an array of words.
struct Field {
    std::uint32_t word = 0, shift = 0;
    std::uint64_t mask = 0;
    std::uint32_t get(const std::uint64_t* at) const {
        return static_cast<std::uint32_t>((at[word] >> shift) & mask);
    }
    void put(std::uint64_t* at, std::uint32_t value) const {
        at[word] = (at[word] & ~(mask << shift)) | (std::uint64_t(value) << shift);
    }
};

// Places fields one after the other; none straddles two words.
class Layout {
  public:
    Field field(std::uint32_t values) {
        std::uint32_t width = std::max(1, static_cast<int>(std::bit_width(values > 0 ? values - 1 : 0)));
        if (used_ % 64 + width > 64) used_ += 64 - used_ % 64;
        Field made{used_ / 64, used_ % 64, (std::uint64_t(1) << width) - 1};
        used_ += width;
        return made;
    }
    std::size_t words() const { return (used_ + 63) / 64; }

  private:
    std::uint32_t used_ = 0;
};

bool may_become(const Channel& channel, std::uint32_t sent, std::uint32_t received) {
    if (sent == received) return true;
    if (sent == crash_message) return false;
    const auto& others = channel.becomes[sent];
    return std::binary_search(others.begin(), others.end(), received);
}

// Sends that no later reception tells apart share a number, so that one guess stands for all of them.
struct Pending {
    std::uint32_t channel = none, message = none;
};

class Search {
  public:
    Search(const System& system, Monitor& monitor)
        : system_(system), monitor_(monitor), pendings_(1), layout_(make_layout()),
          states_(layout_.words(), payload_layout_.words(), monitor) {}

    RscResult run() {
        start();
        for (cost_ = 0; next_bucket(); ++cost_) {
            auto now = std::move(buckets_[cost_ % 3]);
            buckets_[cost_ % 3].clear();
            for (std::uint32_t i : now) {
                if (states_.node(i).dead) continue;
                if (stopped()) return finish();
                ++result_.states;
                if (violates(i)) return finish();
                expand(i);
            }
        }
        return finish();
    }

  private:
    Layout make_layout() {
        number_pendings();
        Layout keys;
        for (const auto& process : system_.processes) control_.push_back(keys.field(process.states));
        pending_ = keys.field(static_cast<std::uint32_t>(pendings_.size()));
        for (std::size_t p = 0; p < system_.processes.size(); ++p) depends_.push_back(payload_layout_.field(2));
        for (const auto& channel : system_.channels) {
            bool counts = !channel.loss && (!channel.reorder || sends_crash(channel));
            free_.push_back(counts ? payload_layout_.field(2) : Field{});
        }
        index_transitions();
        return keys;
    }

    bool sends_crash(const Channel& channel) const {
        for (const auto& t : system_.processes[channel.sender].transitions)
            if (t.kind == Kind::send && t.message == crash_message && &system_.channels[t.channel] == &channel)
                return true;
        return false;
    }

    // What a receiver can ever take of a message decides its class; a send that nobody can take is no guess.
    void number_pendings() {
        std::map<std::pair<std::uint32_t, std::vector<std::uint32_t>>, std::uint32_t> classes;
        pending_of_.resize(system_.channels.size());
        for (std::uint32_t c = 0; c < system_.channels.size(); ++c) {
            auto taken = received_on(c);
            for (std::uint32_t m : sent_on(c)) {
                std::vector<std::uint32_t> takes;
                for (std::uint32_t r : taken)
                    if (may_become(system_.channels[c], m, r)) takes.push_back(r);
                if (takes.empty()) continue;
                if (m == crash_message) takes.push_back(none);  // never in one class with an ordinary message
                auto [at, fresh] = classes.try_emplace({c, takes}, static_cast<std::uint32_t>(pendings_.size()));
                if (fresh) pendings_.push_back({c, m});
                pending_of_[c][m] = at->second;
            }
        }
    }

    std::vector<std::uint32_t> sent_on(std::uint32_t c) const { return named_on(c, Kind::send); }
    std::vector<std::uint32_t> received_on(std::uint32_t c) const { return named_on(c, Kind::receive); }

    std::vector<std::uint32_t> named_on(std::uint32_t c, Kind kind) const {
        const auto& channel = system_.channels[c];
        const auto& process = system_.processes[kind == Kind::send ? channel.sender : channel.receiver];
        std::vector<std::uint32_t> found;
        for (const auto& t : process.transitions)
            if (t.kind == kind && t.channel == c) found.push_back(t.message);
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    }

    void index_transitions() {
        for (const auto& process : system_.processes) {
            std::vector<std::uint32_t> first(process.states + 1, 0);
            for (const auto& t : process.transitions) ++first[t.source + 1];
            for (std::uint32_t s = 0; s < process.states; ++s) first[s + 1] += first[s];
            leaving_.push_back(std::move(first));
        }
    }

    void start() {
        key_.assign(layout_.words(), 0);
        payload_.assign(payload_layout_.words(), 0);
        for (std::size_t p = 0; p < control_.size(); ++p)
            control_[p].put(key_.data(), system_.processes[p].initial);
        for (const auto& field : free_)
            if (field.mask) field.put(payload_.data(), 1);
        std::uint32_t i = states_.add(key_.data(), payload_.data(), none, 0, 0, {});
        if (i != none) buckets_[0].push_back(i);
    }

    bool next_bucket() const {
        return !states_.full() && !(buckets_[0].empty() && buckets_[1].empty() && buckets_[2].empty());
    }

    bool stopped() {
        if (states_.full()) result_.stop = Stop::memory;
        bool too_many = monitor_.max_states() && result_.states >= monitor_.max_states();
        if (too_many) result_.stop = Stop::states;
        if (result_.states % 256 == 0 && result_.stop == Stop::none) {
            report();
            result_.stop = monitor_.over();
        }
        return result_.stop != Stop::none;
    }

    void report() {
        monitor_.states = result_.states;
        monitor_.frontier = buckets_[0].size() + buckets_[1].size() + buckets_[2].size();
        monitor_.memory = states_.bytes();
    }

    RscResult finish() {
        if (states_.full() && !result_.violated) result_.stop = Stop::memory;
        report();
        result_.memory = states_.bytes();
        return std::move(result_);
    }

    std::span<const Transition> leaving(std::uint32_t p, std::uint32_t state) const {
        const auto& all = system_.processes[p].transitions;
        return {all.data() + leaving_[p][state], all.data() + leaving_[p][state + 1]};
    }

    bool violates(std::uint32_t i) {
        const std::uint64_t* key = states_.key(i);
        Pending pending = pendings_[pending_.get(key)];
        if (pending.channel == none) return false;
        const Channel& channel = system_.channels[pending.channel];
        std::uint32_t q = channel.receiver, state = control_[q].get(key);
        if (!depends_[q].get(states_.payload(i))) return false;
        for (const auto& t : leaving(q, state))
            if (t.kind == Kind::receive && t.channel == pending.channel &&
                may_become(channel, pending.message, t.message)) {
                tell(i, q, number(q, t));
                return true;
            }
        return false;
    }

    std::uint32_t number(std::uint32_t p, const Transition& t) const {
        return static_cast<std::uint32_t>(&t - system_.processes[p].transitions.data());
    }

    // The moves from the initial state, then the reception that closes the cycle.
    void tell(std::uint32_t last, std::uint32_t process, std::uint32_t reception) {
        std::vector<std::uint32_t> path;
        for (std::uint32_t i = last; states_.node(i).parent != none; i = states_.node(i).parent) path.push_back(i);
        std::uint32_t guessed = none;
        for (auto at = path.rbegin(); at != path.rend(); ++at) {
            const RscNode& node = states_.node(*at);
            std::uint32_t index = static_cast<std::uint32_t>(result_.moves.size());
            if (pending_.get(states_.key(*at)) != pending_.get(states_.key(node.parent))) guessed = index;
            result_.moves.emplace_back(node.move.process, node.move.transition);
            if (node.move.receiver == none) continue;
            result_.moves.emplace_back(node.move.receiver, node.move.reception);
            result_.communication.emplace_back(index + 1, index);
        }
        result_.communication.emplace_back(static_cast<std::uint32_t>(result_.moves.size()), guessed);
        result_.moves.emplace_back(process, reception);
        result_.violated = true;
    }

    void expand(std::uint32_t i) {
        for (std::uint32_t p = 0; p < system_.processes.size(); ++p)
            for (const auto& t : leaving(p, control_[p].get(states_.key(i)))) {
                if (t.kind == Kind::internal) alone(i, p, t, pending_.get(states_.key(i)));
                if (t.kind == Kind::send) send(i, p, t);
            }
    }

    // The successor in which one process moves; the caller changes more of it, then calls `put`.
    void copy(std::uint32_t i, std::uint32_t p, const Transition& t) {
        std::copy_n(states_.key(i), key_.size(), key_.begin());
        std::copy_n(states_.payload(i), payload_.size(), payload_.begin());
        control_[p].put(key_.data(), t.target);
    }

    void put(std::uint32_t parent, std::uint32_t weight, const RscMove& move) {
        ++result_.transitions;
        std::uint32_t i = states_.add(key_.data(), payload_.data(), parent, cost_ + weight, cost_ + 1, move);
        auto& bucket = buckets_[(cost_ + weight) % 3];
        if (i != none && states_.room(bucket, 1)) bucket.push_back(i);
    }

    // An internal action, or a send that is never received; `pending` is what is pending afterwards.
    void alone(std::uint32_t i, std::uint32_t p, const Transition& t, std::uint32_t pending) {
        copy(i, p, t);
        bool guess = pending != pending_.get(key_.data());
        if (guess) {
            pending_.put(key_.data(), pending);
            depends_[p].put(payload_.data(), 1);
        } else if (t.kind == Kind::send && free_[t.channel].mask) {
            free_[t.channel].put(payload_.data(), 0);
        }
        put(i, 1, {p, number(p, t), none, none});
    }

    // Can a message now sent on the channel still be received, as far as earlier unmatched sends go?
    bool usable(std::uint32_t i, const Transition& t) const {
        const Field& field = free_[t.channel];
        bool overtakes = system_.channels[t.channel].reorder && t.message != crash_message;
        return overtakes || !field.mask || field.get(states_.payload(i));
    }

    void send(std::uint32_t i, std::uint32_t p, const Transition& t) {
        std::uint32_t pending = pending_.get(states_.key(i));
        alone(i, p, t, pending);
        if (!usable(i, t)) return;
        auto guess = pending_of_[t.channel].find(t.message);
        if (guess == pending_of_[t.channel].end()) return;  // nobody can ever take it
        if (pending == 0) alone(i, p, t, guess->second);
        bool overtakes = system_.channels[t.channel].reorder && t.message != crash_message;
        if (pendings_[pending].channel != t.channel || overtakes) match(i, p, t);
    }

    void match(std::uint32_t i, std::uint32_t p, const Transition& t) {
        const Channel& channel = system_.channels[t.channel];
        std::uint32_t q = channel.receiver;
        for (const auto& r : leaving(q, control_[q].get(states_.key(i)))) {
            if (r.kind != Kind::receive || r.channel != t.channel) continue;
            if (!may_become(channel, t.message, r.message)) continue;
            copy(i, p, t);
            control_[q].put(key_.data(), r.target);
            if (depends_[p].get(payload_.data()) || depends_[q].get(payload_.data())) {
                depends_[p].put(payload_.data(), 1);
                depends_[q].put(payload_.data(), 1);
            }
            put(i, 2, {p, number(p, t), q, number(q, r)});
        }
    }

    const System& system_;
    Monitor& monitor_;
    std::vector<Pending> pendings_;  // number 0: nothing is pending
    std::vector<std::map<std::uint32_t, std::uint32_t>> pending_of_;
    std::vector<Field> control_, depends_, free_;  // free_: no unmatched send stands before; mask 0: no matter
    Field pending_;
    std::vector<std::vector<std::uint32_t>> leaving_;  // where the transitions of each local state begin
    Layout payload_layout_, layout_;                   // last of what make_layout fills, so filled in order
    Antichain states_;
    std::vector<std::uint64_t> key_, payload_;
    std::vector<std::uint32_t> buckets_[3];  // states by cost modulo 3: a move weighs one or two
    std::uint32_t cost_ = 0;
    RscResult result_;
};

}  // namespace

RscResult search_rsc(const System& system, Monitor& monitor) { return Search(system, monitor).run(); }

}  // namespace stormproof
