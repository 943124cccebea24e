// What is wrong at one configuration, and that configuration as Python gets it.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "questions/goals.hpp"
#include "questions/k_properties.hpp"

namespace stormproof {

// What is wrong at one configuration.
struct Offence {
    std::uint32_t id = 0;
    std::size_t round = SIZE_MAX;
    std::uint32_t process = none, instruction = none, channel = none, letter = no_letter;
};

template <unsigned W>
bool crashed(const Machine& m, std::uint32_t process, const Config<W>& c) {
    const ProcessLayout& p = m.processes[process];
    return p.states[p.state.get(c.w)].crashed;
}

// Names the first send of the process into that channel (of that letter, if given) in its present state.
template <unsigned W>
void name_send(const Machine& m, Offence& o, const Config<W>& c, std::uint32_t letter) {
    const ProcessLayout& p = m.processes[o.process];
    const StateInfo& info = p.states[p.state.get(c.w)];
    for (auto i = info.first; i < info.end && o.instruction == none; ++i)
        if (m.instructions[i].channel == o.channel && (letter == no_letter || m.instructions[i].letter == letter)) {
            o.instruction = i;
            o.letter = m.instructions[i].letter;
        }
}

// The properties that the unmet goals of a configuration violate: note(property, offence).
template <unsigned W, class Note>
void each_offence(const Machine& m, const GoalSet& set, std::uint64_t unmet, const Config<W>& c, Note&& note) {
    for (; unmet; unmet &= unmet - 1) {
        const Goal& goal = set.goals[static_cast<std::size_t>(std::countr_zero(unmet))];
        Offence o;
        o.process = goal.process;
        o.channel = goal.channel;
        switch (goal.kind) {
            case Goal::receive:
                o.letter = goal.letter;
                note(Property::er, o);
                if (!crashed(m, m.receiver[goal.channel], c)) note(Property::er_up_to_crash, o);
                break;
            case Goal::taken:
                each_head(m.channels[goal.channel], c, [&](std::uint32_t a) { o.letter = a; });
                note(Property::wer, o);
                break;
            case Goal::proceeds: note(Property::pg, o); break;
            case Goal::sent:
                name_send(m, o, c, goal.letter);
                note(Property::exh_literal, o);
                break;
            case Goal::fires:
            case Goal::room:
                name_send(m, o, c, goal.kind == Goal::fires ? goal.letter : no_letter);
                note(Property::exh, o);
                if (!crashed(m, m.receiver[goal.channel], c)) note(Property::exh_up_to_crash, o);
        }
    }
}

// k-obi (definitions 3.7): some sends of a state can fire within the bound and others cannot. note(offence)
template <unsigned W, class Note>
void each_obi_offence(const Machine& m, const Config<W>& c, Note&& note) {
    for (std::uint32_t p = 0; p < m.processes.size(); ++p) {
        const StateInfo& info = m.processes[p].states[m.processes[p].state.get(c.w)];
        bool can = false;
        std::uint32_t cannot = none;
        for (auto i = info.first; i < info.last; ++i) {
            if (!is_send(m.instructions[i].op)) continue;
            if (enabled(m, m.instructions[i], c)) can = true;
            else if (cannot == none) cannot = i;
        }
        if (can && cannot != none)
            note(Offence{.process = p, .instruction = cannot, .channel = m.instructions[cannot].channel,
                         .letter = m.instructions[cannot].letter});
    }
}

// Is this a reception that a process takes instead of one from another process? Only those concern k-sibi.
template <unsigned W>
bool chooses_sender(const Machine& m, const Instruction& s, const Config<W>& c) {
    const ProcessLayout& p = m.processes[s.process];
    return is_receive(s.op) && !p.states[p.state.get(c.w)].directed;
}

// k-sibi (definitions 3.8) of an enabled reception that chooses its sender: another one of that state, from another process,
// is enabled as well, or waits for a message that can still be sent afterwards. later(channel, letter); note(offence)
template <unsigned W, class Later, class Note>
void each_sibi_offence(const Machine& m, const Config<W>& c, const Instruction& taken, Later&& later, Note&& note) {
    const ProcessLayout& p = m.processes[taken.process];
    const StateInfo& info = p.states[p.state.get(c.w)];
    for (auto i = info.first; i < info.last; ++i) {
        const Instruction& other = m.instructions[i];
        if (!is_receive(other.op) || other.channel == taken.channel) continue;
        if (enabled(m, other, c) || later(other.channel, other.letter))
            note(Offence{.process = taken.process, .instruction = i, .channel = other.channel, .letter = other.letter});
    }
}

// A content that a channel's packed form stands for.
template <unsigned W>
std::vector<std::uint32_t> content_of(const ChannelLayout& ch, const Config<W>& c) {
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

template <unsigned W>
End end_of(const Machine& m, const Config<W>& c, const Offence& offence) {
    End out;
    if (offence.process != none) out.process = offence.process;
    if (offence.channel != none) out.channel = offence.channel;
    if (offence.instruction != none) out.transition = m.instructions[offence.instruction].transition;
    if (offence.letter != no_letter) out.message = m.channels[offence.channel].letters[offence.letter];
    for (const ProcessLayout& p : m.processes) out.states.push_back(static_cast<std::uint32_t>(p.state.get(c.w)));
    for (const ChannelLayout& channel : m.channels) out.contents.push_back(content_of(channel, c));
    return out;
}

}  // namespace stormproof
