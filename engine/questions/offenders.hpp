// Which configurations break which property, the first of them for each property, and a shortest run to it.
#pragma once

#include <optional>
#include <stdexcept>
#include <vector>

#include "questions/goals.hpp"
#include "questions/k_properties.hpp"
#include "questions/offence.hpp"
#include "search/explore.hpp"
#include "search/futures.hpp"

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
        return each_in_order(monitor, [&](std::uint32_t id, std::size_t round) {
            const std::uint64_t unmet = futures.unmet_at(id);
            if (unmet) judge(set, unmet, id, round);
            if (sibi_asked) judge_sibi(set, futures, id, round);
        });
    }

    // k-obi needs no goals.
    bool collect_obi(Monitor& monitor) {
        return each_in_order(monitor, [&](std::uint32_t id, std::size_t round) { judge_obi(id, round); });
    }

    Violation violation(Property property) const {
        const Offence& offence = *first[property];
        Violation out;
        out.property = property;
        out.shortest = !g.reduced;
        const std::vector<Taken> taken = run_to(offence.id, offence.round);
        const Shown shown = shown_run(taken);
        out.firings = shown.firings;
        out.end = g.symmetry ? image_of(shown.back, end_at(offence)) : end_at(offence);
        if (q.every_end)
            for (const Offence& other : every_[property]) out.ends.push_back(end_at(other));
        return out;
    }

  private:
    const Graph<W>& g;
    const Machine& m;
    const Question& q;
    PerProperty<std::vector<Offence>> every_;  // on request; max_ends + 1 at most

    End end_at(const Offence& offence) const { return end_of(m, g.config(offence.id), offence); }

    // Every configuration, breadth first: visit(number, round); false: a limit was hit.
    template <class Visit>
    bool each_in_order(const Monitor& monitor, Visit&& visit) {
        std::uint64_t lookups = 0;
        const std::vector<Round>& rounds = g.breadth_first_rounds();
        for (std::size_t r = 0; r < rounds.size(); ++r)
            for (unsigned s = 0; s < rounds[r].begin.size(); ++s)
                for (std::uint64_t i = rounds[r].begin[s]; i < rounds[r].end[s]; ++i) {
                    if (++lookups % 4096 == 0 && stopped(monitor)) return false;
                    visit(g.reduced ? g.order[i] : g.number(s, i), r);
                }
        return true;
    }

    static bool stopped(const Monitor& monitor) {
        const Stop why = monitor.over();
        return why != Stop::none && why != Stop::states;
    }

    void note(Property property, const Offence& offence) {
        if (!q.properties.has(property)) return;
        std::optional<Offence>& best = first[property];
        if (q.every_end && every_[property].size() <= q.max_ends) every_[property].push_back(offence);
        if (!best || offence.round < best->round ||
            (offence.round == best->round && g.config(offence.id) < g.config(best->id)))
            best = offence;
    }

    void note_at(std::uint32_t id, std::size_t round, Property property, Offence offence) {
        offence.id = id;
        offence.round = round;
        note(property, offence);
    }

    void judge(const GoalSet& set, std::uint64_t unmet, std::uint32_t id, std::size_t round) {
        each_offence(m, set, unmet, g.config(id),
                     [&](Property property, const Offence& offence) { note_at(id, round, property, offence); });
    }

    void judge_obi(std::uint32_t id, std::size_t round) {
        each_obi_offence(m, g.config(id), [&](const Offence& offence) { note_at(id, round, Property::obi, offence); });
    }

    void judge_sibi(const GoalSet& set, const Futures<W>& futures, std::uint32_t id, std::size_t round) {
        const Config<W>& c = g.config(id);
        g.each_permuted_step(
            id,
            [&](std::uint32_t, const Instruction& taken, std::uint32_t to, std::uint32_t permutation) {
                if (!chooses_sender(m, taken, c)) return;
                const std::uint64_t after = set.before(permutation, futures.of(to));
                const auto later = [&](std::uint32_t channel, std::uint32_t letter) { return after & set.sent_bit[channel][letter]; };
                each_sibi_offence(m, c, taken, later,
                                  [&](const Offence& offence) { note_at(id, round, Property::sibi, offence); });
            },
            [](std::uint32_t, std::uint32_t) {});
    }

    // ---- the run ---------------------------------------------------------------------------------------

    // A step of a run: from where, and its instruction, or none for a silent fault.
    struct Taken {
        std::uint32_t from = 0, instruction = none, to = 0;
    };

    // Backwards: a configuration of a silent round has a silent predecessor in the round before; any other
    // has a predecessor by an action in the level before, as early a round of it as possible: fewer faults.
    std::vector<Taken> run_to(std::uint32_t id, std::size_t round) const {
        std::vector<Taken> taken;
        if (g.reduced) return run_by_parents(id);
        while (round > 0) {
            if (g.rounds[round].silent) {
                id = predecessor(id, --round, true, taken).value();
                continue;
            }
            std::size_t start = round - 1;
            while (g.rounds[start].silent) --start;
            std::optional<std::uint32_t> before;
            for (std::size_t r = start; r < round && !before; ++r) {
                before = predecessor(id, r, false, taken);
                if (before) start = r;
            }
            id = before.value();
            round = start;
        }
        return {taken.rbegin(), taken.rend()};
    }

    std::vector<Taken> run_by_parents(std::uint32_t id) const {
        std::vector<Taken> taken;
        for (; id != 0; id = taken.back().from) {
            Taken step{g.shards[g.shard_of(id)].parents[g.local(id)] - 1, none, id};
            g.each_step(
                step.from,
                [&](std::uint32_t number, const Instruction&, std::uint32_t to) {
                    if (step.instruction == none && to == id) step.instruction = number;
                },
                [](std::uint32_t) {});
            taken.push_back(step);
        }
        return {taken.rbegin(), taken.rend()};
    }

    // The run as the user's processes take it, and the permutation from its end in the graph to the user's.
    struct Shown {
        std::vector<Firing> firings;
        Automorphism back;
    };

    Shown shown_run(const std::vector<Taken>& taken) const {
        Shown out;
        if (g.symmetry) out.back = g.symmetry->group().front();
        for (const Taken& step : taken) {
            if (step.instruction != none) {
                const Instruction& s = m.instructions[step.instruction];
                out.firings.push_back(g.symmetry ? Firing{out.back.process[s.process], out.back.transition[s.process][s.transition]}
                                              : Firing{s.process, s.transition});
            }
            if (g.symmetry) out.back = compose(out.back, inverse(g.symmetry->group()[permutation_after(step)]));
        }
        return out;
    }

    std::uint32_t permutation_after(const Taken& step) const {
        const Config<W>& c = g.config(step.from);
        if (step.instruction != none) return g.permutation_of(perform(m, m.instructions[step.instruction], c));
        std::uint32_t permutation = 0;
        bool found = false;
        each_silent(m, c, [&](Config<W> n) {
            const std::uint32_t t = g.symmetry->canonical(n);
            if (!found && n == g.config(step.to)) permutation = t;
            found = found || n == g.config(step.to);
        });
        return permutation;
    }

    // ---- symmetry: what holds of one configuration holds of its orbit ---------------------------------------

    static End image_of(const Automorphism& g, const End& end) {
        End out = end;
        for (std::size_t p = 0; p < end.states.size(); ++p) out.states[g.process[p]] = g.state[p][end.states[p]];
        for (std::uint32_t c = 0; c < end.contents.size(); ++c) {
            auto& content = out.contents[g.channel[c]] = end.contents[c];
            for (auto& message : content) message = g.message_on(c, message);
        }
        if (end.message) out.message = g.message_on(*end.channel, *end.message);
        if (end.transition) out.transition = g.transition[*end.process][*end.transition];
        if (end.process) out.process = g.process[*end.process];
        if (end.channel) out.channel = g.channel[*end.channel];
        return out;
    }

    // The smallest configuration of a round that has such a step to `id`; the step is added.
    std::optional<std::uint32_t> predecessor(std::uint32_t id, std::size_t round, bool silent,
                                             std::vector<Taken>& taken) const {
        std::optional<std::uint32_t> found;
        Taken step;
        for (unsigned s = 0; s < g.shards.size(); ++s)
            for (std::uint64_t i = g.rounds[round].begin[s]; i < g.rounds[round].end[s]; ++i) {
                const std::uint32_t from = g.number(s, i);
                bool leads = false;
                g.each_edge(from, [&](std::uint32_t to) { leads = leads || to == id; });
                if (!leads || (found && !(g.config(from) < g.config(*found)))) continue;
                bool right = false;
                g.each_step(
                    from,
                    [&](std::uint32_t number, const Instruction&, std::uint32_t to) {
                        if (silent || right || to != id) return;
                        right = true;
                        step = {from, number, id};
                    },
                    [&](std::uint32_t to) { right = right || (silent && to == id); });
                if (right && silent) step = {from, none, id};
                if (right) found = from;
            }
        if (found) taken.push_back(step);
        return found;
    }
};

}  // namespace stormproof
