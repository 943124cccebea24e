// Storms in the layers of the compact store (compact_layers.hpp): a layer has the configurations that a storm with so many
// faults and actions reaches, and no storm with less.
#pragma once

#include <map>

#include "reduce/closed_processes.hpp"
#include "reduce/row_symmetry.hpp"
#include "steps/calm_predecessors.hpp"
#include "steps/packing.hpp"
#include "store/compact_layers.hpp"

namespace stormproof::survival {

struct Layer : StoreLayer {
    std::uint32_t faults = 0, actions = 0;
    // How it was expanded: the asks that were open, whether a send was known to hit the bound, and by reduction or not.
    std::uint32_t open = 0;
    bool hit = false, reduces = false;
    std::vector<std::uint8_t> fault_counts;  // number of faults -> is there a step with so many?

    // Does a step lead from here to configurations of storms with so many faults?
    bool leads_to(std::uint32_t level) const {
        return level == faults || (level > faults && level - faults < fault_counts.size() && fault_counts[level - faults]);
    }
};

// What one thread works with.
template <class Cell>
struct LayerWorker : LayerThread {
    LayerWorker(const Rules& rules, const Layout& layout, const Packing<Cell>& packed)
        : packing(packed), steps(rules, layout), before(rules, layout), closed(rules, layout),
          symmetry(rules.system, layout, rules.question.group), row(layout.cells) {}

    const Packing<Cell>& packing;
    Steps<Cell> steps;
    CalmPredecessors<Cell> before;
    ClosedProcesses<Cell> closed;
    RowSymmetry<Cell> symmetry;
    std::vector<Cell> row;  // the configuration at hand
    struct Passed {
        std::uint64_t root;
        std::uint32_t bits;
    };
    std::vector<Passed> passed;  // bits for predecessors

    void take() { packing.unpack(path.words.data(), row.data()); }
};

template <class Cell>
class StormLayers : public CompactLayers<LayerWorker<Cell>> {
    using Base = CompactLayers<LayerWorker<Cell>>;

  public:
    using Worker = LayerWorker<Cell>;
    using typename Base::Words;
    using Base::workers, Base::stop, Base::find, Base::byte, Base::words;

    StormLayers(const Rules& rules, const Layout& layout, Monitor& monitor)
        : StormLayers(rules, layout, monitor, Packing<Cell>(rules.system, rules.question, layout, rules.question.k)) {}

    std::map<std::pair<std::uint32_t, std::uint32_t>, Layer> all;  // by faults and actions
    std::atomic<bool> news{false};  // some configuration has got a bit that its predecessors do not know of

    // ---- masks: a bit per ask, where some goal must stay possible, and one for news -----------------------

    std::uint32_t mask(Place place) {
        std::uint32_t mask = 0;
        for (std::uint32_t i = 0; i < mask_bytes_; ++i) mask |= std::uint32_t{byte(place, i).load()} << 8 * i;
        return mask & ~news_bit();
    }
    void add_to_mask(Place place, std::uint32_t bits) {
        for (std::uint32_t i = 0; i < mask_bytes_; ++i) byte(place, i).fetch_or(static_cast<std::uint8_t>(bits >> 8 * i));
    }
    // The same, and notes that predecessors have to be told; false: it had all of these bits.
    bool add_news(Place place, std::uint32_t bits) {
        if ((bits & ~mask(place)) == 0) return false;
        add_to_mask(place, bits);
        news_byte(place).fetch_or(news_in_byte());
        return true;
    }
    bool has_news(Place place) { return news_byte(place).load(std::memory_order_relaxed) & news_in_byte(); }
    // The mask, of which predecessors are told now.
    std::uint32_t take_news(Place place) {
        news_byte(place).fetch_and(static_cast<std::uint8_t>(~news_in_byte()));
        return mask(place);
    }
    // Passes bits on to a predecessor of the configuration at hand, if it is there: several at a time. Call `pass_on`
    // after the last one.
    void pass_back(Worker& worker, const FaultyStep& step, const Cell* row, std::uint32_t bits) {
        const Transition& t = rules_.system.processes[step.process].transitions[step.transition];
        if (t.kind == TransitionKind::receive && !packing_.knows(t.channel, t.message)) return;
        worker.successors.resize(packing_.words());
        pack_after(worker, step, row, worker.successors.data());
        const std::optional<std::uint64_t> root = this->root_of(worker, worker.successors.data());
        if (!root) return;
        worker.passed.push_back({*root, bits});
        if (worker.passed.size() == Base::batch) pass_on(worker);
    }
    void pass_on(Worker& worker) {
        this->fetch(worker.passed);
        for (const auto& [root, bits] : worker.passed)
            if (const auto place = find(root)) news = add_news(*place, bits) || news;
        worker.passed.clear();
    }
    // Where a configuration is, of whatever length its channels are, if it is there.
    std::optional<Place> find(const Cell* row) {
        if (!packing_.fits(row)) return {};
        const Words words = pack(row);
        workers[0]->path.numbers.clear();
        return find(*workers[0], words.data());
    }

    // ---- layers ------------------------------------------------------------------------------------------

    void start_layer(std::uint32_t faults, std::uint32_t actions) {
        now_ = {};
        now_.faults = faults;
        now_.actions = actions;
        Base::start_layer();
    }
    // False: nothing new was found.
    bool finish_layer() {
        static_cast<StoreLayer&>(now_) = Base::finish_layer();
        if (now_.size() == 0) return false;
        all[{now_.faults, now_.actions}] = now_;
        return true;
    }

    void add_initial() {
        Worker& worker = *workers[0];
        for (std::size_t p = 0; p < rules_.system.processes.size(); ++p)
            worker.row[p] = static_cast<Cell>(rules_.system.processes[p].initial);
        worker.successors.resize(words());
        packing_.pack(worker.row.data(), worker.successors.data());
        start_layer(0, 0);
        this->add_first();
        finish_layer();
    }

    // Packs what a step of the configuration at hand leads to, and puts it behind its other successors.
    void pack_successor(Worker& worker, const FaultyStep& step, const Cell* row) const {
        const std::size_t words = packing_.words(), before = worker.successors.size();
        worker.successors.resize(before + words);
        pack_after(worker, step, row, worker.successors.data() + before);
    }
    // The words of what a step leads to; returns the permutation that was applied.
    std::uint32_t pack_after(Worker& worker, const FaultyStep& step, const Cell* row, std::uint64_t* words) const {
        const auto [least, permutation] = worker.symmetry.canonical(row);
        if (permutation != 0) {
            packing_.pack(least, words);
            return permutation;
        }
        std::copy_n(worker.path.words.begin(), packing_.words(), words);
        const Transition& t = rules_.system.processes[step.process].transitions[step.transition];
        packing_.repack(row, step.process, t.channel, words);
        return 0;
    }
    Words pack(const Cell* row) const {
        Words words(packing_.words());
        packing_.pack(row, words.data());
        return words;
    }
    std::vector<Cell> unpack(const Words& words) const {
        std::vector<Cell> row(workers[0]->row.size());
        packing_.unpack(words.data(), row.data());
        return row;
    }

  private:
    const Rules& rules_;
    const Packing<Cell> packing_;
    const std::uint32_t mask_bytes_;
    Layer now_;

    StormLayers(const Rules& rules, const Layout& layout, Monitor& monitor, Packing<Cell> packing)
        : Base(packing.words(), rules.question.parallel_from, monitor), rules_(rules), packing_(std::move(packing)),
          mask_bytes_(bytes_of_mask(rules.question)) {
        for (std::uint32_t i = 0; i < rules.question.threads; ++i)
            workers.push_back(std::make_unique<Worker>(rules, layout, packing_));
        if (mask_bytes_ && !this->take_masks(mask_bytes_)) stop = Stop::memory;
    }

    static std::uint32_t bytes_of_mask(const Question& q) {
        const bool needed = std::any_of(q.asks.begin(), q.asks.end(), [](const Ask& ask) { return ask.always; });
        return needed ? static_cast<std::uint32_t>(q.asks.size()) / 8 + 1 : 0;
    }
    std::uint32_t news_bit() const { return 1u << rules_.question.asks.size(); }
    // The byte that has it, and which bit it is there.
    std::atomic_ref<std::uint8_t> news_byte(Place place) { return byte(place, mask_bytes_ - 1); }
    std::uint8_t news_in_byte() const { return static_cast<std::uint8_t>(news_bit() >> 8 * (mask_bytes_ - 1)); }
};

}  // namespace stormproof::survival
