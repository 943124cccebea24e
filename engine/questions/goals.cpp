// Chooses the goals of the properties that are asked, and compiles them into masks.
#include "questions/goals.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace stormproof {
namespace {

template <class Visit>
void each_state(const Machine& m, Visit&& visit) {
    for (std::uint32_t p = 0; p < m.processes.size(); ++p)
        for (std::uint32_t x = 0; x < m.processes[p].states.size(); ++x) visit(p, x, m.processes[p].states[x]);
}

// Channels into which some sending state sends.
std::set<std::uint32_t> sent_into(const Machine& m) {
    std::set<std::uint32_t> found;
    each_state(m, [&](std::uint32_t, std::uint32_t, const StateInfo& info) {
        if (info.kind != StateKind::sending) return;
        for (auto i = info.first; i < info.end; ++i)
            if (is_send(m.instructions[i].op)) found.insert(m.instructions[i].channel);
    });
    return found;
}

// What sending states send, as (process, channel, letter).
std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> sends_of_sending_states(const Machine& m) {
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> found;
    each_state(m, [&](std::uint32_t p, std::uint32_t, const StateInfo& info) {
        if (info.kind != StateKind::sending) return;
        for (auto i = info.first; i < info.end; ++i)
            if (is_send(m.instructions[i].op)) found.insert({p, m.instructions[i].channel, m.instructions[i].letter});
    });
    return found;
}

std::set<std::pair<std::uint32_t, std::uint32_t>> wanted_sends(const Machine& m, const PropertySet& properties) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> found;
    each_state(m, [&](std::uint32_t, std::uint32_t, const StateInfo& info) {
        for (auto i = info.first; i < info.end; ++i) {
            const Instruction& s = m.instructions[i];
            const bool literal = properties.has(Property::exh_literal) && info.kind == StateKind::sending && is_send(s.op);
            const bool awaited = properties.has(Property::sibi) && !info.directed && is_receive(s.op);
            if (literal || awaited) found.insert({s.channel, s.letter});
        }
    });
    return found;
}

// Nothing is barred where the process has no faults: goals that bar the same are solved in one pass.
Barred faults_of(const Machine& m, std::uint32_t process) {
    for (const Instruction& s : m.instructions)
        if (s.process == process && s.fault) return {process, true};
    return {};
}

void add_receptions(const Machine& m, const PropertySet& properties, std::vector<Goal>& out) {
    for (std::uint32_t c = 0; c < m.channels.size(); ++c) {
        if (properties.has_any({Property::er, Property::er_up_to_crash}))
            for (std::uint32_t a = 0; a < m.channels[c].letters.size(); ++a)
                out.push_back({Goal::receive, c, a});
        if (properties.has(Property::wer) && !m.channels[c].letters.empty())
            out.push_back({Goal::taken, c});
    }
}

const StateInfo& target_of(const Machine& m, const Instruction& s) { return m.processes[s.process].states[s.target]; }

// Does this end the waiting of its process? A crash message that it sends does not.
bool proceeds(const Machine& m, const Instruction& s) {
    if (s.fault) return false;
    return is_receive(s.op) || (is_send(s.op) && !s.crash) || target_of(m, s).kind == StateKind::final;
}

bool fires_goal(const Machine& m, const Instruction& s, const Goal& goal) {
    switch (goal.kind) {
        case Goal::receive: return is_receive(s.op) && s.channel == goal.channel && s.letter == goal.letter;
        case Goal::taken: return is_receive(s.op) && s.channel == goal.channel;
        case Goal::room: return is_receive(s.op) && s.channel == goal.channel && !s.keeps;
        case Goal::proceeds: return s.process == goal.process && proceeds(m, s);
        case Goal::fires:
        case Goal::sent: return is_send(s.op) && s.channel == goal.channel && s.letter == goal.letter;
    }
    return false;
}

bool may_assume(const Machine& m, const Goal& goal) {
    if (goal.kind == Goal::room) return true;
    if (goal.kind == Goal::receive || goal.kind == Goal::taken) return m.channels[goal.channel].faithful;
    if (goal.kind != Goal::proceeds) return false;
    for (const StateInfo& info : m.processes[goal.process].states) {
        if (info.kind != StateKind::receiving) continue;
        for (auto i = info.first; i < info.end; ++i) {
            const Instruction& s = m.instructions[i];
            const bool stays = s.op == Op::never || s.fault || target_of(m, s).kind == StateKind::receiving;
            if (!stays && !fires_goal(m, s, goal)) return false;
        }
    }
    return true;
}

// Who sends the letter into the channel.
std::uint32_t sender_of(const Machine& m, std::uint32_t channel, std::uint32_t letter) {
    if (!m.mailboxes) return m.sender[channel];
    for (const Instruction& s : m.instructions)
        if (is_send(s.op) && s.channel == channel && s.letter == letter) return s.process;
    return none;
}

GoalSet::FullTest full_test(const Machine& m, std::uint32_t channel, std::uint64_t bit) {
    const ChannelLayout& ch = m.channels[channel];
    GoalSet::FullTest test{channel, 0, 0, 0, bit};
    if (ch.form == PackedForm::wide_queue) return test;
    test.word = ch.field.word;
    test.value = ch.full << ch.field.shift;
    // The top bit of a queue says that it is full; a length is full at k.
    test.mask = (ch.form == PackedForm::queue ? ch.full : ch.field.mask) << ch.field.shift;
    return test;
}

// Finds a head by arithmetic where the channel is one field.
void simplify(GoalSet::Heads& h, const ChannelLayout& ch) {
    h.field = ch.field;
    if (ch.form == PackedForm::queue) {
        h.one_field = true;
        h.low = (std::uint64_t{1} << ch.bits) - 1;
        h.letter.resize(h.low + 1);
    } else if (ch.form == PackedForm::length && ch.crash_letter == no_letter) {
        h.one_field = true;
        h.letter.assign(1, h.every);
    }
}

}  // namespace

std::vector<Goal> goals_of(const Machine& m, const PropertySet& properties) {
    std::vector<Goal> out;
    const bool exhaustive = properties.has_any({Property::exh, Property::exh_up_to_crash});
    if (exhaustive && m.mailboxes)
        for (const auto& [p, c, a] : sends_of_sending_states(m)) out.push_back({Goal::fires, c, a, p, {p, false}});
    if (exhaustive && !m.mailboxes)
        for (auto c : sent_into(m))
            if (!m.channels[c].faults.may_vanish()) out.push_back({Goal::room, c, 0, m.sender[c], {m.sender[c], false}});
    if (properties.has(Property::pg))
        for (std::uint32_t p = 0; p < m.processes.size(); ++p)
            for (const StateInfo& info : m.processes[p].states)
                if (info.kind == StateKind::receiving) {
                    out.push_back({Goal::proceeds, none, 0, p, faults_of(m, p)});
                    break;
                }
    add_receptions(m, properties, out);
    for (const auto& [c, a] : wanted_sends(m, properties)) out.push_back({Goal::sent, c, a, sender_of(m, c, a)});
    return out;
}

PropertySet properties_of(const Goal& goal) {
    switch (goal.kind) {
        case Goal::fires:
        case Goal::room: return {Property::exh, Property::exh_up_to_crash};
        case Goal::proceeds: return {Property::pg};
        case Goal::receive: return {Property::er, Property::er_up_to_crash};
        case Goal::taken: return {Property::wer};
        case Goal::sent: return {Property::exh_literal, Property::sibi};
    }
    return {};
}

bool needs_search(const Machine& m, const PropertySet& asked, Property property) {
    if (!asked.has(property)) return false;
    return (property == Property::obi && !m.one_receiver) || (property == Property::sibi && !m.one_sender);
}

Goal image_of(const Machine& m, const Automorphism& g, const Goal& goal) {
    Goal out = goal;
    if (goal.process != none) out.process = g.process[goal.process];
    if (goal.barred.process != none) out.barred.process = g.process[goal.barred.process];
    if (goal.channel == none) return out;
    out.channel = g.channel[goal.channel];
    const bool of_a_message = goal.kind == Goal::receive || goal.kind == Goal::sent || goal.kind == Goal::fires;
    const auto& letters = m.channels[goal.channel].letters;
    if (of_a_message)
        out.letter = m.channels[out.channel].letter_of[g.message_on(goal.channel, letters[goal.letter])];
    return out;
}

std::vector<std::vector<Goal>> grouped(const Machine& m, const std::vector<Goal>& goals,
                                       const std::vector<Automorphism>& group) {
    std::vector<std::vector<Goal>> out;
    std::set<Goal> done;
    for (const Goal& goal : goals) {
        if (done.contains(goal)) continue;
        std::vector<Goal> orbit{goal};
        for (std::size_t i = 0; i < orbit.size(); ++i)
            for (const Automorphism& g : group) {
                const Goal image = image_of(m, g, Goal(orbit[i]));
                if (std::find(orbit.begin(), orbit.end(), image) == orbit.end()) orbit.push_back(image);
            }
        if (orbit.size() > 64) return {};
        if (out.empty() || out.back().size() + orbit.size() > 64) out.emplace_back();
        out.back().insert(out.back().end(), orbit.begin(), orbit.end());
        done.insert(orbit.begin(), orbit.end());
    }
    return out;
}

GoalSet::GoalSet(const Machine& m, std::vector<Goal> chosen, const PropertySet& properties,
                 const std::vector<Automorphism>& group)
    : goals(std::move(chosen)) {
    for (const Automorphism& g : group) {
        images.emplace_back();
        for (const Goal& goal : goals) {
            const auto image = std::find(goals.begin(), goals.end(), image_of(m, g, goal));
            images.back().push_back(static_cast<std::uint8_t>(image - goals.begin()));
        }
    }
    fires.assign(m.instructions.size(), 0);
    keeps.assign(m.instructions.size(), ~std::uint64_t{0});
    std::vector<Heads> by_channel(m.channels.size());
    sent_bit.resize(m.channels.size());
    for (std::uint32_t c = 0; c < m.channels.size(); ++c) {
        by_channel[c].channel = c;
        by_channel[c].letter.assign(m.channels[c].letters.size(), 0);
        sent_bit[c].assign(m.channels[c].letters.size(), 0);
    }
    for (const auto& p : m.processes) state_needs.push_back({p.state, std::vector<StateNeed>(p.states.size())});
    for (std::size_t g = 0; g < goals.size(); ++g) {
        const Goal& goal = goals[g];
        const std::uint64_t bit = std::uint64_t{1} << g;
        for (std::size_t i = 0; i < m.instructions.size(); ++i)
            if (fires_goal(m, m.instructions[i], goal)) fires[m.instructions[i].same_as] |= bit;
        all |= bit;
        if (goal.barred == Barred{}) unbarred |= bit;
        if (may_assume(m, goal)) assumed |= bit;
        for (std::size_t i = 0; i < m.instructions.size(); ++i)
            if (goal.barred(m.instructions[i])) keeps[i] &= ~bit;
        if (goal.kind == Goal::sent) sent_bit[goal.channel][goal.letter] |= bit;
        if (goal.kind == Goal::receive) by_channel[goal.channel].letter[goal.letter] |= bit;
        if (goal.kind == Goal::taken)
            for (auto& mask : by_channel[goal.channel].letter) mask |= bit;
        if (goal.kind == Goal::receive || goal.kind == Goal::taken) by_channel[goal.channel].every |= bit;
        if (goal.kind == Goal::room) full_tests.push_back(full_test(m, goal.channel, bit));
        each_state(m, [&](std::uint32_t p, std::uint32_t x, const StateInfo& info) {
            StateNeed& need = state_needs[p].of_state[x];
            if (goal.kind == Goal::proceeds && goal.process == p && info.kind == StateKind::receiving)
                need.always |= bit;
            if (info.kind != StateKind::sending || goal.process != p) return;
            bool sends = false;
            for (auto i = info.first; i < info.end; ++i)
                sends = sends || (is_send(m.instructions[i].op) && m.instructions[i].channel == goal.channel &&
                                  (goal.kind == Goal::room || m.instructions[i].letter == goal.letter));
            if (sends && goal.kind == Goal::room) need.rooms |= bit;
            if (sends && goal.kind == Goal::fires) need.always |= bit;
            if (sends && goal.kind == Goal::sent && properties.has(Property::exh_literal)) need.always |= bit;
        });
    }
    std::erase_if(state_needs, [](const StateNeeds& process) {
        return std::all_of(process.of_state.begin(), process.of_state.end(),
                           [](const StateNeed& need) { return !need.always && !need.rooms; });
    });
    for (auto& h : by_channel) {
        if (!h.every) continue;
        simplify(h, m.channels[h.channel]);
        heads.push_back(std::move(h));
    }
}

}  // namespace stormproof
