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
        // Directed systems have k-sibi and k-obi: no state has two peers to choose from.
        const bool ask_sibi = q.properties.has(Property::sibi) && !m.directed;
        if (q.properties.has(Property::obi) && !m.directed && !offenders_->collect_obi(monitor_)) return stop();
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
        answer_.decided = q.properties;
        for (Property property : all_properties) {
            if (!offenders_->first[property]) continue;
            answer_.violated.add(property);
            answer_.violations.push_back(offenders_->violation(property));
        }
    }
};

// Does the reduced graph decide every property in question?
inline bool reducible(const Machine& m, const Question& q) {
    return m.perfect && (m.directed || !q.properties.has_any({Property::obi, Property::sibi}));
}

// Uses reduction where the question allows it and it decides everything. For a violation that it finds, a
// breadth-first search of the full graph within a budget looks for a shortest run.
template <unsigned W>
Answer decide_with(const Machine& m, const Question& q, Monitor& monitor) {
    if (!q.reduction || !reducible(m, q)) return Decision<W>(m, q, monitor, false).run();
    Answer answer = Decision<W>(m, q, monitor, true).run();
    if (answer.stop != Stop::none || answer.violations.empty()) return answer;
    Question rest = q;
    rest.properties = answer.violated;
    Monitor budget(monitor, q.witness_budget);
    Answer full = Decision<W>(m, rest, budget, false).run();
    if (full.stop != Stop::none) return answer;
    if (full.violated != answer.violated) throw std::logic_error("reduction and full exploration disagree");
    answer.violations = std::move(full.violations);
    answer.peak_bytes = std::max(answer.peak_bytes, full.peak_bytes);
    return answer;
}

}  // namespace stormproof
