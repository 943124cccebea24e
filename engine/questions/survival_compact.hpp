// The search for violations in the compact store: the same order as in survival_search.hpp, by faults and then by actions,
// with about 13 bytes for a configuration, in several threads.
//
// The configurations of a layer are judged when their calm steps are made. Steps with faults are made again when the
// search has come to the number of faults that they lead to. The run to a violation is found backwards, layer by layer,
// by making all steps of a layer again until one leads to the right configuration.
//
// What must stay possible takes a bit per ask and configuration, and one more that says whether its predecessors have to be
// told. Where a bit is new, calm steps within k are made backwards, in sweeps along the order of the layers and against
// it in turn, until no bit is new. The few configurations that are left without a bit, with the calm runs that need the
// slack, are judged in the ordinary store (survival_judge.hpp).
#pragma once

#include <optional>

#include "questions/survival_judge.hpp"
#include "search/storm_layers.hpp"

namespace stormproof::survival {

template <class Cell>
class CompactSearch : Judge<Cell> {
  public:
    CompactSearch(const System& system, const Question& question, Monitor& monitor)
        : Judge<Cell>(system, question, monitor), layers_(rules_, layout_, monitor), own_(layers_.workers.size()) {
        result_.compact = true;
    }

    Result run() {
        layers_.add_initial();
        for (level_ = 0; level_ != nothing && open() && going(); level_ = next_level()) {
            explore_level();
            if (going() && always_) judge_futures();
            if (going()) result_.faults_explored = level_ + 1;
        }
        if (!going() && result_.stop == Stop::none) result_.stop = layers_.stop;
        this->conclude();
        result_.configurations = layers_.expanded;
        result_.stored = layers_.size();
        result_.memory = layers_.bytes() + store_.bytes();
        return std::move(result_);
    }

  private:
    using Judge<Cell>::q_;
    using Judge<Cell>::rules_;
    using Judge<Cell>::layout_;
    using Judge<Cell>::store_;
    using Judge<Cell>::monitor_;
    using Judge<Cell>::result_;
    using Judge<Cell>::always_;
    using Judge<Cell>::never_;
    using Judge<Cell>::level_;
    using Judge<Cell>::reached_;
    using Judge<Cell>::full_;
    using Worker = LayerWorker<Cell>;
    using Words = std::vector<std::uint64_t>;
    // What a thread has found in the layer at hand.
    struct alignas(cache_line) Found {
        std::vector<std::optional<Words>> violations;  // of each ask, in the least configuration
        std::vector<std::uint8_t> fault_counts;
        bool hit = false;
    };

    StormLayers<Cell> layers_;
    std::vector<Found> own_;                   // of each worker
    std::atomic<std::uint32_t> left_{0};       // the asks that are open, while a layer is judged
    std::uint32_t since_check_ = 0;

    std::uint32_t open() const { return always_ | never_; }
    bool going() const { return layers_.stop == Stop::none && result_.stop == Stop::none; }

    bool over() override {
        if (!going()) return true;
        if (++since_check_ < rules_.check_every && !store_.full()) return false;
        since_check_ = 0;
        monitor_.memory = layers_.bytes() + store_.bytes();
        // Twice, because arrays are copied when they grow.
        const bool short_of = store_.full() || !monitor_.allows(layers_.bytes() + 2 * store_.bytes());
        result_.stop = short_of ? Stop::memory : monitor_.over();
        return result_.stop != Stop::none;
    }

    // ---- storms ----------------------------------------------------------------------------------------

    // The next number of faults that a step leads to.
    std::uint32_t next_level() const {
        std::uint32_t next = nothing;
        for (const auto& [key, layer] : layers_.all)
            for (std::uint32_t more = 1; more < layer.fault_counts.size(); ++more)
                if (layer.fault_counts[more] && key.first + more > level_) next = std::min(next, key.first + more);
        return next;
    }

    void explore_level() {
        for (std::uint32_t actions = 1; actions <= last_source() + 1; ++actions) {
            layers_.start_layer(level_, actions);
            for (auto& [key, layer] : layers_.all) {
                if (key.second + 1 != actions || !layer.leads_to(level_)) continue;
                if (key.first == level_) expand(layer);
                else expand_faulty(layer, level_ - key.first);
                if (!open() || !going()) return;
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
    void expand(Layer& layer) {
        layer.open = left_ = open();
        layer.reduces = q_.reduction && (result_.hit_faults != nothing || always_);
        layer.hit = result_.hit_faults != nothing;
        for (Found& found : own_) found = {std::vector<std::optional<Words>>(q_.asks.size()), {}, false};
        layers_.each(layer, [&](Worker& worker) {
            Found& found = own_of(worker);
            const std::uint32_t holding = judge(worker, found);
            if (!left_) return Then::next;
            if (!make_successors(worker, layer, 0, &found)) note_end(worker, holding, found);
            return layers_.add_successors(worker);
        });
        if (!going()) return;
        layers_.expanded += layer.size();
        for (Found& found : own_) take(found, layer);
        const std::vector<Finding> before = result_.findings;
        for (std::uint32_t a = 0; a < q_.asks.size() && going(); ++a) conclude_layer(a, layer);
        if (!going()) result_.findings = before;
    }

    // Takes the steps of a layer with so many faults.
    void expand_faulty(const Layer& layer, std::uint32_t faults) {
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

    // Is there a calm step? `found`: where to note what else there is, when a layer is expanded.
    bool make_successors(Worker& worker, const Layer& layer, std::uint32_t wanted, Found* found) {
        worker.successors.clear();
        bool calm = false, hit = false;
        const auto* only = chosen(worker, layer);
        const auto visit = [&](const FaultyStep& step, std::uint32_t faults, const Cell* row) {
            calm = calm || faults == 0;
            hit = hit || !row;
            if (!row || layer.faults + faults > q_.most_faults) return;
            if (faults == wanted) layers_.pack_successor(worker, step, row);
            else if (found) note(found->fault_counts, faults);
        };
        worker.steps.each(worker.row.data(), q_.k, false, visit, only);
        if (found) found->hit = found->hit || hit;
        return calm;
    }
    // The processes whose steps are taken, as in Search::expand: the same whenever steps of this layer are made.
    static const std::vector<std::uint8_t>* chosen(Worker& worker, const Layer& layer) {
        return layer.reduces ? worker.closed.choose(worker.row.data(), layer.open, layer.hit) : nullptr;
    }
    static void note(std::vector<std::uint8_t>& fault_counts, std::uint32_t faults) {
        if (fault_counts.size() <= faults) fault_counts.resize(faults + 1);
        fault_counts[faults] = true;
    }

    // ---- violations ------------------------------------------------------------------------------------

    // The goals that hold here, of those that must stay possible.
    std::uint32_t judge(const Worker& worker, Found& found) {
        const RowView<Cell> view{layout_, worker.row.data()};
        std::uint32_t holding = 0;
        for (std::uint32_t a = 0; a < q_.asks.size(); ++a) {
            if (!(open() >> a & 1) || !may_hold(rules_, q_.asks[a].goal, view)) continue;
            if (q_.asks[a].always) holding |= 1u << a;
            else note_violation(worker, a, found);
        }
        if (holding) layers_.add_news({worker.shard, worker.at}, holding);
        return holding;
    }
    // No calm step is possible: goals that do not hold here are out of reach.
    void note_end(const Worker& worker, std::uint32_t holding, Found& found) {
        for (std::uint32_t a = 0; a < q_.asks.size(); ++a)
            if ((always_ & ~holding) >> a & 1) note_violation(worker, a, found);
    }
    void note_violation(const Worker& worker, std::uint32_t a, Found& found) {
        const Words words = layers_.words_of(worker);
        if (!found.violations[a] || words < *found.violations[a]) found.violations[a] = words;
        left_ &= ~(1u << a);
    }

    void take(Found& found, Layer& layer) {
        if (found.hit) result_.hit_faults = std::min(result_.hit_faults, level_);
        for (std::uint32_t faults = 0; faults < found.fault_counts.size(); ++faults)
            if (found.fault_counts[faults]) note(layer.fault_counts, faults);
    }

    void conclude_layer(std::uint32_t a, const Layer& layer) {
        std::optional<Words> least;
        for (const Found& found : own_)
            if (found.violations[a] && (!least || *found.violations[a] < *least)) least = found.violations[a];
        if (!least) return;
        const std::uint32_t id = node_of(*least, layer.actions);
        if (!q_.asks[a].always) return this->violated(a, {id, EndKind::none}, {});
        const RowView<Cell> view{layout_, store_.row(id)};
        const EndKind kind = is_at_rest(rules_, view) ? EndKind::rest : EndKind::deadlock;
        fill_full(layer);
        this->violated(a, this->nearest(a, {id, kind}), this->exact());
    }

    // The configurations with as many faults as in this layer and fewer actions where a send hits the bound: no more than
    // nearer_ends.hpp looks at.
    void fill_full(const Layer& until) {
        full_.clear();
        for (const auto& entry : layers_.all) {
            const Layer& layer = entry.second;
            if (result_.hit_faults > level_ || layer.faults != level_ || layer.actions >= until.actions) continue;
            std::vector<Words> found;
            std::mutex finding;
            layers_.each(layer, [&](Worker& worker) {
                bool hit = false;
                const auto visit = [&](const FaultyStep&, std::uint32_t, const Cell* row) { hit = hit || !row; };
                worker.steps.each(worker.row.data(), q_.k, true, visit, chosen(worker, layer));
                if (!hit) return Then::next;
                const std::lock_guard<std::mutex> lock(finding);
                found.push_back(layers_.words_of(worker));
                return full_.size() + found.size() > NearerEnds<Cell>::most ? Then::enough : Then::next;
            });
            std::sort(found.begin(), found.end());
            for (const Words& words : found) full_.push_back(node_of(words, layer.actions));
            if (full_.size() > NearerEnds<Cell>::most) return;
        }
    }

    // A configuration that a storm with so many actions reaches, in the ordinary store.
    std::uint32_t node_of(const Words& words, std::uint32_t actions) {
        const std::vector<Cell> row = layers_.unpack(words);
        const std::uint32_t id = store_.find_or_add(row.data());
        store_.nodes[id].faults = level_;
        store_.nodes[id].actions = actions;
        return id;
    }

    // If a limit is hit meanwhile, it is not whole, and what it was for is forgotten.
    std::vector<PermutedStep> storm_run(std::uint32_t id) override {
        std::vector<PermutedStep> run;
        Words words = layers_.pack(store_.row(id));
        std::uint32_t faults = level_;
        for (std::uint32_t actions = store_.nodes[id].actions; actions > 0 && going(); --actions)
            run.push_back(step_to(words, faults, actions));
        std::reverse(run.begin(), run.end());
        return run;
    }

    // A step to these words, which become those from which it leads, as do their faults.
    PermutedStep step_to(Words& words, std::uint32_t& faults, std::uint32_t actions) {
        PermutedStep found;
        Words before;
        std::mutex finding;
        for (const auto& [key, layer] : layers_.all) {
            if (key.second + 1 != actions || key.first > faults || !layer.leads_to(faults)) continue;
            const std::uint32_t wanted = faults - key.first;
            layers_.each(layer, [&](Worker& worker) {
                const std::optional<PermutedStep> step = step_between(worker, words, wanted);
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

    std::optional<PermutedStep> step_between(Worker& worker, const Words& to, std::uint32_t wanted) {
        std::optional<PermutedStep> found;
        Words& words = worker.successors;
        words.resize(to.size());
        const auto visit = [&](const FaultyStep& step, std::uint32_t faults, const Cell* row) {
            if (found || !row || faults != wanted) return;
            const std::uint32_t permutation = layers_.pack_after(worker, step, row, words.data());
            if (words == to) found = {step, permutation};
        };
        worker.steps.each(worker.row.data(), q_.k, wanted == 0, visit);
        return found;
    }

    // ---- calm futures ----------------------------------------------------------------------------------

    std::uint32_t known_elsewhere(const Cell* row) override {
        const std::optional<Place> place = layers_.find(row);
        return place ? layers_.mask(*place) : 0;
    }

    bool complete(Place place) { return (layers_.mask(place) & always_) == always_; }

    void judge_futures() {
        std::vector<Layer*> own;
        for (auto& [key, layer] : layers_.all)
            if (key.first == level_) own.push_back(&layer);
        // Calm steps lead to configurations with fewer faults, too, of which these were not told.
        for (auto layer = own.rbegin(); level_ > 0 && layer != own.rend(); ++layer) pull_masks(**layer);
        do {
            layers_.news = false;
            for (const Layer* layer : own) push_masks(*layer);
            std::reverse(own.begin(), own.end());
        } while (layers_.news && going());
        if (!going()) return;
        std::sort(own.begin(), own.end(), [](const Layer* a, const Layer* b) { return a->actions < b->actions; });
        reached_.clear();
        for (const Layer* layer : own) reach_incomplete(*layer);
        const std::vector<Finding> before = result_.findings;
        if (going()) this->judge_level();
        if (layers_.stop != Stop::none) result_.findings = before;
        for (auto id : reached_)
            if (const auto place = layers_.find(store_.row(id))) layers_.add_to_mask(*place, store_.nodes[id].mask);
    }

    // Takes the bits over that calm successors have.
    void pull_masks(const Layer& layer) {
        const auto wanted = [&](Place place) { return !complete(place); };
        layers_.each(layer, wanted, [&](Worker& worker) {
            const Place own{worker.shard, worker.at};
            layers_.add_news(own, possible_after(worker, layer, always_ & ~layers_.mask(own)));
            return Then::next;
        });
    }
    void push_masks(const Layer& layer) {
        const auto wanted = [&](Place place) { return layers_.has_news(place); };
        layers_.each(layer, wanted, [&](Worker& worker) {
            const std::uint32_t bits = layers_.take_news({worker.shard, worker.at}) & always_;
            const auto tell = [&](const FaultyStep& step, const Cell* row) { layers_.pass_back(worker, step, row, bits); };
            worker.before.each(worker.row.data(), q_.k, tell);
            return Then::next;
        });
        for (auto& worker : layers_.workers) layers_.pass_on(*worker);
    }
    // Which of these goals are known to be possible after some calm step?
    std::uint32_t possible_after(Worker& worker, const Layer& layer, std::uint32_t missing) {
        std::uint32_t bits = 0;
        worker.successors.resize(layers_.words());
        const auto* only = chosen(worker, layer);
        const auto visit = [&](const FaultyStep& step, std::uint32_t, const Cell* row) {
            if (!row || bits == missing) return;
            layers_.pack_after(worker, step, row, worker.successors.data());
            if (const auto place = layers_.find(worker, worker.successors.data())) bits |= layers_.mask(*place) & missing;
        };
        worker.steps.each(worker.row.data(), q_.k, true, visit, only);
        return bits;
    }

    // Puts the configurations of a layer that are left without a bit into the ordinary store.
    void reach_incomplete(const Layer& layer) {
        std::vector<std::pair<Words, std::uint32_t>> left;
        std::mutex leaving;
        const auto wanted = [&](Place place) { return !complete(place); };
        layers_.each(layer, wanted, [&](Worker& worker) {
            const std::lock_guard<std::mutex> lock(leaving);
            left.emplace_back(layers_.words_of(worker), layers_.mask({worker.shard, worker.at}));
            return Then::next;
        });
        std::sort(left.begin(), left.end());
        for (const auto& [words, mask] : left) {
            if (over()) return;
            const std::uint32_t id = node_of(words, layer.actions);
            store_.nodes[id].mask |= mask;
            store_.nodes[id].flags |= expanded | valued;
            reached_.push_back(id);
        }
    }
};

}  // namespace stormproof::survival
