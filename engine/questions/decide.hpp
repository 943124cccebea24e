// Answers one question for configurations of W words: explores, solves the goals and collects the violations.
#pragma once

#include <algorithm>
#include <ctime>
#include <optional>
#include <stdexcept>

#include "questions/goals.hpp"
#include "questions/offenders.hpp"
#include "reduce/reduction.hpp"
#include "search/explore.hpp"
#include "search/futures.hpp"

namespace stormproof {

// Processor time of the whole process, which other work on the machine disturbs less than the clock.
inline double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

template <unsigned W>
class Decision {
  public:
    Decision(const Machine& machine, const Question& question, Monitor& monitor, bool reduce,
             const ConfigurationSymmetry<W>* symmetry)
        : m(machine), q(question), monitor_(monitor), reduce_(reduce), g(machine, question.threads) {
        g.symmetry = symmetry;
        if (symmetry) answer_.symmetries = symmetry->group().size();
    }

    Answer run() {
        answer_.reduced = reduce_;
        answer_.stop = reduce_ ? explore<Reducer<W>>() : explore<Explorer<W>>();
        if (answer_.stop != Stop::none) return answer_;
        analyse();
        if (answer_.stop != Stop::interrupted) conclude();
        return answer_;
    }

  private:
    const Machine& m;
    const Question& q;
    Monitor& monitor_;
    const bool reduce_;
    Graph<W> g;
    Answer answer_;
    std::optional<Offenders<W>> offenders_;
    PropertySet unfinished_;  // whose goals were not all solved

    template <class Search>
    Stop explore() {
        const double start = cpu_seconds();
        Search search(g, monitor_, q.threads, q.parallel_from);
        const Stop stop = search.run();
        answer_.states = g.size();
        answer_.transitions = g.edge_count();
        answer_.peak_bytes = search.peak_bytes();
        answer_.words = W;
        answer_.explored_seconds = monitor_.elapsed();
        answer_.explored_cpu = cpu_seconds() - start;
        return stop;
    }

    // What only makes an answer stronger comes last, and not at all where k-exh is violated: nothing follows then.
    void analyse() {
        offenders_.emplace(g, q);
        Futures<W> futures(g, monitor_, q.parallel_from);
        unfinished_ = q.properties;
        const PropertySet needed = q.properties.without(q.optional);
        if (analyse(needed, futures) && !offenders_->first[Property::exh])
            analyse(q.properties.without(needed), futures);
        answer_.peak_bytes = std::max(answer_.peak_bytes, futures.peak());
    }

    // False: a limit was hit.
    bool analyse(const PropertySet& asked, Futures<W>& futures) {
        if (needs_search(m, asked, Property::obi)) {
            if ((reduce_ && !ordered()) || !offenders_->collect_obi(monitor_)) return stop();
        }
        const std::vector<Automorphism> group = g.symmetry ? g.symmetry->group() : std::vector<Automorphism>();
        auto sets = grouped(m, goals_of(m, asked), group);
        for (; !sets.empty(); sets.erase(sets.begin()))
            if (monitor_.must_end() ? !stop() : !solve(asked, GoalSet(m, sets.front(), asked, group), futures)) break;
        PropertySet left;
        for (const auto& goals : sets)
            for (const Goal& goal : goals) left = left.with(properties_of(goal));
        unfinished_ = unfinished_.without(asked.without(left));
        return sets.empty();
    }

    bool solve(const PropertySet& asked, const GoalSet& set, Futures<W>& futures) {
        const bool sends = std::any_of(set.goals.begin(), set.goals.end(),
                                       [](const Goal& goal) { return goal.kind == Goal::sent; });
        const bool ask_sibi = sends && needs_search(m, asked, Property::sibi);
        answer_.stop = futures.solve(set, ask_sibi, q.components);
        if (answer_.stop != Stop::none) return false;
        if (!futures.unmet() && !ask_sibi) return true;
        if ((!reduce_ || ordered()) && offenders_->collect(set, futures, ask_sibi, monitor_)) return true;
        return stop();
    }

    bool ordered() { return g.order.capacity() > 0 || order_by_breadth(g, monitor_); }

    bool stop() {
        answer_.stop = monitor_.over();
        if (answer_.stop == Stop::none || answer_.stop == Stop::states) answer_.stop = Stop::memory;
        return false;
    }

    // What is known when a limit ends the analysis is not withheld.
    void conclude() {
        for (Property property : all_properties) {
            const bool open = (reduce_ && needs_search(m, q.properties, property)) || unfinished_.has(property);
            if (!offenders_->first[property]) {
                if (q.properties.has(property) && !open) answer_.decided.add(property);
                continue;
            }
            answer_.decided.add(property);
            answer_.violated.add(property);
            answer_.violations.push_back(offenders_->violation(property));
            if (!unfinished_.has(property)) continue;
            answer_.violations.back().shortest = false;
            answer_.violations.back().ends.clear();
        }
    }
};

// What reduction found, with what the full graph adds: shortest runs, and properties that only it decides.
template <unsigned W>
void add_full(const Machine& m, const Question& q, Monitor& monitor, const ConfigurationSymmetry<W>* symmetry, Answer& answer) {
    const PropertySet open = q.properties.without(answer.decided);
    Question rest = q;
    rest.properties = open.with(answer.violated);
    if (rest.properties.empty()) return;
    const std::uint64_t most = open.without(q.optional).empty() ? q.witness_budget : monitor.max_states();
    monitor.phase = Phase::shortening;
    Monitor budget(monitor, most);
    Answer full = Decision<W>(m, rest, budget, false, symmetry).run();
    if (full.stop != Stop::none) {
        if (!open.without(q.optional).empty()) answer.stop = full.stop;
        return;
    }
    if (answer.violated.without(full.violated) != PropertySet()) throw std::logic_error("reduction and full exploration disagree");
    answer.violations = std::move(full.violations);
    answer.decided = answer.decided.with(full.decided);
    answer.violated = full.violated;
    answer.peak_bytes = std::max(answer.peak_bytes, full.peak_bytes);
    if (open.empty()) return;
    answer.reduced = false;
    answer.states = full.states;
    answer.transitions = full.transitions;
}

// Uses reduction where the question allows it. Under faults small systems are explored whole, which also shows when a
// larger bound adds nothing.
template <unsigned W>
Answer decide_with(const Machine& m, const Question& q, Monitor& monitor, const ConfigurationSymmetry<W>* symmetry) {
    if (!q.reduction || m.reorders) return Decision<W>(m, q, monitor, false, symmetry).run();
    if (!m.perfect && q.reduce_from > 0) {
        Monitor small(monitor, monitor.at_most(q.reduce_from));
        const Answer answer = Decision<W>(m, q, small, false, symmetry).run();
        if (answer.stop != Stop::states || monitor.at_most(q.reduce_from) < q.reduce_from) return answer;
    }
    Answer answer = Decision<W>(m, q, monitor, true, symmetry).run();
    if (answer.stop == Stop::none) add_full<W>(m, q, monitor, symmetry, answer);
    return answer;
}

// Tries without symmetry first, and looks for permutations once the system has turned out to be large.
template <unsigned W>
Answer decide_up_to_symmetry(const System& system, const Machine& m, const Question& q, Monitor& monitor) {
    if (!q.symmetry || q.every_end) return decide_with<W>(m, q, monitor, nullptr);
    if (q.symmetry_from > 0) {
        Monitor small(monitor, monitor.at_most(q.symmetry_from));
        Answer answer = decide_with<W>(m, q, small, nullptr);
        if (answer.stop != Stop::states || monitor.at_most(q.symmetry_from) < q.symmetry_from) return answer;
    }
    const ConfigurationSymmetry<W> symmetry(m, Shape(system, monitor).automorphisms(most_permutations));
    const bool used = symmetry.group().size() > 1 && !grouped(m, goals_of(m, q.properties), symmetry.group()).empty();
    return decide_with<W>(m, q, monitor, used ? &symmetry : nullptr);
}

}  // namespace stormproof
