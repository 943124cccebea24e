// What a process can do alone: internal actions, and sends that are never received.
//
// Such an action touches nothing but its own process: an unmatched send may block its channel, and only the
// same process sends there. So it commutes with everything that others do, and it is enough to let it happen
// right before the process next takes part in a matched pair, guesses the pending send or receives it. Later
// actions can be left out, and the run is shorter without them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/leaving.hpp"
#include "core/system.hpp"
#include "core/usage.hpp"

namespace stormproof {

// Which of its channels a process has not blocked, one bit for each channel that can be.
using Mask = std::vector<std::uint64_t>;

inline bool has(const Mask& mask, std::uint32_t bit) { return mask[bit / 64] >> (bit % 64) & 1; }
inline void take(Mask& mask, std::uint32_t bit) { mask[bit / 64] &= ~(std::uint64_t(1) << (bit % 64)); }

// A local state that a process may reach by acting alone; `from` and `transition` lead back to where it began.
struct Variant {
    std::uint32_t state = 0, cost = 0, from = none, transition = none;
    Mask free;
};

class Locals {
  public:
    // `tracked`: for each process the channels that its unmatched sends block.
    Locals(const System& system, const std::vector<std::vector<std::uint32_t>>& tracked, const Monitor& monitor, Usage& usage)
        : system_(system), monitor_(monitor), usage_(usage), known_(system.processes.size()), leaving_(system) {
        for (std::size_t p = 0; p < known_.size(); ++p) known_[p].resize(system.processes[p].states);
        bit_.assign(system.channels.size(), none);
        for (const auto& mine : tracked)
            for (std::uint32_t bit = 0; bit < mine.size(); ++bit) bit_[mine[bit]] = bit;
    }

    bool is_free(const Variant& at, std::uint32_t channel) const {
        return bit_[channel] == none || has(at.free, bit_[channel]);
    }

    std::span<const Transition> leaving(std::uint32_t p, std::uint32_t state) const {
        return leaving_(p, state);
    }

    // The nearest first; the first is the present local state.
    const std::vector<Variant>& from(std::uint32_t p, std::uint32_t state, const Mask& free) {
        auto [at, fresh] = known_[p][state].try_emplace(free);
        if (fresh) at->second = explore(p, state, free);
        return at->second;
    }

    // The local state after an internal action, or after a send that is never received.
    Variant after(const Variant& before, const Transition& t) const {
        Variant next{t.target, 0, none, none, before.free};
        if (t.kind == ActionKind::send && bit_[t.channel] != none) take(next.free, bit_[t.channel]);
        return next;
    }

    // The limit that was hit while a process acted alone: then what `from` returned is not complete.
    Stop stopped() const { return stop_; }

    // Adds a process, and all with whom it can come to interact while they are where they are or do something alone.
    void add_interacting(std::uint32_t start, const std::vector<const std::vector<Variant>*>& now,
                         std::vector<std::uint8_t>& members) const {
        std::vector<std::uint32_t> work{start};
        members[start] = 1;
        while (!work.empty()) {
            const std::uint32_t p = work.back();
            work.pop_back();
            for (const Variant& at : *now[p])
                for (const auto& t : leaving(p, at.state)) {
                    if (t.kind == ActionKind::internal) continue;
                    const Channel& ch = system_.channels[t.channel];
                    const std::uint32_t peer = t.kind == ActionKind::send ? ch.receiver : ch.sender;
                    if (!members[peer]) work.push_back(peer);
                    members[peer] = 1;
                }
        }
    }

  private:
    std::vector<Variant> explore(std::uint32_t p, std::uint32_t state, const Mask& free) {
        std::vector<Variant> found{{state, 0, none, none, free}};
        std::vector<std::vector<std::uint32_t>> by_state(system_.processes[p].states);
        by_state[state].push_back(0);
        for (std::uint32_t i = 0; i < found.size() && stop_ == Stop::none; ++i)
            for (const auto& t : leaving(p, found[i].state)) {
                if (t.kind == ActionKind::receive) continue;
                Variant next = after(found[i], t);
                next.cost = found[i].cost + 1, next.from = i, next.transition = leaving_.number(p, t);
                if (covered(found, by_state[next.state], next)) continue;
                by_state[next.state].push_back(static_cast<std::uint32_t>(found.size()));
                found.push_back(std::move(next));
                if (found.size() % 256 == 0) watch(256, free.size());
            }
        usage_.take(found.size() % 256 * (sizeof(Variant) + free.size() * 8) + 128);
        return found;
    }

    void watch(std::size_t more, std::size_t words) {
        usage_.take(more * (sizeof(Variant) + words * 8));
        stop_ = usage_.full() ? Stop::memory : monitor_.over();
    }

    // Is there one in the same state, no farther, that has blocked no more?
    static bool covered(const std::vector<Variant>& found, const std::vector<std::uint32_t>& same,
                        const Variant& next) {
        return std::any_of(same.begin(), same.end(), [&](std::uint32_t i) {
            for (std::size_t w = 0; w < next.free.size(); ++w)
                if (next.free[w] & ~found[i].free[w]) return false;
            return true;
        });
    }

    const System& system_;
    const Monitor& monitor_;
    Usage& usage_;
    Stop stop_ = Stop::none;
    std::vector<std::vector<std::map<Mask, std::vector<Variant>>>> known_;  // by process and local state
    const Leaving leaving_;
    std::vector<std::uint32_t> bit_;  // channel -> its bit in its sender's mask
};

}  // namespace stormproof
