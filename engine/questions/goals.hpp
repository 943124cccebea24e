// What must be reachable from a configuration, as bits.
//
// A goal is a set of actions, one of which must be reachable, perhaps without any move of one process:
//   receive   that message from that channel (k-er, when it is the head there);
//   taken     anything from that channel (k-wer);
//   proceeds  a send or a reception by that process, its crash broadcast aside, or a step of it into a final state,
//             while it does not crash, stop or restart (k-pg, when it is in a receiving state);
//   sent      that message into that channel (k-exh-literal; k-sibi);
//   room      anything from that channel, while its sender does not act. A send into a perfect channel can fire
//             at once unless the channel is full, and while the sender does not act the channel only shrinks; so
//             this is what k-exh requires in a sending state whose channel is full. A lossy channel always has
//             room.
//   fires     that message into that channel, while its sender does not act before: what k-exh requires with
//             mailboxes, which others fill, and of which loss may spare some messages.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "questions/k_properties.hpp"
#include "reduce/symmetry.hpp"
#include "steps/silent.hpp"

namespace stormproof {

// What must not happen on the run to a goal: the moves of a process, or just its crashes, stops and restarts.
struct Barred {
    std::uint32_t process = none;
    bool only_faults = false;
    auto operator<=>(const Barred&) const = default;
    bool operator()(const Instruction& s) const { return s.process == process && (s.fault || !only_faults); }
};

struct Goal {
    enum Kind : std::uint8_t { receive, taken, proceeds, sent, room, fires } kind;
    std::uint32_t channel = none;
    std::uint32_t letter = 0;
    std::uint32_t process = none;
    Barred barred = {};
    auto operator<=>(const Goal&) const = default;
};

// The properties that ask for a goal.
PropertySet properties_of(const Goal& goal);

// Is this k-obi or k-sibi, and does the system have states with several peers to choose from, so that it is not obvious?
bool needs_search(const Machine& m, const PropertySet& asked, Property property);

// What a permutation makes of a goal.
Goal image_of(const Machine& m, const Automorphism& g, const Goal& goal);

std::vector<Goal> goals_of(const Machine& m, const PropertySet& properties);

// Goals in sets of at most 64 that permutations leave as they are; empty: there is no such division.
std::vector<std::vector<Goal>> grouped(const Machine& m, const std::vector<Goal>& goals,
                                       const std::vector<Automorphism>& group);

// Up to 64 goals at once, compiled into masks.
struct GoalSet {
    struct StateNeed {
        std::uint64_t always = 0;  // wanted in this state
        std::uint64_t rooms = 0;   // wanted in this state when the channel is full
    };
    struct FullTest {
        std::uint32_t channel = 0, word = 0;
        std::uint64_t mask = 0, value = 0;  // full when (w & mask) == value; mask 0: a wide queue, see channel_full
        std::uint64_t bit = 0;
    };
    struct StateNeeds {
        Field state;
        std::vector<StateNeed> of_state;
    };
    struct Heads {
        std::uint32_t channel = 0;
        std::vector<std::uint64_t> letter;  // bits wanted when this letter is the head
        std::uint64_t every = 0;            // of all letters
        // The channel is one field f, with a head if f > low, which is the letter f & low: a queue, or with low = 0 a length
        // without crash flag, where any letter may be the head and the first stands for them.
        bool one_field = false;
        Field field;
        std::uint64_t low = 0;
    };
    std::vector<Goal> goals;
    std::vector<std::uint64_t> fires;                 // instruction -> goals that it reaches
    std::vector<std::uint64_t> keeps;                 // instruction -> goals whose run may contain it
    std::vector<StateNeeds> state_needs;              // of the processes that have any
    std::vector<FullTest> full_tests;
    std::vector<Heads> heads;                         // the channels whose heads are needed
    // Goals that count as met wherever they are not needed: only the goal itself leaves the configurations that
    // need it, so the value assumed for the others never reaches a configuration that needs it.
    //   room      while the sender does not act a full channel stays full until something is taken;
    //   receive, taken   on a channel without loss and corruption the message stays where it is;
    //   proceeds  when no action of the process leads from a receiving state, unless it is the goal or barred, to a
    //             state that is not receiving.
    std::uint64_t assumed = 0;
    std::uint64_t all = 0, unbarred = 0;  // `unbarred`: the goals whose run may contain any step
    std::vector<std::vector<std::uint64_t>> sent_bit;  // channel -> letter -> bit of the goal `sent`
    std::vector<std::vector<std::uint8_t>> images;     // permutation -> bit -> bit

    GoalSet(const Machine& m, std::vector<Goal> chosen, const PropertySet& properties,
            const std::vector<Automorphism>& group = {});

    // The goals that a configuration reaches, when its image under a permutation reaches those of `mask`.
    STORMPROOF_INLINE std::uint64_t before(std::uint32_t permutation, std::uint64_t mask) const {
        if (permutation == 0 || mask == 0 || mask == all) return mask;
        std::uint64_t out = 0;
        for (std::size_t b = 0; b < goals.size(); ++b) out |= (mask >> images[permutation][b] & 1) << b;
        return out;
    }

    template <unsigned W>
    std::uint64_t needs(const Machine& m, const Config<W>& c) const {
        std::uint64_t need = 0, full = 0;
        for (const FullTest& test : full_tests) {
            const bool is = test.mask ? (c.w[test.word] & test.mask) == test.value
                                      : channel_full(m.channels[test.channel], c);
            full |= value_if(is, test.bit);
        }
        for (const StateNeeds& process : state_needs) {
            const StateNeed& here = process.of_state[process.state.get(c.w)];
            need |= here.always | (here.rooms & full);
        }
        for (const Heads& h : heads) {
            if (!h.one_field) {
                each_head(m.channels[h.channel], c, [&](std::uint32_t letter) { need |= h.letter[letter]; });
                continue;
            }
            const std::uint64_t f = h.field.get(c.w), wanted = h.letter[f & h.low];
            need |= value_if(f > h.low, wanted);
        }
        return need;
    }
};

}  // namespace stormproof
