// Calm steps backwards: the configurations from which one calm step leads to a given one, reachable or not.
#pragma once

#include "steps/clocks.hpp"
#include "steps/faulty.hpp"

namespace stormproof::survival {

template <class Cell>
class CalmPredecessors {
  public:
    CalmPredecessors(const Rules& rules, const Layout& layout) : rules_(rules), layout_(layout), before_(layout.cells) {
        for (const Process& process : rules.system.processes) {
            into_.emplace_back(process.states);
            for (std::uint32_t t = 0; t < process.transitions.size(); ++t)
                into_.back()[process.transitions[t].target].push_back(t);
        }
    }

    // visit(step, row) for each predecessor with at most so many messages in a channel, and the step from it.
    template <class Visit>
    void each(const Cell* row, std::uint32_t bound, Visit&& visit) {
        const Pending& pending = rules_.question.pending;
        const Sets sets = pending.process == nothing ? Sets::nothing : sets_pending(rules_, RowView<Cell>{layout_, row});
        // A step into this configuration would have set another state.
        if (sets != Sets::nothing && row[pending.process] != pending.state_if(sets == Sets::pending)) return;
        for (std::uint32_t p = 0; p < rules_.system.processes.size(); ++p)
            for (const std::uint32_t number : into_[p][row[p]]) {
                const Transition& t = rules_.system.processes[p].transitions[number];
                std::memcpy(before_.data(), row, layout_.cells * sizeof(Cell));
                before_[p] = static_cast<Cell>(t.source);
                FaultyStep step;
                step.process = p;
                step.transition = number;
                const auto waiting = [&] {
                    visit(step, before_.data());
                    if (sets == Sets::nothing) return;
                    before_[pending.process] = static_cast<Cell>(1 - before_[pending.process]);
                    visit(step, before_.data());
                    before_[pending.process] = static_cast<Cell>(1 - before_[pending.process]);
                };
                const auto in_time = [&] { each_clock(p, number, waiting); };
                const auto found = [&] { each_before(rules_.question.extras.moves(p, number), 0, in_time); };
                if (rules_.question.extras.links.goes_nowhere(p, number, row)) found();
                else if (t.kind == TransitionKind::send) undo_send(t, found);
                else if (t.kind == TransitionKind::receive) undo_receive(t, bound, found);
                else if (rules_.question.marks[p][number] == unmarked) found();
            }
    }

  private:
    const Rules& rules_;
    const Layout& layout_;
    std::vector<std::vector<std::vector<std::uint32_t>>> into_;  // process -> state -> transitions that lead there
    std::vector<Cell> before_;

    // For all states of components, from the move `i` on, that the moves lead to the present ones.
    template <class Found>
    void each_before(const Moves& moves, std::size_t i, Found&& found) {
        if (i == moves.size()) return found();
        const Move& move = moves[i];
        const Cell after = before_[move.process];
        for (std::uint32_t state = 0; state < move.to.size(); ++state) {
            if (move.to[state] != after) continue;
            before_[move.process] = static_cast<Cell>(state);
            each_before(moves, i + 1, found);
        }
        before_[move.process] = after;
    }

    // For all times that the clock of the process, or all clocks, may have shown before the step.
    template <class Found>
    void each_clock(std::uint32_t p, std::uint32_t transition, Found&& found) {
        const Clocks& clocks = rules_.question.extras.clocks;
        if (clocks.passes(p)) return before_time_passed(transition, found);
        if (!clocks.counts(p)) return found();
        Cell& clock = before_[clocks.of[p]];
        if (clock != 0) return;
        for (; clock <= clocks.due[p][before_[p]]; ++clock)
            if (allowed(p, transition)) found();
        clock = 0;
    }
    template <class Found>
    void before_time_passed(std::uint32_t transition, Found&& found) {
        const Clocks& clocks = rules_.question.extras.clocks;
        for (std::uint32_t p = 0; p < clocks.of.size(); ++p)
            if (runs(p) && before_[clocks.of[p]]-- == 0) return;
        if (allowed(clocks.time, transition)) found();
    }
    bool runs(std::uint32_t p) const {
        const Clocks& clocks = rules_.question.extras.clocks;
        return clocks.of[p] != Clocks::none && clocks.due[p][before_[p]] > 0;
    }
    bool allowed(std::uint32_t p, std::uint32_t transition) const {
        const RowView<Cell> view{layout_, before_.data()};
        const bool internal = rules_.system.processes[p].transitions[transition].kind == TransitionKind::internal;
        return !internal || Moment<RowView<Cell>>(rules_, view).allows(p, transition);
    }

    // The message may be the last one; or nobody was interested in it, and there are others.
    template <class Found>
    void undo_send(const Transition& t, Found&& found) {
        Cell* length = before_.data() + layout_.channel[t.channel];
        if (*length == 0) return;
        const bool unseen = rules_.unseen(t.channel, before_[rules_.system.channels[t.channel].receiver]);
        if (unseen) found();
        if (length[*length] != t.message || (unseen && *length > 1)) return;
        length[*length] = 0;
        --*length;
        found();
    }

    template <class Found>
    void undo_receive(const Transition& t, std::uint32_t bound, Found&& found) {
        Cell* length = before_.data() + layout_.channel[t.channel];
        if (*length >= bound) return;
        std::memmove(length + 2, length + 1, *length * sizeof(Cell));
        length[1] = static_cast<Cell>(t.message);
        ++*length;
        found();
    }
};
extern template class CalmPredecessors<std::uint8_t>;
extern template class CalmPredecessors<std::uint16_t>;

}  // namespace stormproof::survival
