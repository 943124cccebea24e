// A system at a bound k, compiled for search: where each local state and channel lies in a configuration of
// W 64-bit words, and what each transition does to those words.
//
// A channel is kept in the coarsest exact form (definitions 2.7):
//   length  corruption among all of its messages, or just one message: how many there are;
//   word    the letters in order, the head in the lowest bits, a 1 above the last letter: so sending adds
//           a number, receiving shifts, and *full* is a comparison;
//   wide    the same over several words of 64 bits of its own, where one is too narrow;
//   bag     with reordering: how many of each letter.
// The crash message is a letter of a word, and a flag of a length or a bag: it is always the last message,
// and interference does not affect it (definitions 5.1).
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "system.hpp"

namespace stormproof {

template <unsigned W>
struct Config {
    std::uint64_t w[W];
    bool operator==(const Config& other) const {
        std::uint64_t difference = 0;
        for (unsigned i = 0; i < W; ++i) difference |= w[i] ^ other.w[i];
        return difference == 0;
    }
    bool operator<(const Config& other) const {
        for (unsigned i = 0; i < W; ++i)
            if (w[i] != other.w[i]) return w[i] < other.w[i];
        return false;
    }
};

// A group of bits that lies within one word.
struct Field {
    std::uint32_t word = 0, shift = 0;
    std::uint64_t mask = 0;  // of the value, before the shift; 0: there is no such field
    template <unsigned W>
    std::uint64_t get(const Config<W>& c) const {
        return (c.w[word] >> shift) & mask;
    }
    template <unsigned W>
    void set(Config<W>& c, std::uint64_t value) const {
        c.w[word] = (c.w[word] & ~(mask << shift)) | (value << shift);
    }
    template <unsigned W>
    void add(Config<W>& c, std::uint64_t value) const {
        c.w[word] += value << shift;
    }
};

enum class Form : std::uint8_t { length, word, wide, bag };

constexpr std::uint32_t no_letter = UINT32_MAX;

struct ChannelLayout {
    Form form = Form::length;
    bool loss = false;
    bool corrupts = false;                             // has explicit corruption steps
    std::uint32_t bits = 0;                            // a letter's width in a word
    std::uint32_t k = 0;
    std::uint64_t full = 0;                            // word: values from here on are full
    Field field;                                       // length, bag: how many messages; word: the word
    Field crash;                                       // length, bag: is the crash message there?
    std::vector<Field> counts;                         // bag: how many of each letter
    std::uint32_t first_word = 0, words = 0;           // wide
    std::vector<std::uint32_t> letters;                // letter -> message
    std::vector<std::uint32_t> letter_of;              // message -> letter or no_letter
    std::uint32_t crash_letter = no_letter;
    // A message that may be received stays receivable until it is: no loss, no corruption.
    bool faithful = false;
    std::vector<std::vector<std::uint32_t>> becomes;   // letter -> letters, when `corrupts`
};

enum class Op : std::uint8_t {
    internal, send_length, send_word, send_wide, send_bag, receive_length, receive_word, receive_wide, receive_bag,
    never
};

// A step is enabled when (w & a) == b and (w & c) != d, for one word w of the configuration: two masked
// comparisons serve every form but the wide words and the crash flags, which are `special`.
struct Guard {
    std::uint64_t a = 0, b = 0, c = 0, d = 1;
    std::uint32_t word = 0;
    bool special = false;
};

struct Step {
    Guard guard;
    Op op = Op::never;
    bool crash = false;         // of the crash message
    bool keeps = false;         // a reception after which the message also stays (duplication)
    bool may_be_lost = false;   // a send into a full channel that may lose it at once
    std::uint32_t process = 0;
    std::uint32_t transition = 0;  // its number within the process
    std::uint32_t channel = no_channel;
    std::uint32_t letter = 0;
    std::uint32_t head = 0;     // a reception: the letter that stands in the channel; another if a copy is corrupted
    std::uint32_t state_word = 0;
    std::uint64_t state_delta = 0;  // what to add to that word
    std::uint32_t same_as = 0;      // the number of the step that is taken for it; its own as a rule
};

enum class StateKind : std::uint8_t { sending, receiving, mixed, final };

struct StateInfo {
    // Its steps, in Machine::steps: up to `last` those that are taken, then up to `end` those that are the same
    // as one of them: where a channel is a length, which message is sent or received makes no difference.
    std::uint32_t first = 0, last = 0, end = 0;
    StateKind kind = StateKind::final;
    bool crashed = false;
    bool directed = true;
    // The process may be expanded alone here: only sends to one peer, only receptions from one, or only
    // internal actions, none of which crashes it (see reduction.hpp).
    bool alone = false;
};

struct ProcessLayout {
    Field state;
    std::uint32_t initial = 0;
    std::vector<StateInfo> states;
};

struct Machine {
    std::uint32_t k = 0;
    std::uint32_t words = 1;
    std::vector<ProcessLayout> processes;
    std::vector<ChannelLayout> channels;
    std::vector<Step> steps;
    std::vector<std::uint32_t> sender, receiver;  // of each channel
    bool silent = false;    // has explicit silent steps
    bool perfect = true;    // no interference at all
    bool directed = true;
    std::uint32_t max_degree = 1;  // no configuration has more successors
};

Machine compile(const System& system, std::uint32_t k);

template <unsigned W>
Config<W> initial_config(const Machine& m) {
    Config<W> c{};
    for (const auto& p : m.processes) p.state.set(c, p.initial);
    for (const auto& ch : m.channels) {
        if (ch.form == Form::word) ch.field.set(c, 1);
        if (ch.form == Form::wide) c.w[ch.first_word] = 1;
    }
    return c;
}

// ---- wide words: a few lines of long arithmetic --------------------------------------------------------

template <unsigned W>
std::uint32_t wide_top(const ChannelLayout& ch, const Config<W>& c) {
    std::uint32_t i = ch.words;
    while (c.w[ch.first_word + i - 1] == 0) --i;
    return 64 * (i - 1) + static_cast<std::uint32_t>(std::bit_width(c.w[ch.first_word + i - 1])) - 1;
}

template <unsigned W>
void wide_or(const ChannelLayout& ch, Config<W>& c, std::uint32_t at, std::uint64_t value) {
    const std::uint32_t i = ch.first_word + at / 64, shift = at % 64;
    c.w[i] |= value << shift;
    if (shift && (value >> (64 - shift))) c.w[i + 1] |= value >> (64 - shift);
}

template <unsigned W>
void wide_send(const ChannelLayout& ch, Config<W>& c, std::uint32_t letter) {
    const std::uint32_t top = wide_top(ch, c);
    c.w[ch.first_word + top / 64] &= ~(std::uint64_t{1} << (top % 64));
    wide_or(ch, c, top, letter);
    wide_or(ch, c, top + ch.bits, 1);
}

template <unsigned W>
void wide_receive(const ChannelLayout& ch, Config<W>& c) {
    if constexpr (W > 1) {
        std::uint64_t* w = c.w + ch.first_word;
        for (std::uint32_t i = 0; i + 1 < ch.words; ++i) w[i] = w[i] >> ch.bits | w[i + 1] << (64 - ch.bits);
        w[ch.words - 1] >>= ch.bits;
    }
}

// ---- reading a channel ---------------------------------------------------------------------------------

template <unsigned W>
std::uint32_t channel_length(const ChannelLayout& ch, const Config<W>& c) {
    switch (ch.form) {
        case Form::word: return (static_cast<std::uint32_t>(std::bit_width(ch.field.get(c))) - 1) / ch.bits;
        case Form::wide: return wide_top(ch, c) / ch.bits;
        default: return static_cast<std::uint32_t>(ch.field.get(c));
    }
}

template <unsigned W>
bool channel_full(const ChannelLayout& ch, const Config<W>& c) {
    if (ch.form == Form::wide) return wide_top(ch, c) >= ch.k * ch.bits;
    return ch.field.get(c) >= ch.full;
}

// The letters of a word or wide channel, head first.
template <unsigned W>
void read_word(const ChannelLayout& ch, const Config<W>& c, std::vector<std::uint32_t>& out) {
    out.clear();
    Config<W> rest = c;
    for (std::uint32_t n = channel_length(ch, c); n > 0; --n) {
        if (ch.form == Form::word) {
            const std::uint64_t f = ch.field.get(rest);
            out.push_back(static_cast<std::uint32_t>(f & ((std::uint64_t{1} << ch.bits) - 1)));
            ch.field.set(rest, f >> ch.bits);
        } else {
            out.push_back(static_cast<std::uint32_t>(rest.w[ch.first_word] & ((std::uint64_t{1} << ch.bits) - 1)));
            wide_receive(ch, rest);
        }
    }
}

template <unsigned W>
void write_word(const ChannelLayout& ch, Config<W>& c, const std::vector<std::uint32_t>& letters) {
    if (ch.form == Form::word) {
        std::uint64_t f = 1;
        for (auto i = letters.size(); i-- > 0;) f = f << ch.bits | letters[i];
        ch.field.set(c, f);
        return;
    }
    for (std::uint32_t i = 0; i < ch.words; ++i) c.w[ch.first_word + i] = i == 0;
    for (auto letter : letters) wide_send(ch, c, letter);
}

// ---- actions -------------------------------------------------------------------------------------------

template <unsigned W>
[[gnu::noinline]] bool enabled_special(const Machine& m, const Step& s, const Config<W>& c) {
    const ChannelLayout& ch = m.channels[s.channel];
    switch (s.op) {
        case Op::send_wide: return s.may_be_lost || !channel_full(ch, c);
        case Op::receive_wide: {
            if ((c.w[ch.first_word] & ((std::uint64_t{1} << ch.bits) - 1)) != s.head) return false;
            return wide_top(ch, c) >= ch.bits;
        }
        case Op::receive_length: {
            const std::uint64_t n = ch.field.get(c), crash = ch.crash.get(c);
            return s.crash ? crash && n == 1 : n > crash;
        }
        case Op::receive_bag: return ch.crash.get(c) && ch.field.get(c) == 1;
        default: return false;
    }
}

template <unsigned W>
inline bool enabled(const Machine& m, const Step& s, const Config<W>& c) {
    const std::uint64_t w = c.w[s.guard.word];
    if ((w & s.guard.a) != s.guard.b || (w & s.guard.c) == s.guard.d) return false;
    return !s.guard.special || enabled_special(m, s, c);
}

// Performs an enabled step. A send into a full lossy channel loses its own message; that it might lose
// another instead is a silent loss before it.
template <unsigned W>
Config<W> perform(const Machine& m, const Step& s, const Config<W>& c) {
    Config<W> n = c;
    n.w[s.state_word] += s.state_delta;
    if (s.op == Op::internal || s.keeps) return n;
    const ChannelLayout& ch = m.channels[s.channel];
    if (s.may_be_lost && channel_full(ch, c)) return n;
    switch (s.op) {
        case Op::send_word: {
            const auto top = static_cast<std::uint32_t>(std::bit_width(ch.field.get(c))) - 1;
            ch.field.add(n, (s.letter + (std::uint64_t{1} << ch.bits) - 1) << top);
            break;
        }
        case Op::receive_word: ch.field.set(n, ch.field.get(c) >> ch.bits); break;
        case Op::send_length:
            ch.field.add(n, 1);
            if (s.crash) ch.crash.add(n, 1);
            break;
        case Op::receive_length:
            ch.field.add(n, ~std::uint64_t{0});
            if (s.crash) ch.crash.set(n, 0);
            break;
        case Op::send_bag:
            ch.field.add(n, 1);
            (s.crash ? ch.crash : ch.counts[s.letter]).add(n, 1);
            break;
        case Op::receive_bag:
            ch.field.add(n, ~std::uint64_t{0});
            (s.crash ? ch.crash : ch.counts[s.letter]).add(n, ~std::uint64_t{0});
            break;
        case Op::send_wide: wide_send(ch, n, s.letter); break;
        case Op::receive_wide: wide_receive(ch, n); break;
        default: break;
    }
    return n;
}

// Every enabled action, in the order of processes and their transitions: visit(step number, step).
template <unsigned W, class Visit>
inline void each_enabled(const Machine& m, const Config<W>& c, Visit&& visit) {
    for (const ProcessLayout& p : m.processes) {
        const StateInfo& info = p.states[p.state.get(c)];
        for (std::uint32_t i = info.first; i < info.last; ++i)
            if (enabled(m, m.steps[i], c)) visit(i, m.steps[i]);
    }
}

// ---- silent steps (definitions 2.5) ----------------------------------------------------------------------

template <unsigned W, class Visit>
void silent_word(const ChannelLayout& ch, const Config<W>& c, Visit&& visit) {
    thread_local std::vector<std::uint32_t> word, other;
    read_word(ch, c, word);
    for (std::size_t i = 0; i < word.size(); ++i) {
        if (word[i] == ch.crash_letter) continue;
        // Losing either of two equal neighbours gives the same word.
        if (ch.loss && !(i + 1 < word.size() && word[i + 1] == word[i])) {
            other = word;
            other.erase(other.begin() + static_cast<std::ptrdiff_t>(i));
            Config<W> n = c;
            write_word(ch, n, other);
            visit(n);
        }
        if (!ch.corrupts) continue;
        for (auto letter : ch.becomes[word[i]]) {
            other = word;
            other[i] = letter;
            Config<W> n = c;
            write_word(ch, n, other);
            visit(n);
        }
    }
}

template <unsigned W, class Visit>
void silent_bag(const ChannelLayout& ch, const Config<W>& c, Visit&& visit) {
    for (std::size_t a = 0; a < ch.counts.size(); ++a) {
        if (ch.counts[a].mask == 0 || ch.counts[a].get(c) == 0) continue;
        Config<W> less = c;
        ch.counts[a].add(less, ~std::uint64_t{0});
        if (ch.corrupts)
            for (auto b : ch.becomes[a]) {
                Config<W> n = less;
                ch.counts[b].add(n, 1);
                visit(n);
            }
        if (ch.loss) {
            ch.field.add(less, ~std::uint64_t{0});
            visit(less);
        }
    }
}

template <unsigned W, class Visit>
void each_silent(const Machine& m, const Config<W>& c, Visit&& visit) {
    for (const ChannelLayout& ch : m.channels) {
        if (!ch.loss && !ch.corrupts) continue;
        if (ch.form == Form::length) {
            if (ch.loss && ch.field.get(c) > ch.crash.get(c)) {
                Config<W> n = c;
                ch.field.add(n, ~std::uint64_t{0});
                visit(n);
            }
        } else if (ch.form == Form::bag) {
            silent_bag(ch, c, visit);
        } else {
            silent_word(ch, c, visit);
        }
    }
}

// Every letter that may stand at the head of the channel: visit(letter).
template <unsigned W, class Visit>
inline void each_head(const ChannelLayout& ch, const Config<W>& c, Visit&& visit) {
    switch (ch.form) {
        case Form::word: {
            const std::uint64_t f = ch.field.get(c), one = std::uint64_t{1} << ch.bits;
            if (f >= one) visit(static_cast<std::uint32_t>(f & (one - 1)));
            return;
        }
        case Form::wide:
            if (wide_top(ch, c) >= ch.bits)
                visit(static_cast<std::uint32_t>(c.w[ch.first_word] & ((std::uint64_t{1} << ch.bits) - 1)));
            return;
        case Form::length: {
            const std::uint64_t n = ch.field.get(c), crash = ch.crash.get(c);
            if (n > crash) {
                for (std::uint32_t a = 0; a < ch.letters.size(); ++a)
                    if (a != ch.crash_letter) visit(a);
            } else if (crash) {
                visit(ch.crash_letter);
            }
            return;
        }
        case Form::bag:
            for (std::uint32_t a = 0; a < ch.letters.size(); ++a)
                if (a != ch.crash_letter && ch.counts[a].get(c)) visit(a);
            if (ch.crash.get(c) && ch.field.get(c) == 1) visit(ch.crash_letter);
    }
}

}  // namespace stormproof
