// Symmetry: the permutations of processes that leave a system as it is (definitions 3.13).
//
// A system is drawn as a graph: a node for each process, state, transition, channel and message of a channel, and for
// what else must be respected, with colours and labelled links. Its automorphisms permute the processes and, with
// them, rename states, transitions, channels and the messages of each channel. They are found by colour refinement
// and individualisation, in two copies of the graph at once, and every one that is used was verified link by link.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/limits.hpp"
#include "core/system.hpp"

namespace stormproof {

// Where a permutation takes everything. A state or transition of process p becomes one of `process[p]`.
struct Automorphism {
    std::vector<std::uint32_t> process, channel;
    std::vector<std::vector<std::uint32_t>> state, transition;      // process -> number -> number
    // channel -> message -> message, for those of the channel; empty: they keep their names
    std::vector<std::map<std::uint32_t, std::uint32_t>> message;

    std::uint32_t message_on(std::uint32_t c, std::uint32_t m) const {
        const auto found = message[c].find(m);
        return found == message[c].end() ? m : found->second;
    }
};

Automorphism identity_of(const System& system);
Automorphism inverse(const Automorphism& g);
// First `second`, then `first`.
Automorphism compose(const Automorphism& first, const Automorphism& second);

// The graph of a system. What must be respected beside the system itself is added as colours, nodes and links.
class Shape {
  public:
    Shape(const System& system, const Monitor& monitor);

    std::uint32_t process(std::uint32_t p) const { return p; }
    std::uint32_t state(std::uint32_t p, std::uint32_t x) const { return states_[p] + x; }
    std::uint32_t transition(std::uint32_t p, std::uint32_t t) const { return transitions_[p] + t; }
    std::uint32_t channel(std::uint32_t c) const { return channels_ + c; }
    std::uint32_t letter(std::uint32_t c, std::uint32_t m);

    std::uint32_t add(std::uint64_t colour);
    void colour(std::uint32_t node, std::uint64_t more);
    void link(std::uint32_t from, std::uint32_t to, std::uint32_t label);

    // Permutations of processes with what they do, at most `most`; the first is the identity. Where there are more,
    // those that leave some of the processes in their places; the identity alone if there is no time.
    std::vector<Automorphism> automorphisms(std::size_t most) const;

  private:
    struct Link {
        std::uint32_t to, label;
    };
    using Colours = std::vector<std::uint64_t>;

    const System& system_;
    const Monitor& monitor_;
    std::vector<std::uint32_t> states_, transitions_;  // of each process: its first node
    std::uint32_t channels_ = 0;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> letters_;
    Colours colours_;
    std::vector<std::vector<Link>> links_, back_;

    void add_transitions(std::uint32_t p);
    void refine(Colours& colours) const;
    void fix(std::uint32_t p, Colours& colours) const;
    bool complete(Colours left, Colours right, std::uint32_t& budget, std::vector<std::uint32_t>& image) const;
    bool verify(const std::vector<std::uint32_t>& image) const;
    Automorphism read(const std::vector<std::uint32_t>& image) const;
    std::vector<Automorphism> moves_of(std::uint32_t p, const Colours& fixed, std::size_t most) const;
};

}  // namespace stormproof
