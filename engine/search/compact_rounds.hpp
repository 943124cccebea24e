// Everything that can be reached, in the compact store (compact_layers.hpp), in the rounds of explore.hpp, and the runs that
// lead there. Successors are not kept but made again.
#pragma once

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "questions/k_properties.hpp"
#include "search/config_thread.hpp"
#include "steps/silent.hpp"

namespace stormproof {

struct ConfigRound : StoreLayer {
    bool silent = false;  // reached by a silent step from the round before
};

template <unsigned W>
class CompactRounds {
  public:
    using Worker = ConfigThread<W>;

    CompactRounds(const Machine& machine, const Question& question, Monitor& monitor)
        : layers(machine.words, question.parallel_from, monitor), m(machine), monitor_(monitor) {
        for (std::uint32_t i = 0; i < question.threads; ++i) layers.workers.push_back(std::make_unique<Worker>(m.words));
    }

    CompactLayers<Worker> layers;
    std::vector<ConfigRound> rounds;

    void explore() {
        layers.start_layer();
        layers.workers[0]->push(initial_config<W>(m));
        layers.add_first();
        finish_round(false);
        std::size_t level = 0;  // the first round of the current level
        while (level < rounds.size() && going()) {
            for (std::size_t r = level; m.silent && r < rounds.size() && going(); ++r) {
                layers.start_layer();
                expand(rounds[r], true);
                finish_round(true);
            }
            const std::size_t next = rounds.size();
            layers.start_layer();
            for (std::size_t r = level; r < next && going(); ++r) expand(rounds[r], false);
            finish_round(false);
            level = next;
        }
        if (going() && monitor_.over() == Stop::states) layers.stop = Stop::states;
    }

    // The actions of a run that leads to a configuration of that round.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> run_to(std::size_t round, Config<W> config) {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> out;
        while (round > 0 && going()) {
            const std::uint32_t number = step_back(round, config);
            if (number != none) out.emplace_back(m.instructions[number].process, m.instructions[number].transition);
        }
        std::reverse(out.begin(), out.end());
        return out;
    }

  private:
    const Machine& m;
    Monitor& monitor_;

    bool going() const { return layers.stop == Stop::none; }

    void finish_round(bool silent) {
        ConfigRound round{layers.finish_layer(), silent};
        if (round.size() > 0) rounds.push_back(std::move(round));
    }

    void expand(const ConfigRound& round, bool silent) {
        layers.each(round, [&](Worker& worker) {
            worker.successors.clear();
            std::uint64_t steps = 0;
            const auto push = [&](const Config<W>& next) { worker.push(next); };
            if (silent) each_silent(m, worker.config, push);
            else {
                each_enabled(m, worker.config, [&](std::uint32_t, const Instruction& s) { push(perform(m, s, worker.config)); });
                steps = worker.successors.size() / m.words;
                if (m.silent) each_silent(m, worker.config, [&](const Config<W>&) { ++steps; });  // known already
            }
            const Then then = layers.add_successors(worker);
            if (then == Then::next) worker.transitions += steps;
            return then;
        });
        if (!silent) layers.expanded += round.size();
    }

    // Goes to a configuration, of an earlier round, from which a step leads here; returns its instruction or none.
    std::uint32_t step_back(std::size_t& round, Config<W>& at) {
        const bool silent = rounds[round].silent;
        std::uint32_t number = none;
        bool found = false;
        std::mutex finding;
        const Config<W> wanted = at;
        do {
            --round;
            layers.each(rounds[round], [&](Worker& worker) {
                const auto compare = [&](std::uint32_t instruction, const Config<W>& next) {
                    if (!(next == wanted)) return;
                    const std::lock_guard<std::mutex> lock(finding);
                    if (found) return;
                    found = true;
                    number = instruction;
                    at = worker.config;
                };
                if (silent) each_silent(m, worker.config, [&](const Config<W>& next) { compare(none, next); });
                else each_enabled(m, worker.config, [&](std::uint32_t i, const Instruction& s) { compare(i, perform(m, s, worker.config)); });
                const std::lock_guard<std::mutex> lock(finding);
                return found ? Then::enough : Then::next;
            });
        } while (!found && round > 0 && going());
        return number;
    }
};

}  // namespace stormproof
