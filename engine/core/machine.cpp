// Chooses the packed form of each channel, places the fields and compiles the transitions into instructions.
#include "core/machine.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "core/placement.hpp"

namespace stormproof {
namespace {

// The messages that can ever be in a channel: those sent there, and what they may become.
std::vector<std::uint32_t> possible_messages(const System& system, std::uint32_t channel) {
    std::set<std::uint32_t> found;
    for (const Process& p : system.processes)
        for (const Transition& t : p.transitions)
            if (t.kind == ActionKind::send && t.channel == channel) found.insert(t.message);
    const Channel& ch = system.channels[channel];
    std::set<std::uint32_t> all = found;
    for (auto message : found)
        if (message != crash_message) all.insert(ch.faults.becomes[message].begin(), ch.faults.becomes[message].end());
    return {all.begin(), all.end()};
}

// Corruption turns every message that can be in the channel into every other one.
bool all_alike(const Channel& ch, const std::vector<std::uint32_t>& messages) {
    for (auto a : messages)
        for (auto b : messages) {
            if (a == b || a == crash_message || b == crash_message) continue;
            if (!ch.faults.may_become(a, b)) return false;
        }
    return true;
}

ChannelFaults faults_in_letters(const ChannelFaults& faults, const ChannelLayout& layout) {
    std::vector<std::vector<std::uint32_t>> becomes;
    if (layout.form == PackedForm::length || !faults.may_change()) return faults.with(layout.letters, becomes);
    becomes.resize(layout.letters.size());
    for (std::uint32_t a = 0; a < layout.letters.size(); ++a) {
        if (a == layout.crash_letter) continue;
        for (auto message : faults.becomes[layout.letters[a]]) becomes[a].push_back(layout.letter_of[message]);
    }
    return faults.with(layout.letters, std::move(becomes));
}

// For each crash message of a mailbox, the other messages of its sender: it is received after them.
std::vector<std::vector<std::uint32_t>> behind_in(const System& system, const std::vector<std::uint32_t>& letters) {
    std::vector<std::vector<std::uint32_t>> out(letters.size());
    if (!system.mailboxes()) return out;
    for (std::uint32_t a = 0; a < letters.size(); ++a)
        for (std::uint32_t b = 0; b < letters.size(); ++b)
            if (a != b && system.is_crash(letters[a]) && system.same_sender(letters[a], letters[b])) out[a].push_back(b);
    return out;
}

ChannelLayout channel_layout(const System& system, std::uint32_t number, std::uint32_t k) {
    const Channel& ch = system.channels[number];
    ChannelLayout out;
    out.k = k;
    out.letters = possible_messages(system, number);
    out.letter_of.assign(system.messages, no_letter);
    for (std::uint32_t a = 0; a < out.letters.size(); ++a) out.letter_of[out.letters[a]] = a;
    out.crash_letter = out.letter_of[crash_message];
    const auto users = out.letters.size() - (out.crash_letter != no_letter);
    if (all_alike(ch, out.letters))
        out.form = PackedForm::length;
    else
        // One message cannot be overtaken: at k = 1 reordering can do nothing.
        out.form = ch.faults.may_overtake() && k > 1 ? PackedForm::multiset : PackedForm::queue;
    out.behind = behind_in(system, out.letters);
    if (users > 0) out.faults = faults_in_letters(ch.faults, out);
    out.silent = out.faults.has_silent_steps();
    out.faithful = !out.silent && (out.form != PackedForm::length || users <= 1);
    return out;
}

void place_channel(ChannelLayout& ch, Packer& packer) {
    if (ch.form == PackedForm::length || ch.form == PackedForm::multiset) {
        ch.full = ch.k;
        ch.field = packer.field(std::uint64_t{ch.k} + 1);
        if (ch.crash_letter != no_letter) ch.crash = packer.field(2);
        if (ch.form == PackedForm::multiset)
            for (std::uint32_t a = 0; a < ch.letters.size(); ++a)
                ch.counts.push_back(a == ch.crash_letter ? Field{} : packer.field(std::uint64_t{ch.k} + 1));
        return;
    }
    ch.bits = static_cast<std::uint32_t>(std::bit_width(ch.letters.size() - 1));
    const std::uint64_t width = std::uint64_t{ch.k} * ch.bits + 1;
    if (width <= 64) {
        ch.full = std::uint64_t{1} << (width - 1);
        ch.field = packer.bits_field(static_cast<std::uint32_t>(width));
    } else {
        ch.form = PackedForm::wide_queue;
        ch.words = static_cast<std::uint32_t>((width + 63) / 64);
        ch.first_word = packer.whole_words(ch.words);
    }
}

Op op_of(const Transition& t, const ChannelLayout& ch) {
    const bool send = t.kind == ActionKind::send;
    if (ch.letter_of[t.message] == no_letter) return Op::never;
    switch (ch.form) {
        case PackedForm::length: return send ? Op::send_length : Op::receive_length;
        case PackedForm::queue: return send ? Op::send_queue : Op::receive_queue;
        case PackedForm::wide_queue: return send ? Op::send_wide : Op::receive_wide;
        default: return send ? Op::send_multiset : Op::receive_multiset;
    }
}

std::uint64_t in_place(const Field& f, std::uint64_t value) { return value << f.shift; }

Guard guard_of(const Instruction& instruction, const ChannelLayout& ch) {
    Guard g;
    const auto differs = [&](const Field& f, std::uint64_t value) {
        g.word = f.word;
        g.c = in_place(f, f.mask);
        g.d = in_place(f, value);
    };
    if (instruction.may_be_lost) return g;
    switch (instruction.op) {
        case Op::never: g.b = 1; break;
        case Op::send_length:
        case Op::send_multiset: differs(ch.field, ch.full); break;
        case Op::send_queue:  // the top bit says that it is full
            g.word = ch.field.word;
            g.a = in_place(ch.field, ch.full);
            break;
        case Op::receive_queue: {  // the head is the letter, and there is something above it
            const std::uint64_t head = (std::uint64_t{1} << ch.bits) - 1;
            differs(ch.field, 0);
            g.c = in_place(ch.field, ch.field.mask & ~head);
            g.a = in_place(ch.field, head);
            g.b = in_place(ch.field, instruction.head);
            break;
        }
        case Op::receive_length:
            if (ch.crash_letter == no_letter) differs(ch.field, 0);
            else g.special = true;
            break;
        case Op::receive_multiset:
            if (instruction.head == ch.crash_letter || !ch.behind[instruction.head].empty()) g.special = true;
            else differs(ch.counts[instruction.head], 0);
            break;
        case Op::send_wide:
        case Op::receive_wide: g.special = true; break;
        case Op::internal: break;
    }
    return g;
}

Effect effect_of(const Instruction& instruction, const ChannelLayout& ch) {
    Effect e;
    e.mask = ch.field.mask;
    e.word = ch.field.word;
    e.shift = ch.field.shift;
    switch (instruction.op) {
        case Op::send_length: e.added = 1; break;
        case Op::receive_length: e.added = ~std::uint64_t{0}; break;
        case Op::send_queue:  // in place of the 1 above the last letter
            e.added = instruction.letter + (std::uint64_t{1} << ch.bits) - 1;
            e.at_top = UINT32_MAX;
            break;
        case Op::receive_queue: e.taken = ch.bits; break;
        default: return {};
    }
    return e;
}

bool is_special(const Instruction& instruction, const ChannelLayout& ch) {
    switch (instruction.op) {
        case Op::send_length:
        case Op::receive_length: return instruction.letter == ch.crash_letter;
        case Op::send_multiset:
        case Op::receive_multiset:
        case Op::send_wide:
        case Op::receive_wide: return true;
        default: return false;
    }
}

Instruction compile_transition(const Machine& m, const System& system, std::uint32_t process, std::uint32_t number,
                               const Transition& t) {
    Instruction instruction;
    instruction.process = process;
    instruction.transition = number;
    instruction.target = t.target;
    instruction.fault = t.fault;
    instruction.op = Op::internal;
    const Field& state = m.processes[process].state;
    instruction.state_word = state.word;
    instruction.state_delta = (std::uint64_t{t.target} - std::uint64_t{t.source}) << state.shift;
    if (t.kind == ActionKind::internal) return instruction;
    const ChannelLayout& ch = m.channels[t.channel];
    instruction.channel = t.channel;
    instruction.op = op_of(t, ch);
    instruction.letter = instruction.head = ch.letter_of[t.message];
    instruction.crash = system.is_crash(t.message);
    instruction.may_be_lost =
        t.kind == ActionKind::send && !instruction.crash && ch.faults.may_vanish(instruction.letter);
    instruction.guard = guard_of(instruction, ch);
    instruction.effect = effect_of(instruction, ch);
    instruction.special = is_special(instruction, ch);
    return instruction;
}

// The same reception by which the message also stays: what is delivered may be a corrupted copy of what stays.
void add_keeping(const ChannelLayout& ch, const Instruction& taking, std::vector<Instruction>& out) {
    Instruction keeping = taking;
    keeping.keeps = true;
    keeping.effect = {};
    keeping.special = false;
    each_staying_head(ch.faults, taking.letter, [&](std::uint32_t head) {
        keeping.head = head;
        keeping.guard = guard_of(keeping, ch);
        out.push_back(keeping);
    });
}

// Also sets what this says about the whole machine.
void classify(Machine& m, StateInfo& info, const Process& process, const std::vector<Transition>& leaving) {
    std::set<std::uint32_t> to, from;
    bool internal = false, crashes = false, firm = true;
    for (const Transition& t : leaving) {
        if (t.kind == ActionKind::internal) internal = true;
        if (process.crashed[t.target] != process.crashed[t.source]) crashes = true;
        if (t.kind == ActionKind::send) to.insert(t.channel);
        if (t.kind == ActionKind::receive) from.insert(t.channel);
        if (t.kind == ActionKind::receive) firm = firm && m.channels[t.channel].faithful;
    }
    info.kind = to.empty() ? (from.empty() ? StateKind::final : StateKind::receiving)
                           : (from.empty() ? StateKind::sending : StateKind::mixed);
    info.directed = to.size() <= 1 && from.size() <= 1;
    info.simple = !crashes && firm && to.size() + !from.empty() + internal <= 1;
    info.channels.assign(to.begin(), to.end());
    info.channels.insert(info.channels.end(), from.begin(), from.end());
    m.one_receiver = m.one_receiver && to.size() <= 1;
    m.one_sender = m.one_sender && from.size() <= 1;
}

bool same_effect(const Instruction& a, const Instruction& b) {
    const bool lengths = a.op == Op::send_length || a.op == Op::receive_length;
    return lengths && a.op == b.op && a.channel == b.channel && a.crash == b.crash && a.keeps == b.keeps &&
           a.state_delta == b.state_delta;
}

void add_instructions(Machine& m, StateInfo& info, const std::vector<Instruction>& compiled) {
    std::vector<Instruction> others;
    info.first = static_cast<std::uint32_t>(m.instructions.size());
    for (Instruction instruction : compiled) {
        auto same = std::find_if(m.instructions.begin() + info.first, m.instructions.end(),
                                 [&](const Instruction& other) { return same_effect(other, instruction); });
        instruction.same_as = static_cast<std::uint32_t>(same - m.instructions.begin());
        (same == m.instructions.end() ? m.instructions : others).push_back(instruction);
    }
    info.last = static_cast<std::uint32_t>(m.instructions.size());
    m.instructions.insert(m.instructions.end(), others.begin(), others.end());
    info.end = static_cast<std::uint32_t>(m.instructions.size());
}

void compile_process(Machine& m, const System& system, std::uint32_t number) {
    const Process& process = system.processes[number];
    ProcessLayout& out = m.processes[number];
    out.initial = process.initial;
    out.states.resize(process.states);
    std::uint32_t next = 0;
    for (std::uint32_t state = 0; state < process.states; ++state) {
        StateInfo& info = out.states[state];
        std::vector<Transition> leaving;
        std::vector<Instruction> compiled;
        for (; next < process.transitions.size() && process.transitions[next].source == state; ++next) {
            leaving.push_back(process.transitions[next]);
            const Transition& t = leaving.back();
            const Instruction instruction = compile_transition(m, system, number, next, t);
            compiled.push_back(instruction);
            const bool receives = t.kind == ActionKind::receive && instruction.op != Op::never && !instruction.crash;
            if (receives) add_keeping(m.channels[t.channel], instruction, compiled);
        }
        add_instructions(m, info, compiled);
        info.crashed = process.crashed[state];
        classify(m, info, process, leaving);
    }
}

std::uint32_t most_successors(const Machine& m) {
    std::uint64_t most = 1;
    for (const ProcessLayout& p : m.processes) {
        std::uint32_t widest = 0;
        for (const StateInfo& s : p.states) widest = std::max(widest, s.last - s.first);
        most += widest;
    }
    for (const ChannelLayout& ch : m.channels) {
        most += most_silent_outcomes(ch.faults) *
                (ch.form == PackedForm::multiset ? ch.letters.size() : ch.form == PackedForm::length ? 1 : ch.k);
    }
    return static_cast<std::uint32_t>(most);
}

// Without places and instructions.
Machine outline(const System& system, std::uint32_t k) {
    Machine m;
    m.processes.resize(system.processes.size());
    for (std::uint32_t c = 0; c < system.channels.size(); ++c) {
        const Channel& ch = system.channels[c];
        m.channels.push_back(channel_layout(system, c, k));
        m.sender.push_back(ch.sender);
        m.mailboxes = m.mailboxes || ch.sender == none;
        m.receiver.push_back(ch.receiver);
        m.silent = m.silent || m.channels.back().silent;
        m.perfect = m.perfect && ch.faults.perfect();
        m.reorders = m.reorders || m.channels.back().form == PackedForm::multiset;
    }
    return m;
}

// With the parts in this order, and at most so many bits in a word.
Machine placed(Machine m, const System& system, const std::vector<Part>& parts, std::uint32_t most) {
    Packer packer(most);
    for (const Part& part : parts)
        if (part.is_channel) place_channel(m.channels[part.number], packer);
        else m.processes[part.number].state = packer.field(system.processes[part.number].states);
    m.words = packer.words();
    return m;
}

Machine complete(Machine m, const System& system) {
    for (std::uint32_t p = 0; p < system.processes.size(); ++p) compile_process(m, system, p);
    m.max_degree = most_successors(m);
    return m;
}

}  // namespace

Machine compile(const System& system, std::uint32_t k) {
    std::vector<Part> parts;
    for (std::uint32_t p = 0; p < system.processes.size(); ++p) parts.push_back({false, p});
    for (std::uint32_t c = 0; c < system.channels.size(); ++c) parts.push_back({true, c});
    return complete(placed(outline(system, k), system, parts, 64), system);
}

Machine compile_for_store(const System& system, std::uint32_t k) {
    const Machine bare = outline(system, k);
    const std::vector<Part> parts = parts_in_order(system);
    const Machine fullest = placed(bare, system, parts, 64);
    std::uint32_t most = 1;
    while (most < 64 && placed(bare, system, parts, most).words > fullest.words) ++most;
    return complete(placed(bare, system, parts, most), system);
}

}  // namespace stormproof
