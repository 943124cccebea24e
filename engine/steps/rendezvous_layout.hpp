// What a state of the search of rsc.hpp consists of, packed into words: the key, and the payload of antichain.hpp.
#pragma once

#include <algorithm>
#include <vector>

#include "core/fields.hpp"
#include "core/system.hpp"
#include "reduce/symmetry.hpp"
#include "steps/pending.hpp"

namespace stormproof {

struct RscLayout {
    explicit RscLayout(const System& of) : system(of), pendings(of) {
        for (const auto& process : system.processes) control.push_back(key.field(process.states));
        pending = key.field(static_cast<std::uint32_t>(pendings.size()));
        for (std::size_t p = 0; p < system.processes.size(); ++p) depends.push_back(payload.field(2));
        free.resize(system.channels.size());
        for (std::uint32_t p = 0; p < system.processes.size(); ++p) add_free(p);
    }

    std::uint32_t sender_of(std::uint64_t number) const { return system.channels[pendings[number].channel].sender; }

    // The number of the pending send that a permutation makes of another.
    std::uint32_t image_of(const Automorphism& g, std::uint32_t number) const {
        if (number == 0) return 0;
        const auto [channel, message] = pendings[number];
        return pendings.on(g.channel[channel]).at(g.message_on(channel, message));
    }

    // The words of the initial state, the key first.
    std::vector<std::uint64_t> initial() const {
        std::vector<std::uint64_t> words(this->words(), 0);
        for (std::size_t p = 0; p < control.size(); ++p) control[p].set(words.data(), system.processes[p].initial);
        for (const auto& field : free)
            if (field.mask) field.set(words.data() + key.words(), 1);
        return words;
    }
    std::size_t words() const { return key.words() + payload.words(); }

    const System& system;
    PendingSends pendings;
    Packer key, payload;
    std::vector<Field> control;  // in the key
    Field pending;
    std::vector<Field> depends, free;  // in the payload; free: no unmatched send is in the channel; mask 0: irrelevant
    std::vector<std::vector<std::uint32_t>> tracked;  // process -> those of its channels for which `free` matters
    std::vector<std::vector<Field>> free_of;          // process -> these bits, 64 in each field

  private:
    bool blocks(std::uint32_t c) const {
        const auto& faults = system.channels[c].faults;
        return !faults.may_vanish() && (!faults.may_overtake() || pendings.sends_crash(c)) && !pendings.on(c).empty();
    }

    void add_free(std::uint32_t p) {
        auto& mine = tracked.emplace_back();
        for (std::uint32_t c = 0; c < system.channels.size(); ++c)
            if (system.channels[c].sender == p && blocks(c)) mine.push_back(c);
        auto& fields = free_of.emplace_back();
        for (std::uint32_t bit = 0; bit < mine.size(); ++bit) {
            if (bit % 64 == 0)
                fields.push_back(payload.bits_field(std::min(64u, static_cast<std::uint32_t>(mine.size()) - bit)));
            free[mine[bit]] = {fields.back().word, fields.back().shift + bit % 64, 1};
        }
    }
};

}  // namespace stormproof
