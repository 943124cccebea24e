// Symmetry for survival (definitions 3.13): permutations that respect marks, rest states and goals, applied to rows.
#pragma once


#include "reduce/symmetry.hpp"
#include "reduce/permutations.hpp"
#include "steps/faulty.hpp"

namespace stormproof::survival {

// A goal as part of the graph whose automorphisms are sought: a node for each of its parts.
inline std::uint32_t add_goal(Shape& shape, const Goal& goal, std::uint32_t number) {
    constexpr std::uint32_t part = 100, at_state = 101, of_channel = 102, has_message = 103;
    const GoalNode& node = goal[number];
    const std::uint32_t own = shape.add(1000 + 2 * static_cast<std::uint64_t>(node.kind) + node.negated);
    const bool whole = node.kind == GoalKind::all || node.kind == GoalKind::any;
    const bool word = node.kind == GoalKind::holds || node.kind == GoalKind::contains || node.kind == GoalKind::head;
    if (word) shape.link(own, shape.channel(node.subject), of_channel);
    for (std::uint32_t i = 0; i < node.details.size(); ++i) {
        if (whole) shape.link(own, add_goal(shape, goal, node.details[i]), part);
        else if (node.kind == GoalKind::at && node.details[i]) shape.link(own, shape.state(node.subject, i), at_state);
        else if (word) shape.link(own, shape.letter(node.subject, node.details[i]), has_message + i);
    }
    return own;
}

// What observers do, as part of that graph: a node for what a step makes of an observer, linked with the transitions that do it,
// and one for each state that it leaves.
inline void add_observers(Shape& shape, const Extras& extras) {
    constexpr std::uint32_t does = 104, of_observer = 105, leaves = 106, enters = 107, has_move = 108;
    constexpr std::uint64_t effect_colour = 1996, move_colour = 1997;
    std::map<std::pair<std::uint32_t, std::vector<std::uint32_t>>, std::uint32_t> known;
    const auto effect = [&](const Move& move) {
        const auto [at, fresh] = known.try_emplace({move.process, move.to}, 0);
        if (!fresh) return at->second;
        const std::uint32_t own = at->second = shape.add(effect_colour);
        shape.link(own, shape.process(move.process), of_observer);
        for (std::uint32_t state = 0; state < move.to.size(); ++state) {
            if (move.to[state] == state) continue;
            const std::uint32_t arc = shape.add(move_colour);
            shape.link(own, arc, has_move);
            shape.link(arc, shape.state(move.process, state), leaves);
            shape.link(arc, shape.state(move.process, move.to[state]), enters);
        }
        return own;
    };
    for (std::uint32_t p = 0; p < extras.observed.size(); ++p)
        for (std::uint32_t t = 0; t < extras.observed[p].size(); ++t)
            for (const Move& move : extras.observed[p][t]) shape.link(shape.transition(p, t), effect(move), does);
}

// Whose clock is whose, what each shows, and when timers are due, as part of that graph.
inline void add_clocks(Shape& shape, const System& system, const Clocks& clocks) {
    if (!clocks.used()) return;
    constexpr std::uint32_t lets_pass = 109, has_clock = 110, shows = 111, is_due = 112;
    constexpr std::uint64_t time_colour = 2999, number_colour = 3000, pace_colour = 300;
    std::map<std::uint32_t, std::uint32_t> known;
    const auto number = [&](std::uint32_t n) {
        const auto [at, fresh] = known.try_emplace(n, 0);
        if (fresh) at->second = shape.add(number_colour + n);
        return at->second;
    };
    shape.link(shape.add(time_colour), shape.process(clocks.time), lets_pass);
    for (std::uint32_t p = 0; p < clocks.of.size(); ++p) {
        for (std::uint32_t t = 0; t < clocks.pace[p].size(); ++t)
            shape.colour(shape.transition(p, t), pace_colour + static_cast<std::uint64_t>(clocks.pace[p][t]));
        if (clocks.of[p] == Clocks::none) continue;
        shape.link(shape.process(p), shape.process(clocks.of[p]), has_clock);
        for (std::uint32_t x = 0; x < clocks.due[p].size(); ++x)
            if (clocks.due[p][x] > 0) shape.link(shape.state(p, x), number(clocks.due[p][x]), is_due);
        for (std::uint32_t n = 0; n < system.processes[clocks.of[p]].states; ++n)
            shape.link(shape.state(clocks.of[p], n), number(n), shows);
    }
}

// Which channels are cut by what: a component belongs to the ends of its channel, and a cut to what it takes down.
inline void add_links(Shape& shape, const Links& links, const System& system) {
    constexpr std::uint32_t from = 113, to = 114, takes_down = 115;
    for (std::uint32_t t = 0; t < links.cuts.size(); ++t)
        for (const CutChannel& cut : links.cuts[t]) {
            const std::uint32_t sender = cut.sender == UINT32_MAX ? system.channels[cut.channel].sender : cut.sender;
            shape.link(shape.process(cut.component), shape.process(sender), from);
            shape.link(shape.process(cut.component), shape.process(cut.receiver), to);
            shape.link(shape.transition(links.network, t), shape.process(cut.component), takes_down);
        }
}

// The permutations that leave the system and the question as they are.
inline std::vector<Automorphism> symmetries(const System& system, const Question& q, const Monitor& monitor) {
    if (!q.lists.empty()) return {};
    Shape shape(system, monitor);
    for (std::uint32_t p = 0; p < system.processes.size(); ++p) {
        for (std::uint32_t x = 0; x < system.processes[p].states; ++x)
            shape.colour(shape.state(p, x), 2 * q.rests[p][x] + q.ended[p][x]);
        for (std::uint32_t t = 0; t < q.marks[p].size(); ++t) shape.colour(shape.transition(p, t), q.marks[p][t]);
    }
    for (std::uint32_t c = 0; c < system.channels.size(); ++c) shape.colour(shape.channel(c), q.observed[c]);
    const auto respect = [&](const Goal& goal, std::uint64_t colour) {
        shape.link(shape.add(colour), add_goal(shape, goal, static_cast<std::uint32_t>(goal.size() - 1)), 99);
    };
    for (std::uint32_t a = 0; a < q.asks.size(); ++a) respect(q.asks[a].goal, 2000 + 2 * a + q.asks[a].always);
    if (q.pending.process != nothing) {
        respect(q.pending.begin, 1998);
        respect(q.pending.end, 1999);
    }
    add_observers(shape, q.extras);
    add_clocks(shape, system, q.extras.clocks);
    add_links(shape, q.extras.links, system);
    return shape.automorphisms(most_permutations);
}

// A step between configurations of the store: the second is the image of what the step leads to.
struct PermutedStep {
    FaultyStep step;
    std::uint32_t permutation = 0;
};

template <class Cell>
class RowSymmetry {
  public:
    RowSymmetry(const System& system, const Layout& layout, const std::vector<Automorphism>& group)
        : system_(system), layout_(layout), group_(group), image_(layout.cells) {
        for (const Automorphism& g : group) permutations_.push_back(permutation_of(g));
    }

    bool used() const { return permutations_.size() > 1; }
    Automorphism identity() const { return identity_of(system_); }
    const Automorphism& operator[](std::uint32_t permutation) const { return group_[permutation]; }

    // The least row of the orbit, and the number of the permutation that leads there.
    std::pair<const Cell*, std::uint32_t> canonical(const Cell* row) {
        const std::uint32_t permutation = used() ? permutations_.least(row).permutation : 0;
        if (permutation == 0) return {row, 0};
        for (std::size_t i = 0; i < image_.size(); ++i) image_[i] = static_cast<Cell>(permutations_[permutation][i].value(row));
        return {image_.data(), permutation};
    }

    // How many rows permutations make of it, itself included.
    std::uint64_t orbit(const Cell* row) const { return permutations_.size() / permutations_.least(row).alike; }

    std::vector<Cell> image(const Automorphism& g, const Cell* row) {
        const Permutation permutation = permutation_of(g);
        std::vector<Cell> out(layout_.cells);
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<Cell>(permutation[i].value(row));
        return out;
    }

    FaultyStep image_of(const Automorphism& g, FaultyStep step) const {
        const std::uint32_t channel = system_.processes[step.process].transitions[step.transition].channel;
        for (std::uint32_t* message : {&step.becomes, &step.kept_as, &step.head})
            if (*message != nothing) *message = g.message_on(channel, *message);
        step.transition = g.transition[step.process][step.transition];
        step.process = g.process[step.process];
        return step;
    }

    // `back` leads from the store to the user's processes, before and after these steps.
    void add_shown(const std::vector<PermutedStep>& steps, Automorphism& back, std::vector<FaultyStep>& out) const {
        for (const PermutedStep& step : steps) {
            out.push_back(image_of(back, step.step));
            if (step.permutation != 0) back = compose(back, inverse(group_[step.permutation]));
        }
    }

  private:
    const System& system_;
    const Layout& layout_;
    const std::vector<Automorphism>& group_;
    Permutations permutations_;
    Renamings renamings_;
    std::vector<Cell> image_;

    Permutation permutation_of(const Automorphism& g) {
        Permutation permutation(layout_.cells);
        for (std::uint32_t i = 0; i < permutation.size(); ++i) permutation[i] = {i};
        for (std::uint32_t p = 0; p < g.process.size(); ++p) permutation[g.process[p]] = {p, renamings_.add(g.state[p])};
        for (std::uint32_t c = 0; c < g.channel.size(); ++c) {
            std::vector<std::uint32_t> messages(system_.messages);
            std::iota(messages.begin(), messages.end(), 0u);
            for (const auto& [message, image] : g.message[c]) messages[message] = image;
            const Renaming* renamed = renamings_.add(std::move(messages));
            const std::uint32_t from = layout_.channel[c], to = layout_.channel[g.channel[c]];
            permutation[to] = {from};
            for (std::uint32_t i = 1; i <= layout_.bound; ++i) permutation[to + i] = {from + i, renamed};
        }
        return permutation;
    }
};
extern template class RowSymmetry<std::uint8_t>;
extern template class RowSymmetry<std::uint16_t>;

}  // namespace stormproof::survival
