// Rows as few bits: each state and each count in as many as it needs, and the content of a channel as one number.
//
// What belongs together lies together (placement.hpp), and all words are equally full. So each word describes a part of the
// system, and takes few different values.
#pragma once

#include "core/fields.hpp"
#include "core/placement.hpp"
#include "steps/faulty.hpp"

namespace stormproof::survival {

template <class Cell>
class Packing {
  public:
    // `most`: how many messages a channel may have, where that is less than the layout has cells for.
    Packing(const System& system, const Question& question, const Layout& layout, std::uint32_t most = nothing)
        : layout_(layout), bound_(std::min(most, layout.bound)) {
        letters_.resize(system.channels.size());
        for (std::uint32_t c = 0; c < system.channels.size(); ++c) letters_[c] = letters(system, c);
        extras_ = std::min(question.extras.first, question.pending.process);
        network_ = question.extras.links.network;
        processes_ = static_cast<std::uint32_t>(system.processes.size());
        pieces_of_.resize(layout.contents + system.channels.size());
        for (std::uint32_t kind = 0; kind < layout.counter_of.size(); ++kind)
            if (layout.counter_of[kind] != nothing) add_number(layout.counter_of[kind], question.most_of_kind[kind] + 1);
        for (const Part& part : parts_in_order(system))
            if (part.is_channel) add_content(part.number);
            else add_number(part.number, system.processes[part.number].states);
        place();
    }

    std::uint32_t words() const { return words_; }
    // Has no channel more messages than that?
    bool fits(const Cell* row) const {
        return std::all_of(layout_.channel.begin(), layout_.channel.end(), [&](std::uint32_t c) { return row[c] <= bound_; });
    }
    // May the message ever be in the channel?
    bool knows(std::uint32_t channel, std::uint32_t message) const { return letters_[channel].number[message] != none; }
    // How many bits of each word are used, from the lowest on.
    std::vector<std::uint32_t> used_bits() const {
        std::vector<std::uint32_t> used(words_, 0);
        for (const Piece& piece : pieces_)
            used[piece.field.word] = std::max(used[piece.field.word], piece.field.shift + bits(piece));
        return used;
    }

    void pack(const Cell* row, std::uint64_t* words) const {
        std::fill(words, words + words_, 0);
        for (const Piece& piece : pieces_) piece.field.add(words, value(piece, row));
    }
    // Packs a row again of which a step has changed the state of a process, a channel, the counts of faults and components; a cut changes
    // several channels.
    void repack(const Cell* row, std::uint32_t process, std::uint32_t channel, std::uint64_t* words) const {
        renew(process, row, words);
        for (std::uint32_t extra = extras_; extra < processes_; ++extra) renew(extra, row, words);
        for (std::uint32_t counter = layout_.counters; counter < layout_.contents; ++counter) renew(counter, row, words);
        if (channel != none) renew(layout_.contents + channel, row, words);
        for (std::uint32_t c = 0; process == network_ && c < layout_.channel.size(); ++c)
            renew(layout_.contents + c, row, words);
    }
    void unpack(const std::uint64_t* words, Cell* row) const {
        std::fill(row, row + layout_.cells, Cell{0});
        for (const Piece& piece : pieces_) {
            std::uint64_t value = piece.field.get(words);
            if (piece.channel == none) row[piece.cell] = static_cast<Cell>(value);
            else if (value > 0) write(piece, value, row);
        }
    }

  private:
    // A cell as it is; or messages of a channel from one cell on, as a number in bijective base: digits from 1 on, the
    // first message in the lowest place. Long channels are several pieces.
    struct Piece {
        Field field;
        std::uint64_t values;
        std::uint32_t cell, channel = none, most = 0;
    };

    const Layout& layout_;
    const std::uint32_t bound_;
    std::vector<Piece> pieces_;
    std::vector<std::vector<std::uint32_t>> pieces_of_;  // of each state, count and channel
    std::uint32_t words_ = 1, extras_ = nothing, processes_ = 0, network_ = nothing;
    struct Letters {
        std::vector<std::uint32_t> message, number;  // letter -> message, message -> letter
    };
    std::vector<Letters> letters_;

    // What may be in a channel: what is sent, and what faults make of it.
    static Letters letters(const System& system, std::uint32_t channel) {
        Letters out;
        out.number.assign(system.messages, none);
        const auto add = [&](std::uint32_t message) {
            if (out.number[message] != none) return;
            out.number[message] = static_cast<std::uint32_t>(out.message.size());
            out.message.push_back(message);
        };
        for (const Process& process : system.processes)
            for (const Transition& t : process.transitions)
                if (t.kind == TransitionKind::send && t.channel == channel) add(t.message);
        const auto& becomes = system.channels[channel].faults.becomes;
        for (std::size_t i = 0; i < out.message.size() && !becomes.empty(); ++i)
            for (auto other : becomes[out.message[i]]) add(other);
        return out;
    }

    void add_number(std::uint32_t cell, std::uint64_t values) {
        pieces_of_[cell].push_back(static_cast<std::uint32_t>(pieces_.size()));
        pieces_.push_back({{}, values, cell});
    }
    void add_content(std::uint32_t c) {
        const std::uint64_t base = letters_[c].message.size();
        for (std::uint32_t from = 0; base > 0 && from < bound_;) {
            std::uint64_t values = 1 + base;
            std::uint32_t most = 1;
            for (; from + most < bound_ && values * base < UINT32_MAX; ++most) values = values * base + 1;
            pieces_of_[layout_.contents + c].push_back(static_cast<std::uint32_t>(pieces_.size()));
            pieces_.push_back({{}, values, layout_.channel[c] + 1 + from, c, most});
            from += most;
        }
    }

    static std::uint32_t bits(const Piece& piece) {
        return static_cast<std::uint32_t>(std::bit_width(piece.values - 1));
    }
    // Gives each piece its place, with at most so many bits in a word, and returns how many words there are.
    std::uint32_t place(std::uint32_t most) {
        std::uint32_t word = 0, used = 0;
        for (Piece& piece : pieces_) {
            if (used + bits(piece) > most) ++word, used = 0;
            piece.field = {word, used, (std::uint64_t{1} << bits(piece)) - 1};
            used += bits(piece);
        }
        return word + 1;
    }
    void place() {
        std::uint32_t widest = 1;
        for (const Piece& piece : pieces_) widest = std::max(widest, bits(piece));
        words_ = place(64);
        while (widest < 64 && place(widest) > words_) ++widest;
        place(widest);
    }

    std::uint64_t value(const Piece& piece, const Cell* row) const {
        if (piece.channel == none) return row[piece.cell];
        const Letters& letters = letters_[piece.channel];
        const std::uint32_t from = piece.cell - layout_.channel[piece.channel] - 1;
        const std::uint32_t length = row[layout_.channel[piece.channel]];
        if (length <= from) return 0;
        std::uint64_t value = 0;
        for (std::uint32_t i = std::min(length - from, piece.most); i-- > 0;)
            value = value * letters.message.size() + letters.number[row[piece.cell + i]] + 1;
        return value;
    }
    void write(const Piece& piece, std::uint64_t value, Cell* row) const {
        const Letters& letters = letters_[piece.channel];
        Cell* to = row + piece.cell;
        for (; value > 0; value /= letters.message.size(), ++row[layout_.channel[piece.channel]])
            *to++ = static_cast<Cell>(letters.message[--value % letters.message.size()]);
    }
    void renew(std::uint32_t what, const Cell* row, std::uint64_t* words) const {
        for (auto number : pieces_of_[what]) pieces_[number].field.set(words, value(pieces_[number], row));
    }
};
extern template class Packing<std::uint8_t>;
extern template class Packing<std::uint16_t>;

}  // namespace stormproof::survival
