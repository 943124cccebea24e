// Is a goal out of reach of one configuration? By a search through everything that may follow it, in the compact store.
//
// One bit of each mask (compact_layers.hpp) says what the search has seen. It ends at the first step that reaches the goal,
// or, if there is none, when all that follows has been seen; searches that take too long altogether are given up.
#pragma once

#include <optional>
#include <vector>

#include "questions/goals.hpp"
#include "search/config_thread.hpp"
#include "steps/silent.hpp"

namespace stormproof {

template <unsigned W>
class FutureSearch {
  public:
    using Worker = ConfigThread<W>;

    // `most`: so many configurations are looked at in all searches together.
    FutureSearch(const Machine& machine, CompactLayers<Worker>& layers, std::uint64_t most)
        : m(machine), layers_(layers), worker_(*layers.workers[0]), left_(most), seen_most_(4096 + layers.size() / 1024),
          waiting_most_(4096 + layers.size() / 64) {}

    // Of these goals, which a configuration needs, those that it cannot reach; nothing: that takes too long.
    std::optional<std::uint64_t> unreached(const GoalSet& set, const Config<W>& c, std::uint64_t goals) {
        std::uint64_t out = 0;
        for (; goals; goals &= goals - 1) {
            const std::uint64_t goal = goals & -goals;
            const Outcome outcome = search(set, c, goal);
            forget();
            if (outcome == Outcome::given_up) return {};
            if (outcome == Outcome::unreached) out |= goal;
        }
        return out;
    }

  private:
    enum class Outcome : std::uint8_t { reached, unreached, given_up };
    static constexpr std::uint8_t met = 1, seen = 2;  // bits of a mask
    static constexpr auto relaxed = std::memory_order_relaxed;

    const Machine& m;
    CompactLayers<Worker>& layers_;
    Worker& worker_;
    std::uint64_t left_;
    const std::size_t seen_most_, waiting_most_;
    std::vector<Place> waiting_;  // the last first: in depth a goal is mostly found soon
    std::vector<Place> seen_;  // the first of them; if there are more, all masks are wiped

    Outcome search(const GoalSet& set, const Config<W>& c, std::uint64_t goal) {
        if (step(set, c, goal)) return Outcome::reached;
        while (!waiting_.empty()) {
            if (left_ == 0 || waiting_.size() > waiting_most_) return Outcome::given_up;
            --left_;
            layers_.read(worker_, waiting_.back());
            waiting_.pop_back();
            const Config<W> next = worker_.config;
            if (step(set, next, goal)) return Outcome::reached;
        }
        return Outcome::unreached;
    }

    // Does a step from here reach the goal, or a configuration that is known to? What is new has to wait.
    bool step(const GoalSet& set, const Config<W>& c, std::uint64_t goal) {
        bool reached = false;
        each_enabled(m, c, [&](std::uint32_t number, const Instruction&) { reached = reached || (set.fires[number] & goal); });
        if (reached) return true;
        const auto look = [&](const Config<W>& next) {
            const std::optional<Place> place = reached ? std::nullopt : layers_.find(worker_, next.w);
            if (!place) return;
            const std::uint8_t mask = layers_.byte(*place).load(relaxed);
            reached = (mask & met) && (set.assumed & goal);
            if (reached || (mask & seen)) return;
            layers_.byte(*place).fetch_or(seen, relaxed);
            waiting_.push_back(*place);
            if (seen_.size() <= seen_most_) seen_.push_back(*place);
        };
        each_enabled(m, c, [&](std::uint32_t number, const Instruction& s) {
            if (set.keeps[number] & goal) look(perform(m, s, c));
        });
        if (m.silent) each_silent(m, c, look);
        return reached;
    }

    void forget() {
        if (seen_.size() > seen_most_) layers_.keep_of_masks(met);
        else
            for (const Place place : seen_) layers_.byte(place).fetch_and(met, relaxed);
        seen_.clear();
        waiting_.clear();
    }
};

}  // namespace stormproof
