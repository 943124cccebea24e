// Which configurations break which property, the first of them for each property, and a shortest run to it.
#pragma once

#include <optional>
#include <stdexcept>
#include <vector>

#include "explore.hpp"
#include "futures.hpp"
#include "goals.hpp"
#include "k_properties.hpp"
#include "slice.hpp"

namespace stormproof {

// What is wrong at one configuration.
struct Offence {
    std::uint32_t id = 0;
    std::size_t round = SIZE_MAX;
    std::uint32_t process = none, instruction = none, channel = none, letter = no_letter;
};

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

    End end_at(const Offence& offence) const {
        End out;
        if (offence.process != none) out.process = offence.process;
        if (offence.channel != none) out.channel = offence.channel;
        if (offence.instruction != none) out.transition = m.instructions[offence.instruction].transition;
        if (offence.letter != no_letter) out.message = m.channels[offence.channel].letters[offence.letter];
        const Config<W>& c = g.config(offence.id);
        out.states = states_of(m, c);
        for (std::uint32_t i = 0; i < m.channels.size(); ++i) out.contents.push_back(content_of(m.channels[i], c));
        return out;
    }

    // The i-th configuration of a shard in the order of breadth.
    std::uint32_t numbered(unsigned shard, std::uint64_t i) const {
        return g.reduced ? g.order[i] : g.number(shard, i);
    }

    static bool stopped(const Monitor& monitor) {
        const Stop why = monitor.over();
        return why != Stop::none && why != Stop::states;
    }

    bool crashed(std::uint32_t process, const Config<W>& c) const {
        const ProcessLayout& p = m.processes[process];
        return p.states[p.state.get(c.w)].crashed;
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
        const Config<W>& c = g.config(id);
        for (; unmet; unmet &= unmet - 1) {
            const Goal& goal = set.goals[static_cast<std::size_t>(std::countr_zero(unmet))];
            Offence o{id, round, goal.process, none, goal.channel, no_letter};
            switch (goal.kind) {
                case Goal::receive:
                    o.letter = goal.letter;
                    note(Property::er, o);
                    if (!crashed(m.receiver[goal.channel], c)) note(Property::er_up_to_crash, o);
                    break;
                case Goal::taken: {
                    each_head(m.channels[goal.channel], c, [&](std::uint32_t a) { o.letter = a; });
                    note(Property::wer, o);
                    break;
                }
                case Goal::proceeds: note(Property::pg, o); break;
                case Goal::sent:
                    name_send(o, c, goal.letter);
                    note(Property::exh_literal, o);
                    break;
                case Goal::room:
                    name_send(o, c, no_letter);
                    note(Property::exh, o);
                    if (!crashed(m.receiver[goal.channel], c)) note(Property::exh_up_to_crash, o);
            }
        }
    }

    // The first send of the process into that channel (of that letter, if given) in its present state.
    void name_send(Offence& o, const Config<W>& c, std::uint32_t letter) const {
        const ProcessLayout& p = m.processes[o.process];
        const StateInfo& info = p.states[p.state.get(c.w)];
        for (auto i = info.first; i < info.end && o.instruction == none; ++i)
            if (m.instructions[i].channel == o.channel && (letter == no_letter || m.instructions[i].letter == letter)) {
                o.instruction = i;
                o.letter = m.instructions[i].letter;
            }
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

    // ---- a content that a channel's packed form stands for ----------------------------------------------

    std::vector<std::uint32_t> content_of(const ChannelLayout& ch, const Config<W>& c) const {
        std::vector<std::uint32_t> out;
        if (ch.form == PackedForm::queue || ch.form == PackedForm::wide_queue) {
            read_queue(ch, c, out);
            for (auto& letter : out) letter = ch.letters[letter];
            return out;
        }
        const bool crash = ch.crash.get(c.w);
        if (ch.form == PackedForm::length) {
            const std::size_t any_letter = ch.crash_letter == 0 ? ch.letters.size() - 1 : 0;
            const std::uint32_t any = ch.letters.empty() ? 0 : ch.letters[any_letter];
            out.assign(ch.field.get(c.w) - crash, any);
        } else {
            for (std::uint32_t a = 0; a < ch.letters.size(); ++a)
                if (a != ch.crash_letter) out.insert(out.end(), ch.counts[a].get(c.w), ch.letters[a]);
        }
        if (crash) out.push_back(crash_message);
        return out;
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
