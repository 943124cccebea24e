// What a state of the search of rsc_mailbox.cpp consists of, packed into words.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "core/fields.hpp"
#include "core/system.hpp"

namespace stormproof {

// A send that is guessed to be matched by the last reception.
struct PendingIntoMailbox {
    std::uint32_t queue = none, message = none, sender = none;
};

struct MailboxLayout {
    explicit MailboxLayout(const System& of) : system(of), blocked(of.channels.size() * (1 + of.processes.size())) {
        for (const auto& process : system.processes) {
            control.push_back(packer.field(process.states));
            process_depends.push_back(packer.field(2));
        }
        for (std::uint32_t c = 0; c < system.channels.size(); ++c)
            queue_depends.push_back(overtakes(c) ? Field{} : packer.field(2));
        for (std::uint32_t p = 0; p < system.processes.size(); ++p) add_sends(p);
        pending = packer.field(pendings.size());
    }

    bool overtakes(std::uint32_t c) const { return system.channels[c].faults.may_overtake(); }

    // Does a send that is never received keep later ones from being received?
    bool blocks(const Transition& send) const {
        return !system.channels[send.channel].faults.may_vanish(send.message) || system.is_crash(send.message);
    }
    const Field& block_of(std::uint32_t p, std::uint32_t c) const { return blocked[place(p, c)]; }

    std::vector<std::uint64_t> initial() const {
        std::vector<std::uint64_t> words(packer.words(), 0);
        for (std::size_t p = 0; p < control.size(); ++p) control[p].set(words.data(), system.processes[p].initial);
        return words;
    }
    std::size_t words() const { return packer.words(); }

    const System& system;
    Packer packer;
    std::vector<Field> control, process_depends;
    std::vector<Field> queue_depends;  // mask 0: the order of sends into it does not matter
    std::vector<Field> blocked;        // by queue or, where messages overtake each other, by queue and sender; mask 0: never
    Field pending;
    std::vector<PendingIntoMailbox> pendings{1};        // number 0: nothing is pending
    std::vector<std::vector<std::uint32_t>> number_of;  // process, transition -> the number of the send

  private:
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> numbers_;

    std::size_t place(std::uint32_t p, std::uint32_t c) const {
        return c * (1 + system.processes.size()) + (overtakes(c) ? 1 + p : 0);
    }

    void add_sends(std::uint32_t p) {
        auto& numbers = number_of.emplace_back();
        for (const Transition& t : system.processes[p].transitions) {
            numbers.push_back(0);
            if (t.kind != ActionKind::send) continue;
            const auto [at, fresh] =
                numbers_.try_emplace({t.channel, t.message, p}, static_cast<std::uint32_t>(pendings.size()));
            if (fresh) pendings.push_back({t.channel, t.message, p});
            numbers.back() = at->second;
            Field& block = blocked[place(p, t.channel)];
            if (blocks(t) && !block.mask) block = packer.field(2);
        }
    }
};

}  // namespace stormproof
