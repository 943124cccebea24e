// The search for violations in the compact store: the same order as in survival_search.hpp, by faults and then by actions,
// with about 13 bytes for a configuration, in several threads.
//
// The configurations of a layer are judged when their calm steps are made. Steps with faults are made again when the
// search has come to the number of faults that they lead to. What is found first is a violation with the fewest faults
// and the fewest actions; the run to it is found backwards, layer by layer, by making all steps of a layer again
// until one leads to the right configuration.
#pragma once

#include <optional>

#include "survival_layers.hpp"

namespace stormproof::survival {

template <class Cell>
class CompactSearch {
  public:
    CompactSearch(const System& system, const Question& question, Monitor& monitor)
        : q_(question), rules_(system, question), layout_(system, question), layers_(rules_, layout_, monitor),
          own_(layers_.workers.size()) {
        if (layers_.workers[0]->turns.used()) result_.symmetries = question.group.size();
        result_.findings.resize(q_.asks.size());
        result_.compact = true;
        open_ = static_cast<std::uint32_t>((std::uint64_t{1} << q_.asks.size()) - 1);
    }

    Result run() {
        layers_.add_initial();
        for (level_ = 0; level_ != nothing && open_ && going(); level_ = next_level()) {
            explore_level();
            if (going()) result_.faults_explored = level_ + 1;
        }
        conclude();
        return std::move(result_);
    }

  private:
    using Worker = LayerWorker<Cell>;
    using Words = std::vector<std::uint64_t>;
    // What a thread has found in the layer at hand: for each ask the least configuration that violates it.
    struct alignas(cache_line) Found {
        std::vector<std::optional<Words>> violations;
        std::vector<std::uint8_t> strikes;
        bool hit = false;
    };

    const Question& q_;
    Rules rules_;
    Layout layout_;
    Layers<Cell> layers_;
    std::vector<Found> own_;  // of each worker
    Result result_;
    std::uint32_t open_ = 0;  // the asks that no violation was found for, a bit each
    std::atomic<std::uint32_t> left_{0};  // the same, while a layer is judged
    std::uint32_t level_ = 0;  // the number of faults

    bool going() const { return layers_.stop == Stop::none; }

    // ---- storms ----------------------------------------------------------------------------------------

    // The next number of faults that a step leads to.
    std::uint32_t next_level() const {
        std::uint32_t next = nothing;
        for (const auto& [key, layer] : layers_.all)
            for (std::uint32_t more = 1; more < layer.strikes.size(); ++more)
                if (layer.strikes[more] && key.first + more > level_) next = std::min(next, key.first + more);
        return next;
    }

    void explore_level() {
        for (std::uint32_t actions = 1; actions <= last_source() + 1; ++actions) {
            layers_.start_layer(level_, actions);
            for (auto& [key, layer] : layers_.all) {
                if (key.second + 1 != actions || !layer.leads_to(level_)) continue;
                if (key.first == level_) settle(layer);
                else strike(layer, level_ - key.first);
                if (!open_ || !going()) return;
            }
            layers_.finish_layer();
        }
    }
    // The most actions of a layer from which a step leads to this level.
    std::uint32_t last_source() const {
        std::uint32_t last = 0;
        for (const auto& [key, layer] : layers_.all)
            if (layer.leads_to(level_)) last = std::max(last, key.second);
        return last;
    }

    // Judges a layer, and takes its calm steps.
    void settle(Layer& layer) {
        layer.open = left_ = open_;
        layer.hit = result_.hit_faults != nothing;
        for (Found& found : own_) found = {std::vector<std::optional<Words>>(q_.asks.size()), {}, false};
        layers_.each(layer, [&](Worker& worker) {
            Found& found = own_of(worker);
            judge(worker, found);
            if (!left_) return Then::next;
            make_successors(worker, layer, 0, &found);
            return layers_.add_successors(worker);
        });
        if (!going()) return;
        layers_.settled += layer.size();
        for (const Found& found : own_) take(found, layer);
        for (std::uint32_t a = 0; a < q_.asks.size(); ++a) conclude_layer(a, layer);
    }

    // Takes the steps of a layer with so many faults.
    void strike(const Layer& layer, std::uint32_t faults) {
        layers_.each(layer, [&](Worker& worker) {
            make_successors(worker, layer, faults, nullptr);
            return layers_.add_successors(worker);
        });
    }

    Found& own_of(const Worker& worker) {
        std::size_t who = 0;
        while (layers_.workers[who].get() != &worker) ++who;
        return own_[who];
    }

    // `found`: where to note what else there is, when a layer is settled.
    void make_successors(Worker& worker, const Layer& layer, std::uint32_t wanted, Found* found) {
        worker.successors.clear();
        // As in Search::settle; the choice is the same whenever steps of this layer are made.
        const auto* only = q_.reduction && layer.hit ? worker.closed.choose(worker.row.data(), layer.open, true) : nullptr;
        const auto visit = [&](const Strike& strike, std::uint32_t faults, const Cell* row) {
            if (!row) {
                if (found) found->hit = true;
                return;
            }
            if (layer.faults + faults > q_.most_faults) return;
            if (faults == wanted) layers_.pack_successor(worker, strike, row);
            else if (found) note(found->strikes, faults);
        };
        worker.steps.each(worker.row.data(), q_.k, false, visit, only);
    }
    static void note(std::vector<std::uint8_t>& strikes, std::uint32_t faults) {
        if (strikes.size() <= faults) strikes.resize(faults + 1);
        strikes[faults] = true;
    }

    // ---- violations ------------------------------------------------------------------------------------

    void judge(const Worker& worker, Found& found) {
        const RowView<Cell> view{layout_, worker.row.data()};
        for (std::uint32_t a = 0; a < q_.asks.size(); ++a) {
            if (!(open_ >> a & 1) || !may_hold(rules_, q_.asks[a].goal, view)) continue;
            const Words words = layers_.words_of(worker);
            if (!found.violations[a] || words < *found.violations[a]) found.violations[a] = words;
            left_ &= ~(1u << a);
        }
    }

    void take(const Found& found, Layer& layer) {
        if (found.hit) result_.hit_faults = std::min(result_.hit_faults, level_);
        for (std::uint32_t faults = 0; faults < found.strikes.size(); ++faults)
            if (found.strikes[faults]) note(layer.strikes, faults);
    }

    void conclude_layer(std::uint32_t a, const Layer& layer) {
        std::optional<Words> least;
        for (const Found& found : own_)
            if (found.violations[a] && (!least || *found.violations[a] < *least)) least = found.violations[a];
        if (!least) return;
        Finding finding;
        finding.faults = level_;
        std::vector<TurnedStrike> run = run_to(*least, layer.faults, layer.actions);
        if (!going()) return;
        Automorphism back = layers_.workers[0]->turns.identity();
        layers_.workers[0]->turns.add_shown(run, back, finding.run);
        finding.calm_from = static_cast<std::uint32_t>(finding.run.size());
        finding.outcome = Outcome::violated;
        result_.findings[a] = finding;
        open_ &= ~(1u << a);
    }

    std::vector<TurnedStrike> run_to(Words words, std::uint32_t faults, std::uint32_t actions) {
        std::vector<TurnedStrike> run;
        for (; actions > 0 && going(); --actions) run.push_back(step_to(words, faults, actions));
        std::reverse(run.begin(), run.end());
        return run;
    }

    // A step to these words, which become those from which it leads, as do their faults.
    TurnedStrike step_to(Words& words, std::uint32_t& faults, std::uint32_t actions) {
        TurnedStrike found;
        Words before;
        std::mutex finding;
        for (const auto& [key, layer] : layers_.all) {
            if (key.second + 1 != actions || key.first > faults || !layer.leads_to(faults)) continue;
            const std::uint32_t wanted = faults - key.first;
            layers_.each(layer, [&](Worker& worker) {
                const std::optional<TurnedStrike> step = step_between(worker, words, wanted);
                if (!step) return Then::next;
                const std::lock_guard<std::mutex> lock(finding);
                found = *step;
                before = layers_.words_of(worker);
                return Then::enough;
            });
            if (before.empty()) continue;
            words = before;
            faults = key.first;
            break;
        }
        return found;
    }

    std::optional<TurnedStrike> step_between(Worker& worker, const Words& to, std::uint32_t wanted) {
        std::optional<TurnedStrike> found;
        Words& words = worker.successors;
        words.resize(to.size());
        const auto visit = [&](const Strike& strike, std::uint32_t faults, const Cell* row) {
            if (found || !row || faults != wanted) return;
            const std::uint32_t turn = layers_.pack_after(worker, strike, row, words.data());
            if (words == to) found = {strike, turn};
        };
        worker.steps.each(worker.row.data(), q_.k, wanted == 0, visit);
        return found;
    }

    void conclude() {
        result_.stop = layers_.stop;
        for (Finding& finding : result_.findings) {
            if (finding.outcome == Outcome::unknown && going()) finding.outcome = Outcome::holds;
            finding.hit_faults = result_.hit_faults;
            finding.reduced = q_.reduction;
        }
        result_.configurations = layers_.settled;
        result_.stored = layers_.size();
        result_.memory = layers_.bytes();
    }
};

}  // namespace stormproof::survival
