// Rows of cells packed into words, as they are written to disk: no channel has more than k messages there.
#pragma once

#include <map>
#include <set>

#include "configuration.hpp"
#include "fields.hpp"
#include "survival_steps.hpp"

namespace stormproof::survival {

class RowFields {
  public:
    RowFields(const System& system, const Question& question, const Layout& layout) {
        for (std::uint32_t p = 0; p < system.processes.size(); ++p) add(packer_, p, system.processes[p].states);
        for (std::size_t kind = 0; kind < layout.counter_of.size(); ++kind)
            if (layout.counter_of[kind] != nothing)
                add(packer_, layout.counter_of[kind], std::uint64_t{question.most_of_kind[kind]} + 1);
        for (std::uint32_t c = 0; c < system.channels.size(); ++c) add_channel(system, c, layout, question.k);
    }

    std::uint32_t words() const { return packer_.words(); }
    const std::vector<std::uint32_t>& bits() const { return packer_.used(); }

    template <unsigned W, class Cell>
    Config<W> pack(const Cell* row) const {
        Config<W> out{};
        for (const Plain& plain : plain_) plain.field.set(out.w, row[plain.cell]);
        for (const Content& content : contents_)
            for (std::uint32_t i = 0; i < row[content.cell]; ++i)
                content.places[i].set(out.w, content.codes.at(row[content.cell + 1 + i]));
        return out;
    }

    template <unsigned W, class Cell>
    void unpack(const Config<W>& packed, std::vector<Cell>& row) const {
        std::fill(row.begin(), row.end(), Cell{0});
        for (const Plain& plain : plain_) row[plain.cell] = static_cast<Cell>(plain.field.get(packed.w));
        for (const Content& content : contents_) {
            Cell length = 0;
            for (const Field& place : content.places) {
                const std::uint64_t code = place.get(packed.w);
                if (code == 0) break;
                row[content.cell + 1 + length++] = static_cast<Cell>(content.letters[code]);
            }
            row[content.cell] = length;
        }
    }

  private:
    struct Plain {
        std::uint32_t cell = 0;
        Field field;
    };
    // A message is the number of its letter, from 1 on; 0 where there is none.
    struct Content {
        std::uint32_t cell = 0;
        std::vector<Field> places;
        std::vector<std::uint32_t> letters, codes;
    };
    Packer packer_;
    std::vector<Plain> plain_;
    std::vector<Content> contents_;

    void add(Packer& packer, std::uint32_t cell, std::uint64_t values) { plain_.push_back({cell, packer.field(values)}); }

    void add_channel(const System& system, std::uint32_t c, const Layout& layout, std::uint32_t k) {
        Content content;
        content.cell = layout.channel[c];
        content.letters = {0};
        content.codes.resize(system.messages, 0);
        for (auto message : messages_of(system, c)) {
            content.codes[message] = static_cast<std::uint32_t>(content.letters.size());
            content.letters.push_back(message);
        }
        for (std::uint32_t i = 0; i < k; ++i) content.places.push_back(packer_.field(content.letters.size()));
        contents_.push_back(std::move(content));
    }

    // What can be in a channel: what is sent there, and what it may become.
    static std::set<std::uint32_t> messages_of(const System& system, std::uint32_t c) {
        const Channel& channel = system.channels[c];
        std::set<std::uint32_t> found(channel.pool.begin(), channel.pool.end());
        for (const Process& process : system.processes)
            for (const Transition& t : process.transitions)
                if (t.kind == ActionKind::send && t.channel == c) found.insert(t.message);
        for (const auto& others : channel.faults.becomes) found.insert(others.begin(), others.end());
        return found;
    }
};

}  // namespace stormproof::survival
