// Permutations of processes, applied to packed configurations: each orbit is represented by its least configuration.
#pragma once

#include <optional>
#include <vector>

#include "core/configuration.hpp"
#include "core/platform.hpp"
#include "reduce/symmetry.hpp"
#include "reduce/permutations.hpp"

namespace stormproof {

template <unsigned W>
class ConfigurationSymmetry {
  public:
    ConfigurationSymmetry(const Machine& machine, const std::vector<Automorphism>& group) : m(machine) {
        add_places();
        for (const Automorphism& g : group) {
            std::optional<Permutation> permutation = permutation_of(g);
            if (!permutation) continue;
            permutations_.push_back(std::move(*permutation));
            group_.push_back(g);
        }
    }

    const std::vector<Automorphism>& group() const { return group_; }

    // Replaces a configuration by the least of its orbit, and returns the number of the permutation that leads there.
    STORMPROOF_NOINLINE std::uint32_t canonical(Config<W>& c) const {
        const std::vector<std::uint64_t>& numbers = numbers_of(c);
        const std::uint32_t permutation = permutations_.least(numbers.data()).permutation;
        if (permutation == 0) return 0;
        for (std::size_t i = 0; i < places_.size(); ++i) places_[i].set(c, permutations_[permutation][i].value(numbers.data()));
        return permutation;
    }

    // How many configurations permutations make of it, itself included.
    std::uint64_t orbit(const Config<W>& c) const {
        return permutations_.size() / permutations_.least(numbers_of(c).data()).alike;
    }

  private:
    // A number of a configuration: a field, or a whole word of a long queue.
    struct Place {
        Field field;
        std::uint32_t word = none;
        std::uint64_t get(const Config<W>& c) const { return word == none ? field.get(c.w) : c.w[word]; }
        void set(Config<W>& c, std::uint64_t value) const {
            if (word == none) field.set(c.w, value);
            else c.w[word] = value;
        }
    };

    const Machine& m;
    std::vector<Place> places_;
    std::vector<std::uint32_t> first_;  // of each channel: its first place
    Permutations permutations_;
    std::vector<Automorphism> group_;
    Renamings renamings_;

    const std::vector<std::uint64_t>& numbers_of(const Config<W>& c) const {
        thread_local std::vector<std::uint64_t> numbers;
        numbers.resize(places_.size());
        for (std::size_t i = 0; i < places_.size(); ++i) numbers[i] = places_[i].get(c);
        return numbers;
    }

    void add_places() {
        for (const ProcessLayout& p : m.processes) places_.push_back({p.state});
        for (const ChannelLayout& ch : m.channels) {
            first_.push_back(static_cast<std::uint32_t>(places_.size()));
            if (ch.form == PackedForm::wide_queue) {
                for (std::uint32_t i = 0; i < ch.words; ++i) places_.push_back({{}, ch.first_word + i});
                continue;
            }
            places_.push_back({ch.field});
            if (ch.form == PackedForm::queue) continue;
            places_.push_back({ch.crash});
            for (const Field& count : ch.counts) places_.push_back({count});
        }
    }

    // Empty: the permutation cannot be applied to packed channels.
    std::optional<Permutation> permutation_of(const Automorphism& g) {
        Permutation permutation(places_.size());
        for (std::uint32_t p = 0; p < m.processes.size(); ++p)
            permutation[g.process[p]] = {p, renamings_.add(g.state[p], 0)};
        for (std::uint32_t c = 0; c < m.channels.size(); ++c)
            if (!permute_channel(g, c, permutation)) return {};
        return permutation;
    }

    bool permute_channel(const Automorphism& g, std::uint32_t c, Permutation& permutation) {
        const ChannelLayout &here = m.channels[c], &there = m.channels[g.channel[c]];
        if (here.form != there.form || here.letters.size() != there.letters.size()) return false;
        std::vector<std::uint32_t> letters;
        for (auto message : here.letters) letters.push_back(there.letter_of[g.message_on(c, message)]);
        const Renaming* renamed = renamings_.add(letters, here.bits);
        const std::uint32_t from = first_[c], to = first_[g.channel[c]];
        if (here.form == PackedForm::wide_queue) {
            for (std::uint32_t i = 0; i < here.words; ++i) permutation[to + i] = {from + i};
            return renamed == nullptr;
        }
        permutation[to] = {from, here.form == PackedForm::queue ? renamed : nullptr};
        if (here.form == PackedForm::queue) return true;
        permutation[to + 1] = {from + 1};
        for (std::uint32_t a = 0; a < here.counts.size(); ++a) permutation[to + 2 + letters[a]] = {from + 2 + a};
        return true;
    }
};

}  // namespace stormproof
