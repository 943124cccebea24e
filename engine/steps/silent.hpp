// The steps of a configuration: actions of processes, and silent faults of channels.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/configuration.hpp"
#include "core/function_ref.hpp"
#include "core/platform.hpp"

namespace stormproof {

// ---- actions -------------------------------------------------------------------------------------------

// In a mailbox that reorders: is no other message of the sender of this crash message left?
template <unsigned W>
bool is_last_of_sender(const ChannelLayout& ch, const Config<W>& c, std::uint32_t letter) {
    return std::all_of(ch.behind[letter].begin(), ch.behind[letter].end(),
                       [&](std::uint32_t other) { return ch.counts[other].get(c.w) == 0; });
}

template <unsigned W>
STORMPROOF_NOINLINE bool enabled_special(const Machine& m, const Instruction& instruction, const Config<W>& c) {
    const ChannelLayout& ch = m.channels[instruction.channel];
    switch (instruction.op) {
        case Op::send_wide: return instruction.may_be_lost || !channel_full(ch, c);
        case Op::receive_wide: {
            if ((c.w[ch.first_word] & ((std::uint64_t{1} << ch.bits) - 1)) != instruction.head) return false;
            return wide_top(ch, c) >= ch.bits;
        }
        case Op::receive_length: {
            const std::uint64_t n = ch.field.get(c.w), crash = ch.crash.get(c.w);
            return instruction.letter == ch.crash_letter ? crash && n == 1 : n > crash;
        }
        case Op::receive_multiset:
            if (instruction.head == ch.crash_letter) return ch.crash.get(c.w) && ch.field.get(c.w) == 1;
            return ch.counts[instruction.head].get(c.w) > 0 && is_last_of_sender(ch, c, instruction.head);
        default: return false;
    }
}

template <unsigned W>
STORMPROOF_INLINE inline bool enabled(const Machine& m, const Instruction& instruction, const Config<W>& c) {
    const Guard& guard = instruction.guard;
    const std::uint64_t w = c.w[guard.word];
    const bool met = static_cast<int>((w & guard.a) == guard.b) & static_cast<int>((w & guard.c) != guard.d);
    return guard.special ? met && enabled_special(m, instruction, c) : met;
}

template <unsigned W>
STORMPROOF_NOINLINE void perform_special(const Machine& m, const Instruction& instruction, Config<W>& n) {
    const ChannelLayout& ch = m.channels[instruction.channel];
    switch (instruction.op) {
        case Op::send_length: ch.crash.add(n.w, 1); break;
        case Op::receive_length: ch.crash.set(n.w, 0); break;
        case Op::send_multiset:
            ch.field.add(n.w, 1);
            (instruction.letter == ch.crash_letter ? ch.crash : ch.counts[instruction.letter]).add(n.w, 1);
            break;
        case Op::receive_multiset:
            ch.field.add(n.w, ~std::uint64_t{0});
            (instruction.letter == ch.crash_letter ? ch.crash : ch.counts[instruction.letter]).add(n.w, ~std::uint64_t{0});
            break;
        case Op::send_wide: wide_send(ch, n, instruction.letter); break;
        case Op::receive_wide: wide_receive(ch, n); break;
        default: break;
    }
}

// Executes an enabled instruction. A send into a full lossy channel loses its own message; that it might lose
// another instead is a silent loss before it.
template <unsigned W>
STORMPROOF_INLINE inline Config<W> perform(const Machine& m, const Instruction& instruction, const Config<W>& c) {
    Config<W> n = c;
    n.w[instruction.state_word] += instruction.state_delta;
    if (instruction.may_be_lost && channel_full(m.channels[instruction.channel], c)) return n;
    const Effect& e = instruction.effect;
    const std::uint64_t f = (c.w[e.word] >> e.shift) & e.mask;
    const std::uint32_t top = (static_cast<std::uint32_t>(std::bit_width(f | 1)) - 1) & e.at_top;
    n.w[e.word] += ((e.added << top) + (f >> e.taken) - f) << e.shift;
    if (instruction.special) perform_special(m, instruction, n);
    return n;
}

template <unsigned W, class Visit>
STORMPROOF_INLINE inline void each_enabled_of(const Machine& m, const ProcessLayout& p, const Config<W>& c, Visit&& visit) {
    const StateInfo& info = p.states[p.state.get(c.w)];
    for (std::uint32_t i = info.first; i < info.last; ++i)
        if (enabled(m, m.instructions[i], c)) visit(i, m.instructions[i]);
}

// The numbers of enabled actions, in the order of processes and their transitions, while visit(number) is true.
template <unsigned W, class Visit>
STORMPROOF_INLINE inline void enabled_while(const Machine& m, const Config<W>& c, Visit&& visit) {
    const Instruction* const all = m.instructions.data();
    for (const ProcessLayout& p : m.processes) {
        const StateInfo& info = p.states[p.state.get(c.w)];
        const Instruction* at = all + info.first;
        for (std::uint32_t left = info.last - info.first; left > 0; --left, ++at)
            if (enabled(m, *at, c) && !visit(at->same_as)) return;
    }
}

// The enabled actions of a configuration in that order, a number of them at a time: collected without a branch for each, since
// which ones are enabled is hard to predict.
template <unsigned W>
class EnabledActions {
  public:
    bool done(const Machine& m) const { return process_ == m.processes.size(); }
    const Instruction* const* begin() const { return found_; }

    // Collects the next ones, and returns their end.
    STORMPROOF_NOINLINE const Instruction* const* collect(const Machine& m, const Config<W>& c) {
        const Instruction** end = found_;
        for (; process_ < m.processes.size(); ++process_, passed_ = 0) {
            const ProcessLayout& p = m.processes[process_];
            const StateInfo& info = p.states[p.state.get(c.w)];
            const std::uint32_t left = info.last - info.first - passed_;
            const std::uint32_t now = std::min(left, static_cast<std::uint32_t>(found_ + most - end));
            const Instruction* at = m.instructions.data() + info.first + passed_;
            for (std::uint32_t i = 0; i < now; ++i, ++at) {
                *end = at;
                end += enabled(m, *at, c);
            }
            passed_ += now;
            if (now < left) break;
        }
        return end;
    }

  private:
    static constexpr std::uint32_t most = 64;
    std::size_t process_ = 0;   // where to go on
    std::uint32_t passed_ = 0;  // of its actions
    const Instruction* found_[most + 1];  // what is not enabled is overwritten by the next
};

// Every enabled action, in that order: visit(number, instruction).
template <unsigned W, class Visit>
void each_enabled(const Machine& m, const Config<W>& c, Visit&& visit) {
    EnabledActions<W> actions;
    do {
        const Instruction* const* const end = actions.collect(m, c);
        for (const Instruction* const* at = actions.begin(); at != end; ++at) visit((*at)->same_as, **at);
    } while (!actions.done(m));
}

// ---- silent steps (definitions 2.5) ----------------------------------------------------------------------

template <unsigned W>
using VisitConfig = FunctionRef<void(const Config<W>&)>;

template <unsigned W>
void silent_queue(const ChannelLayout& ch, const Config<W>& c, VisitConfig<W> visit) {
    thread_local std::vector<std::uint32_t> letters, other;
    read_queue(ch, c, letters);
    for (std::size_t i = 0; i < letters.size(); ++i) {
        if (letters[i] == ch.crash_letter) continue;
        each_silent_outcome(ch.faults, letters[i], [&](std::uint32_t outcome) {
            // Which of two equal neighbours vanishes makes no difference.
            if (outcome == vanished && i + 1 < letters.size() && letters[i + 1] == letters[i]) return;
            other = letters;
            if (outcome == vanished) other.erase(other.begin() + static_cast<std::ptrdiff_t>(i));
            else other[i] = outcome;
            Config<W> n = c;
            write_queue(ch, n, other);
            visit(n);
        });
    }
}

template <unsigned W>
void silent_multiset(const ChannelLayout& ch, const Config<W>& c, VisitConfig<W> visit) {
    for (std::size_t a = 0; a < ch.counts.size(); ++a) {
        if (ch.counts[a].mask == 0 || ch.counts[a].get(c.w) == 0) continue;
        each_silent_outcome(ch.faults, static_cast<std::uint32_t>(a), [&](std::uint32_t outcome) {
            Config<W> n = c;
            ch.counts[a].add(n.w, ~std::uint64_t{0});
            if (outcome == vanished) ch.field.add(n.w, ~std::uint64_t{0});
            else ch.counts[outcome].add(n.w, 1);
            visit(n);
        });
    }
}

// Every silent step: visit(successor).
template <unsigned W>
STORMPROOF_NOINLINE void each_silent(const Machine& m, const Config<W>& c, std::type_identity_t<VisitConfig<W>> visit) {
    for (const ChannelLayout& ch : m.channels) {
        if (!ch.silent) continue;
        if (ch.form == PackedForm::length) {
            if (ch.field.get(c.w) == ch.crash.get(c.w)) continue;
            each_silent_outcome(ch.faults, 0, [&](std::uint32_t) {  // the messages are alike: it can only vanish
                Config<W> n = c;
                ch.field.add(n.w, ~std::uint64_t{0});
                visit(n);
            });
        } else if (ch.form == PackedForm::multiset) {
            silent_multiset(ch, c, visit);
        } else {
            silent_queue(ch, c, visit);
        }
    }
}

// Every letter that may be at the head of the channel: visit(letter).
template <unsigned W, class Visit>
inline void each_head(const ChannelLayout& ch, const Config<W>& c, Visit&& visit) {
    switch (ch.form) {
        case PackedForm::queue: {
            const std::uint64_t f = ch.field.get(c.w), one = std::uint64_t{1} << ch.bits;
            if (f >= one) visit(static_cast<std::uint32_t>(f & (one - 1)));
            return;
        }
        case PackedForm::wide_queue:
            if (wide_top(ch, c) >= ch.bits)
                visit(static_cast<std::uint32_t>(c.w[ch.first_word] & ((std::uint64_t{1} << ch.bits) - 1)));
            return;
        case PackedForm::length: {
            const std::uint64_t n = ch.field.get(c.w), crash = ch.crash.get(c.w);
            if (n > crash) {
                for (std::uint32_t a = 0; a < ch.letters.size(); ++a)
                    if (a != ch.crash_letter) visit(a);
            } else if (crash) {
                visit(ch.crash_letter);
            }
            return;
        }
        case PackedForm::multiset:
            for (std::uint32_t a = 0; a < ch.letters.size(); ++a)
                if (a != ch.crash_letter && ch.counts[a].get(c.w) && is_last_of_sender(ch, c, a)) visit(a);
            if (ch.crash.get(c.w) && ch.field.get(c.w) == 1) visit(ch.crash_letter);
    }
}

}  // namespace stormproof
