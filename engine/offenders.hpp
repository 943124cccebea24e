// Which configurations break which property, the first of them for each property, and a shortest run to it.
#pragma once

#include <optional>
#include <stdexcept>
#include <vector>

#include "explore.hpp"
#include "futures.hpp"
#include "goals.hpp"
#include "k_properties.hpp"
#include "offence.hpp"
#include "slice.hpp"

namespace stormproof {

template <unsigned W>
class Offenders {
  public:
    Offenders(const Graph<W>& graph, const Question& question)
        : g(graph), m(graph.m), q(question) {}

    PerProperty<std::optional<Offence>> first;

    // Adds the offences that one solved set of goals shows. Among the configurations of one round the smallest is
    // chosen, so that the answer does not depend on threads.
    bool collect(const GoalSet& set, const Futures<W>& futures, bool sibi_asked, Monitor& monitor) {
        level_ = levels(g);
        std::uint64_t turn = 0;
        for (std::size_t r = 0; r < g.rounds.size(); ++r)
            for (unsigned s = 0; s < g.shards.size(); ++s)
                for (std::uint64_t i = g.rounds[r].begin[s]; i < g.rounds[r].end[s]; ++i) {
                    if (++turn % 65536 == 0 && stopped(monitor)) return false;
                    const std::uint32_t id = numbered(s, i);
                    const std::uint64_t unmet = futures.unmet_at(id);
                    if (unmet) judge(set, unmet, id, r);
                    if (sibi_asked) judge_sibi(set, futures, id, r);
                }
        return true;
    }

    // k-obi needs no goals: some sends of a state can fire within the bound and others cannot.
    bool collect_obi(Monitor& monitor) {
        level_ = levels(g);
        std::uint64_t turn = 0;
        for (std::size_t r = 0; r < g.rounds.size(); ++r)
            for (unsigned s = 0; s < g.shards.size(); ++s)
                for (std::uint64_t i = g.rounds[r].begin[s]; i < g.rounds[r].end[s]; ++i) {
                    if (++turn % 65536 == 0 && stopped(monitor)) return false;
                    judge_obi(numbered(s, i), r);
                }
        return true;
    }

    Violation violation(Property property) const {
        const Offence& offence = *first[property];
        Violation out;
        out.property = property;
        out.shortest = !g.reduced;
        out.firings = run_to(offence.id, offence.round);
        out.end = end_at(offence);
        if (q.every_end) {
            for (const Offence& other : nearest_[property]) out.ends.push_back(end_at(other));
            return out;
        }
        if (g.reduced || nearest_[property].size() > q.max_ends) return out;
        std::vector<std::uint32_t> ids;
        for (const Offence& other : nearest_[property]) ids.push_back(other.id);
        out.controls = Slice<W>(g).controls(ids, level_[offence.round], q.slice_budget);
        if (out.controls.empty()) return out;
        for (const Offence& other : nearest_[property]) out.ends.push_back(end_at(other));
        return out;
    }

  private:
    const Graph<W>& g;
    const Machine& m;
    const Question& q;
    std::vector<std::uint32_t> level_;  // of each round
    PerProperty<std::vector<Offence>> nearest_;  // all of the least level or, on request, all; max_ends + 1 at most

    End end_at(const Offence& offence) const { return end_of(m, g.config(offence.id), offence); }

    // The i-th configuration of a shard in the order of breadth.
    std::uint32_t numbered(unsigned shard, std::uint64_t i) const {
        return g.reduced ? g.order[i] : g.number(shard, i);
    }

    static bool stopped(const Monitor& monitor) {
        const Stop why = monitor.over();
        return why != Stop::none && why != Stop::states;
    }

    void note(Property property, const Offence& offence) {
        if (!q.properties.has(property)) return;
        std::optional<Offence>& best = first[property];
        std::vector<Offence>& nearest = nearest_[property];
        if (!q.every_end && best && level_[offence.round] > level_[best->round]) return;
        if (!q.every_end && best && level_[offence.round] < level_[best->round]) nearest.clear();
        if (nearest.size() <= q.max_ends) nearest.push_back(offence);
        if (!best || offence.round < best->round ||
            (offence.round == best->round && g.config(offence.id) < g.config(best->id)))
            best = offence;
    }

    void judge(const GoalSet& set, std::uint64_t unmet, std::uint32_t id, std::size_t round) {
        each_offence(m, set, unmet, g.config(id), [&](Property property, Offence offence) {
            offence.id = id;
            offence.round = round;
            note(property, offence);
        });
    }

    void judge_obi(std::uint32_t id, std::size_t round) {
        const Config<W>& c = g.config(id);
        for (std::uint32_t p = 0; p < m.processes.size(); ++p) {
            const StateInfo& info = m.processes[p].states[m.processes[p].state.get(c.w)];
            bool can = false;
            std::uint32_t cannot = none;
            for (auto i = info.first; i < info.last; ++i) {
                if (!is_send(m.instructions[i].op)) continue;
                if (enabled(m, m.instructions[i], c)) can = true;
                else if (cannot == none) cannot = i;
            }
            if (!can || cannot == none) continue;
            note(Property::obi, {id, round, p, cannot, m.instructions[cannot].channel, m.instructions[cannot].letter});
        }
    }

    // `q->p?a` is enabled, and another reception of p, from another process, is enabled as well or waits for a
    // message that can still be sent afterwards.
    void judge_sibi(const GoalSet& set, const Futures<W>& futures, std::uint32_t id, std::size_t round) {
        const Config<W>& c = g.config(id);
        g.each_step(
            id,
            [&](std::uint32_t number, const Instruction& instruction, std::uint32_t to) {
                if (is_send(instruction.op) || instruction.op == Op::internal) return;
                const ProcessLayout& p = m.processes[instruction.process];
                const StateInfo& info = p.states[p.state.get(c.w)];
                if (info.directed) return;
                for (auto i = info.first; i < info.last; ++i) {
                    const Instruction& other = m.instructions[i];
                    if (i == number || is_send(other.op) || other.op == Op::internal || other.op == Op::never) continue;
                    if (other.channel == instruction.channel) continue;
                    if (enabled(m, other, c) || (futures.of(to) & set.sent_bit[other.channel][other.letter]))
                        note(Property::sibi, {id, round, instruction.process, i, other.channel, other.letter});
                }
            },
            [](std::uint32_t) {});
    }

    // ---- the run ---------------------------------------------------------------------------------------

    // Backwards: a configuration of a silent round has a silent predecessor in the round before; any other
    // has a predecessor by an action in the level before, as early a round of it as possible: fewer faults.
    std::vector<Firing> run_to(std::uint32_t id, std::size_t round) const {
        std::vector<Firing> firings;
        if (g.reduced) return run_by_parents(id);
        while (round > 0) {
            if (g.rounds[round].silent) {
                id = predecessor(id, --round, true, firings).value();
                continue;
            }
            std::size_t start = round - 1;
            while (g.rounds[start].silent) --start;
            std::optional<std::uint32_t> before;
            for (std::size_t r = start; r < round && !before; ++r) {
                before = predecessor(id, r, false, firings);
                if (before) start = r;
            }
            id = before.value();
            round = start;
        }
        return {firings.rbegin(), firings.rend()};
    }

    std::vector<Firing> run_by_parents(std::uint32_t id) const {
        std::vector<Firing> firings;
        for (; id != 0; id = g.parents[id]) {
            bool found = false;
            g.each_step(
                g.parents[id],
                [&](std::uint32_t, const Instruction& instruction, std::uint32_t to) {
                    if (found || to != id) return;
                    found = true;
                    firings.push_back({instruction.process, instruction.transition});
                },
                [](std::uint32_t) {});
        }
        return {firings.rbegin(), firings.rend()};
    }

    // The smallest configuration of a round that has such a step to `id`; its firing is added.
    std::optional<std::uint32_t> predecessor(std::uint32_t id, std::size_t round, bool silent,
                                             std::vector<Firing>& firings) const {
        std::optional<std::uint32_t> found;
        Firing firing;
        for (unsigned s = 0; s < g.shards.size(); ++s)
            for (std::uint64_t i = g.rounds[round].begin[s]; i < g.rounds[round].end[s]; ++i) {
                const std::uint32_t from = g.number(s, i);
                bool leads = false;
                g.each_edge(from, [&](std::uint32_t to) { leads = leads || to == id; });
                if (!leads || (found && !(g.config(from) < g.config(*found)))) continue;
                bool right = false;
                g.each_step(
                    from,
                    [&](std::uint32_t, const Instruction& instruction, std::uint32_t to) {
                        if (silent || right || to != id) return;
                        right = true;
                        firing = {instruction.process, instruction.transition};
                    },
                    [&](std::uint32_t to) { right = right || (silent && to == id); });
                if (right) found = from;
            }
        if (found && !silent) firings.push_back(firing);
        return found;
    }
};

}  // namespace stormproof
