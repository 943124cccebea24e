// Answers one question for configurations of W words: explores, solves the goals and collects the violations.
#pragma once

#include <algorithm>
#include <ctime>
#include <optional>
#include <stdexcept>

#include "explore.hpp"
#include "futures.hpp"
#include "goals.hpp"
#include "offenders.hpp"
#include "reduction.hpp"

namespace stormproof {

// Processor time of the whole process, which other work on the machine disturbs less than the clock.
inline double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Is this k-obi or k-sibi, and does the system have states with several peers to choose from, so that it is not obvious?
inline bool needs_search(const Machine& m, const PropertySet& asked, Property property) {
    if (!asked.has(property)) return false;
    return (property == Property::obi && !m.one_receiver) || (property == Property::sibi && !m.one_sender);
}

template <unsigned W>
class Decision {
  public:
    Decision(const Machine& machine, const Question& question, Monitor& monitor, bool reduce)
        : m(machine), q(question), monitor_(monitor), reduce_(reduce), g(machine, reduce ? 1 : question.threads) {}

    Answer run() {
        answer_.reduced = reduce_;
        answer_.stop = reduce_ ? explore<Reducer<W>>(monitor_)
                               : explore<Explorer<W>>(monitor_, q.threads, q.parallel_from);
        if (answer_.stop != Stop::none) return answer_;
        analyse();
        if (answer_.stop == Stop::none) conclude();
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

    template <class Search, class... Options>
    Stop explore(Monitor& monitor, Options... options) {
        const double start = cpu_seconds();
        Search search(g, monitor, options...);
        const Stop stop = search.run();
        answer_.states = g.size();
        answer_.transitions = g.edge_count();
        answer_.peak_bytes = search.peak_bytes();
        answer_.words = W;
        answer_.explored_seconds = monitor.elapsed();
        answer_.explored_cpu = cpu_seconds() - start;
        return stop;
    }

    void analyse() {
        offenders_.emplace(g, q);
        Futures<W> futures(g, monitor_);
        const bool ask_sibi = needs_search(m, q.properties, Property::sibi);
        if (needs_search(m, q.properties, Property::obi)) {
            if (reduce_ && !ordered()) return stop();
            if (!offenders_->collect_obi(monitor_)) return stop();
        }
        for (const auto& goals : groups(goals_of(m, q.properties))) {
            const GoalSet set(m, goals, q.properties);
            answer_.stop = futures.solve(set, ask_sibi, q.components);
            if (answer_.stop != Stop::none) break;
            if (!futures.unmet() && !ask_sibi) continue;
            if (reduce_ && !ordered()) return stop();
            if (!offenders_->collect(set, futures, ask_sibi, monitor_)) return stop();
        }
        answer_.peak_bytes = std::max(answer_.peak_bytes, futures.peak);
    }

    bool ordered() { return g.order.capacity() > 0 || order_by_breadth(g, monitor_); }

    void stop() {
        answer_.stop = monitor_.over();
        if (answer_.stop == Stop::none || answer_.stop == Stop::states) answer_.stop = Stop::memory;
    }

    static std::vector<std::vector<Goal>> groups(const std::vector<Goal>& goals) {
        std::vector<std::vector<Goal>> out;
        for (std::size_t i = 0; i < goals.size(); i += 64)
            out.emplace_back(goals.begin() + static_cast<std::ptrdiff_t>(i),
                             goals.begin() + static_cast<std::ptrdiff_t>(std::min(goals.size(), i + 64)));
        return out;
    }

    void conclude() {
        for (Property property : all_properties) {
            const bool open = reduce_ && needs_search(m, q.properties, property);
            if (!offenders_->first[property]) {
                if (q.properties.has(property) && !open) answer_.decided.add(property);
                continue;
            }
            answer_.decided.add(property);
            answer_.violated.add(property);
            answer_.violations.push_back(offenders_->violation(property));
        }
    }
};

// What reduction found, with what the full graph adds: shortest runs, and properties that only it decides.
template <unsigned W>
void add_full(const Machine& m, const Question& q, Monitor& monitor, Answer& answer) {
    const PropertySet open = q.properties.without(answer.decided);
    Question rest = q;
    rest.properties = open.with(answer.violated);
    if (rest.properties.empty()) return;
    const std::uint64_t most = open.without(q.optional).empty() ? q.witness_budget : monitor.max_states();
    Monitor budget(monitor, most);
    Answer full = Decision<W>(m, rest, budget, false).run();
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
Answer decide_with(const Machine& m, const Question& q, Monitor& monitor) {
    if (!q.reduction || m.reorders) return Decision<W>(m, q, monitor, false).run();
    if (!m.perfect && q.reduce_from > 0) {
        Monitor small(monitor, q.reduce_from);
        const Answer answer = Decision<W>(m, q, small, false).run();
        if (answer.stop != Stop::states || (monitor.max_states() && answer.states > monitor.max_states())) return answer;
    }
    Answer answer = Decision<W>(m, q, monitor, true).run();
    if (answer.stop == Stop::none) add_full<W>(m, q, monitor, answer);
    return answer;
}

}  // namespace stormproof
