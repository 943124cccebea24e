// One question, from exploration to violations, for configurations of W words.
#pragma once

#include "explore.hpp"
#include "futures.hpp"
#include "goals.hpp"
#include "offenders.hpp"

namespace stormproof {

template <unsigned W>
class Decision {
  public:
    Decision(const Machine& machine, const Question& question, Monitor& monitor)
        : m(machine), q(question), monitor_(monitor), g(machine, question.threads) {}

    Answer run() {
        Explorer<W> explorer(g, monitor_, q.threads);
        answer_.stop = explorer.run();
        count(explorer.peak_bytes());
        if (answer_.stop != Stop::none || q.explore_only) return answer_;
        analyse();
        if (answer_.stop == Stop::none) conclude();
        return answer_;
    }

  private:
    const Machine& m;
    const Question& q;
    Monitor& monitor_;
    Graph<W> g;
    Answer answer_;
    std::optional<Offenders<W>> offenders_;

    void count(std::uint64_t peak) {
        answer_.states = g.size();
        answer_.transitions = g.edge_count();
        answer_.peak_bytes = peak;
        answer_.words = W;
        answer_.explored_seconds = monitor_.elapsed();
    }

    void analyse() {
        offenders_.emplace(g, q.properties);
        Futures<W> futures(g, monitor_);
        // Directed systems have k-sibi and k-obi: no state has two peers to choose from.
        const bool ask_sibi = (q.properties >> sibi & 1) && !m.directed;
        if ((q.properties >> obi & 1) && !m.directed && !offenders_->collect_obi(monitor_)) return stop();
        for (const auto& goals : groups(goals_of(m, q.properties))) {
            const GoalSet set(m, goals, q.properties);
            answer_.stop = futures.solve(set, ask_sibi, q.components);
            if (answer_.stop != Stop::none) break;
            if ((futures.unmet() || ask_sibi) && !offenders_->collect(set, futures, ask_sibi, monitor_))
                return stop();
        }
        answer_.sweeps = futures.sweeps;
        answer_.components = futures.component_passes;
        answer_.peak_bytes = std::max(answer_.peak_bytes, futures.peak);
    }

    void stop() { answer_.stop = monitor_.over(); }

    static std::vector<std::vector<Goal>> groups(const std::vector<Goal>& goals) {
        std::vector<std::vector<Goal>> out;
        for (std::size_t i = 0; i < goals.size(); i += 64)
            out.emplace_back(goals.begin() + static_cast<std::ptrdiff_t>(i),
                             goals.begin() + static_cast<std::ptrdiff_t>(std::min(goals.size(), i + 64)));
        return out;
    }

    void conclude() {
        answer_.decided = q.properties;
        for (std::uint32_t p = 0; p < property_count; ++p) {
            if (!offenders_->first[p]) continue;
            answer_.violated |= 1u << p;
            answer_.violations.push_back(offenders_->violation(static_cast<Property>(p)));
        }
    }
};

}  // namespace stormproof
