// Components of a configuration beside processes that act and the contents of channels (definitions 17.2): processes without
// transitions, the last ones, which the steps of the others move.
#pragma once

#include <cstdint>
#include <vector>

#include "questions/survival_clocks.hpp"
#include "questions/survival_links.hpp"

namespace stormproof::survival {

// Where a component goes in a step.
struct Move {
    std::uint32_t process = 0;      // the component
    std::vector<std::uint32_t> to;  // from each of its states
};
using Moves = std::vector<Move>;  // at most one for a component

struct Extras {
    std::uint32_t first = UINT32_MAX;  // all processes from here on are components
    // process -> transition -> what observers do in a step with it; empty: nobody observes
    std::vector<std::vector<Moves>> observed;
    Clocks clocks;
    Links links;

    const Moves& moves(std::uint32_t process, std::uint32_t transition) const {
        static const Moves none;
        return observed.empty() ? none : observed[process][transition];
    }
    // Does a step with this transition change components?
    bool changes(std::uint32_t process, std::uint32_t transition) const {
        return !moves(process, transition).empty() || clocks.counts(process) || clocks.passes(process);
    }
};

// The states after a step, given those of the processes that act.
template <class State>
void move_components(const Extras& extras, std::uint32_t process, std::uint32_t transition, State* states) {
    for (const Move& move : extras.moves(process, transition))
        states[move.process] = static_cast<State>(move.to[states[move.process]]);
    extras.clocks.move(process, states);
}

}  // namespace stormproof::survival
