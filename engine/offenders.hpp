// Which configurations break which property, the first of them for each property, and a shortest run to it.
#pragma once

#include <array>
#include <optional>
#include <stdexcept>
#include <vector>

#include "explore.hpp"
#include "futures.hpp"
#include "goals.hpp"
#include "kproperties.hpp"
#include "slice.hpp"

namespace stormproof {

// What is wrong at one configuration.
struct Offence {
    std::uint32_t id = 0;
    std::size_t round = SIZE_MAX;
    std::uint32_t process = nobody, step = nobody, channel = nobody, letter = no_letter;
};

template <unsigned W>
class Offenders {
  public:
    Offenders(const Graph<W>& graph, const Question& question)
        : g(graph), m(graph.m), q(question) {}

    std::array<std::optional<Offence>, property_count> first;

    // Adds the offences that one solved set of goals shows. Among configurations of one round the smallest
    // counts, so that the answer does not depend on threads.
    bool collect(const GoalSet& set, const Futures<W>& futures, bool sibi_asked, Monitor& monitor) {
        level_ = levels(g);
        std::uint64_t turn = 0;
        for (std::size_t r = 0; r < g.rounds.size(); ++r)
            for (unsigned s = 0; s < 2; ++s)
                for (std::uint64_t i = g.rounds[r].begin[s]; i < g.rounds[r].end[s]; ++i) {
                    if (++turn % 65536 == 0 && stopped(monitor)) return false;
                    const std::uint32_t id = numbered(s, i);
                    const std::uint64_t unmet = futures.unmet_at(id);
                    if (unmet) judge(set, unmet, id, r);
                    if (sibi_asked) judge_sibi(set, futures, id, r);
                }
        return true;
    }

    // k-obi needs no future: some sends of a state can fire within the bound and others cannot.
    bool collect_obi(Monitor& monitor) {
        level_ = levels(g);
        std::uint64_t turn = 0;
        for (std::size_t r = 0; r < g.rounds.size(); ++r)
            for (unsigned s = 0; s < 2; ++s)
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
        out.moves = run_to(offence.id, offence.round);
        out.end = end_at(offence);
        if (g.reduced || nearest_[property].size() > q.most_ends) return out;
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
    std::array<std::vector<Offence>, property_count> nearest_;  // all of the least level, or one too many

    End end_at(const Offence& offence) const {
        End out;
        out.process = offence.process;
        out.channel = offence.channel;
        if (offence.step != nobody) out.transition = m.steps[offence.step].transition;
        if (offence.letter != no_letter) out.message = m.channels[offence.channel].letters[offence.letter];
        const Config<W>& c = g.config(offence.id);
        out.states = states_of(m, c);
        for (std::uint32_t i = 0; i < m.channels.size(); ++i) out.words.push_back(word_of(m.channels[i], c));
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
        return p.states[p.state.get(c)].crashed;
    }

    void note(Property property, const Offence& offence) {
        if (!(q.properties >> property & 1)) return;
        std::optional<Offence>& best = first[property];
        std::vector<Offence>& nearest = nearest_[property];
        if (best && level_[offence.round] > level_[best->round]) return;
        if (best && level_[offence.round] < level_[best->round]) nearest.clear();
        if (nearest.size() <= q.most_ends) nearest.push_back(offence);
        if (!best || offence.round < best->round ||
            (offence.round == best->round && g.config(offence.id) < g.config(best->id)))
            best = offence;
    }

    void judge(const GoalSet& set, std::uint64_t unmet, std::uint32_t id, std::size_t round) {
        const Config<W>& c = g.config(id);
        for (; unmet; unmet &= unmet - 1) {
            const Goal& goal = set.goals[static_cast<std::size_t>(std::countr_zero(unmet))];
            Offence o{id, round, goal.process, nobody, goal.channel, no_letter};
            switch (goal.kind) {
                case Goal::receive:
                    o.letter = goal.letter;
                    note(er, o);
                    if (!crashed(m.receiver[goal.channel], c)) note(er_up_to_crash, o);
                    break;
                case Goal::taken: {
                    each_head(m.channels[goal.channel], c, [&](std::uint32_t a) { o.letter = a; });
                    note(wer, o);
                    break;
                }
                case Goal::receives: note(pg, o); break;
                case Goal::sent:
                    name_send(o, c, goal.letter);
                    note(exh_literal, o);
                    break;
                case Goal::room:
                    name_send(o, c, no_letter);
                    note(exh, o);
                    if (!crashed(m.receiver[goal.channel], c)) note(exh_up_to_crash, o);
            }
        }
    }

    // The first send of the process into that channel (of that letter, if given) in its present state.
    void name_send(Offence& o, const Config<W>& c, std::uint32_t letter) const {
        const ProcessLayout& p = m.processes[o.process];
        const StateInfo& info = p.states[p.state.get(c)];
        for (auto i = info.first; i < info.end && o.step == nobody; ++i)
            if (m.steps[i].channel == o.channel && (letter == no_letter || m.steps[i].letter == letter)) {
                o.step = i;
                o.letter = m.steps[i].letter;
            }
    }

    static bool is_send(const Step& s) {
        return s.op == Op::send_length || s.op == Op::send_word || s.op == Op::send_wide || s.op == Op::send_bag;
    }

    void judge_obi(std::uint32_t id, std::size_t round) {
        const Config<W>& c = g.config(id);
        for (std::uint32_t p = 0; p < m.processes.size(); ++p) {
            const StateInfo& info = m.processes[p].states[m.processes[p].state.get(c)];
            bool can = false;
            std::uint32_t cannot = nobody;
            for (auto i = info.first; i < info.last; ++i) {
                if (!is_send(m.steps[i])) continue;
                if (enabled(m, m.steps[i], c)) can = true;
                else if (cannot == nobody) cannot = i;
            }
            if (!can || cannot == nobody) continue;
            note(obi, {id, round, p, cannot, m.steps[cannot].channel, m.steps[cannot].letter});
        }
    }

    // `q->p?a` can be taken, and another reception of p, from another process, can be taken as well or waits
    // for a message that can still be sent afterwards.
    void judge_sibi(const GoalSet& set, const Futures<W>& futures, std::uint32_t id, std::size_t round) {
        const Config<W>& c = g.config(id);
        g.each_step(
            id,
            [&](std::uint32_t number, const Step& step, std::uint32_t to) {
                if (is_send(step) || step.op == Op::internal) return;
                const ProcessLayout& p = m.processes[step.process];
                const StateInfo& info = p.states[p.state.get(c)];
                if (info.directed) return;
                for (auto i = info.first; i < info.last; ++i) {
                    const Step& other = m.steps[i];
                    if (i == number || is_send(other) || other.op == Op::internal || other.op == Op::never) continue;
                    if (other.channel == step.channel) continue;
                    if (enabled(m, other, c) || (futures.of(to) & set.sent_bit[other.channel][other.letter]))
                        note(sibi, {id, round, step.process, i, other.channel, other.letter});
                }
            },
            [](std::uint32_t) {});
    }

    // ---- a word that a channel's form stands for --------------------------------------------------------

    std::vector<std::uint32_t> word_of(const ChannelLayout& ch, const Config<W>& c) const {
        std::vector<std::uint32_t> out;
        if (ch.form == Form::word || ch.form == Form::wide) {
            read_word(ch, c, out);
            for (auto& letter : out) letter = ch.letters[letter];
            return out;
        }
        const bool crash = ch.crash.get(c);
        if (ch.form == Form::length) {
            const std::uint32_t any = ch.letters.empty() ? 0 : ch.letters[ch.crash_letter == 0 ? ch.letters.size() - 1 : 0];
            out.assign(ch.field.get(c) - crash, any);
        } else {
            for (std::uint32_t a = 0; a < ch.letters.size(); ++a)
                if (a != ch.crash_letter) out.insert(out.end(), ch.counts[a].get(c), ch.letters[a]);
        }
        if (crash) out.push_back(crash_message);
        return out;
    }

    // ---- the run ---------------------------------------------------------------------------------------

    using Moves = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

    // Backwards: a configuration of a silent round has a silent predecessor in the round before; any other
    // has a predecessor by an action in the level before, as early a round of it as possible: fewer faults.
    Moves run_to(std::uint32_t id, std::size_t round) const {
        Moves moves;
        if (g.reduced) return run_by_parents(id);
        while (round > 0) {
            if (g.rounds[round].silent) {
                id = predecessor(id, --round, true, moves).value();
                continue;
            }
            std::size_t start = round - 1;
            while (g.rounds[start].silent) --start;
            std::optional<std::uint32_t> before;
            for (std::size_t r = start; r < round && !before; ++r) {
                before = predecessor(id, r, false, moves);
                if (before) start = r;
            }
            id = before.value();
            round = start;
        }
        return {moves.rbegin(), moves.rend()};
    }

    Moves run_by_parents(std::uint32_t id) const {
        Moves moves;
        for (; id != 0; id = g.parents[id]) {
            bool found = false;
            g.each_step(
                g.parents[id],
                [&](std::uint32_t, const Step& step, std::uint32_t to) {
                    if (found || to != id) return;
                    found = true;
                    moves.push_back({step.process, step.transition});
                },
                [](std::uint32_t) {});
        }
        return {moves.rbegin(), moves.rend()};
    }

    // The smallest configuration of a round that has such a step to `id`; its move is added.
    std::optional<std::uint32_t> predecessor(std::uint32_t id, std::size_t round, bool silent, Moves& moves) const {
        std::optional<std::uint32_t> found;
        std::pair<std::uint32_t, std::uint32_t> move;
        for (unsigned s = 0; s < 2; ++s)
            for (std::uint64_t i = g.rounds[round].begin[s]; i < g.rounds[round].end[s]; ++i) {
                const std::uint32_t from = g.number(s, i);
                bool leads = false;
                g.each_edge(from, [&](std::uint32_t to) { leads = leads || to == id; });
                if (!leads || (found && !(g.config(from) < g.config(*found)))) continue;
                bool right = false;
                g.each_step(
                    from,
                    [&](std::uint32_t, const Step& step, std::uint32_t to) {
                        if (silent || right || to != id) return;
                        right = true;
                        move = {step.process, step.transition};
                    },
                    [&](std::uint32_t to) { right = right || (silent && to == id); });
                if (right) found = from;
            }
        if (found && !silent) moves.push_back(move);
        return found;
    }
};

}  // namespace stormproof
