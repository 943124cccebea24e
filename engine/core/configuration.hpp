// A configuration of a compiled system, and the contents of its channels.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "core/machine.hpp"

namespace stormproof {

// No configuration has more words of 64 bits.
constexpr std::uint32_t max_words = 64;

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

template <unsigned W>
Config<W> initial_config(const Machine& m) {
    Config<W> c{};
    for (const auto& p : m.processes) p.state.set(c.w, p.initial);
    for (const auto& ch : m.channels) {
        if (ch.form == PackedForm::queue) ch.field.set(c.w, 1);
        if (ch.form == PackedForm::wide_queue) c.w[ch.first_word] = 1;
    }
    return c;
}

// ---- wide queues: a few lines of long arithmetic --------------------------------------------------------

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
        case PackedForm::queue: return (static_cast<std::uint32_t>(std::bit_width(ch.field.get(c.w))) - 1) / ch.bits;
        case PackedForm::wide_queue: return wide_top(ch, c) / ch.bits;
        default: return static_cast<std::uint32_t>(ch.field.get(c.w));
    }
}

template <unsigned W>
bool channel_full(const ChannelLayout& ch, const Config<W>& c) {
    if (ch.form == PackedForm::wide_queue) return wide_top(ch, c) >= ch.k * ch.bits;
    return ch.field.get(c.w) >= ch.full;
}

template <unsigned W>
bool channel_empty(const ChannelLayout& ch, const Config<W>& c) {
    switch (ch.form) {
        case PackedForm::queue: return ch.field.get(c.w) == 1;
        case PackedForm::wide_queue: return wide_top(ch, c) == 0;
        default: return ch.field.get(c.w) == 0;
    }
}

// The letters of a queue, wide or not, head first.
template <unsigned W>
void read_queue(const ChannelLayout& ch, const Config<W>& c, std::vector<std::uint32_t>& out) {
    out.clear();
    Config<W> rest = c;
    for (std::uint32_t n = channel_length(ch, c); n > 0; --n) {
        if (ch.form == PackedForm::queue) {
            const std::uint64_t f = ch.field.get(rest.w);
            out.push_back(static_cast<std::uint32_t>(f & ((std::uint64_t{1} << ch.bits) - 1)));
            ch.field.set(rest.w, f >> ch.bits);
        } else {
            out.push_back(static_cast<std::uint32_t>(rest.w[ch.first_word] & ((std::uint64_t{1} << ch.bits) - 1)));
            wide_receive(ch, rest);
        }
    }
}

template <unsigned W>
void write_queue(const ChannelLayout& ch, Config<W>& c, const std::vector<std::uint32_t>& letters) {
    if (ch.form == PackedForm::queue) {
        std::uint64_t f = 1;
        for (auto i = letters.size(); i-- > 0;) f = f << ch.bits | letters[i];
        ch.field.set(c.w, f);
        return;
    }
    for (std::uint32_t i = 0; i < ch.words; ++i) c.w[ch.first_word + i] = i == 0;
    for (auto letter : letters) wide_send(ch, c, letter);
}

}  // namespace stormproof
