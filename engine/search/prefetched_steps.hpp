// Steps that several threads make ahead of a search. What the search does with them it does alone and in its own order, so
// nothing that it finds depends on the number of threads.
//
// While the search takes the steps of one part of its list, the other threads make those of the parts that follow
// (pipeline.hpp): they make steps, take the least row of each orbit and look up which of them are in the store, to which the
// search adds meanwhile. A row that was found has its number for good. One that was not may have been added since, so the
// search looks it up again when it adds it.
#pragma once

#include <atomic>
#include <memory>

#include "core/limits.hpp"
#include "core/pipeline.hpp"
#include "reduce/closed_processes.hpp"
#include "reduce/row_symmetry.hpp"
#include "store/row_store.hpp"

namespace stormproof::survival {

// Which steps of configurations are wanted.
struct Wanted {
    std::uint32_t bound = 0;
    bool calm = false;                 // only those without faults
    std::uint32_t most = nothing;      // faults of a step
    bool reduces = false;              // only those of a closed set (closed_processes.hpp), chosen for
    std::uint32_t open = 0;            // these asks, and
    bool hit = false;                  // a send is known to hit the bound
    bool operator==(const Wanted&) const = default;
};

template <class Cell>
struct Expander {
    Expander(const Rules& rules, const Layout& layout) : steps(rules, layout), closed(rules, layout) {}

    Steps<Cell> steps;
    ClosedProcesses<Cell> closed;
    std::uint64_t enabled = 0, taken = 0;  // see Monitor

    // visit(process, faults, row) with the row after the step, or null for a send that hits the bound.
    template <class Visit>
    void each(std::uint32_t id, const Cell* row, const Wanted& wanted, Visit&& visit) {
        const auto* only = wanted.reduces ? closed.choose(row, wanted.open, wanted.hit) : nullptr;
        const auto allowed = [&](const FaultyStep& step, std::uint32_t faults, const Cell* next) {
            if (!next || faults <= wanted.most) visit(step.process, faults, next);
        };
        steps.each(row, wanted.bound, wanted.calm, allowed, only);
        if (!wanted.reduces || !Monitor::is_sampled(id)) return;
        enabled += count(row, wanted, nullptr);
        taken += count(row, wanted, only);
    }

  private:
    std::uint64_t count(const Cell* row, const Wanted& wanted, const std::vector<std::uint8_t>* only) {
        std::uint64_t number = 0;
        steps.each(row, wanted.bound, wanted.calm, [&](const FaultyStep&, std::uint32_t, const Cell*) { ++number; }, only);
        return number;
    }
};

template <class Cell>
class PrefetchedSteps {
  public:
    PrefetchedSteps(const Rules& rules, const Layout& layout, const Store<Cell>& store)
        : rules_(rules), layout_(layout), store_(store), parts_(parts_per_thread * rules.question.threads),
          pipeline_(rules.question.threads, parts_.size(), [this](unsigned who, std::size_t number) { make(who, number); }) {}

    // The steps of the next calls are those of another list.
    void start() { begin_ = end_ = 0; }

    // visit(process, faults, row, number) for each step from the i-th configuration of a list that may grow: a null row and its
    // number, which is `nothing` for a send that hits the bound; or, if it may not be in the store, the least row of its orbit
    // and the hash. False: the search has to make them itself, because they are too few for several threads.
    template <class Visit>
    bool each(const std::vector<std::uint32_t>& list, std::size_t i, const Wanted& wanted, Visit&& visit) {
        if (i < begin_ || i >= end_ || wanted != wanted_) {
            if (!pays(list.size() - i)) return false;
            begin(list, i, wanted);
        }
        const Part& part = await(list, i);
        const std::size_t place = (i - begin_) % each_;
        if (place + 4 < part.items.size()) fetch(part, part.items[place + 4]);
        const Item& item = part.items[place];
        const Cell* row = part.rows.data() + item.row;
        for (std::size_t s = item.step; s < item.end; ++s) {
            const Step& step = part.steps[s];
            const bool kept = !step.hit && step.number == nothing;
            visit(step.process, step.faults, kept ? row : nullptr, kept ? step.hash : step.number);
            if (kept) row += layout_.cells;
        }
        return true;
    }

    std::uint64_t enabled() const { return enabled_; }
    std::uint64_t taken() const { return taken_; }
    std::uint64_t bytes() const { return bytes_; }

  private:
    struct Step {
        std::uint32_t process, faults, number;
        bool hit;
        std::uint64_t hash;
    };
    // The steps of a configuration: where they are, and where the rows of those begin that were not in the store.
    struct Item {
        std::size_t step = 0, end = 0, row = 0;
    };
    // A copy of a part of the list, which may end before the threads do, and what they made of it.
    struct Part {
        std::vector<std::uint32_t> ids;
        std::vector<Item> items;  // of each
        std::vector<Step> steps;
        std::vector<Cell> rows;
        std::uint64_t enabled = 0, taken = 0;  // see Monitor
        std::uint64_t counted = 0;             // of these bytes
        std::uint64_t bytes() const {
            return ids.capacity() * 4 + items.capacity() * sizeof(Item) + steps.capacity() * sizeof(Step) +
                   rows.capacity() * sizeof(Cell);
        }
    };
    struct Worker {
        Worker(const Rules& rules, const Layout& layout)
            : expander(rules, layout), symmetry(rules.system, layout, rules.question.group) {}
        Expander<Cell> expander;
        RowSymmetry<Cell> symmetry;
    };
    static constexpr std::size_t most_in_part = 64, parts_per_thread = 32;

    const Rules& rules_;
    const Layout& layout_;
    const Store<Cell>& store_;
    Wanted wanted_;
    std::size_t begin_ = 0, end_ = 0;   // what of the list is made, or will be
    std::size_t each_ = 1;              // configurations of a part
    std::size_t first_ = 0, next_ = 0;  // numbers of parts: of the one at `begin_`, and of the next one that is awaited
    std::uint64_t enabled_ = 0, taken_ = 0;
    std::atomic<std::uint64_t> bytes_{0};
    std::vector<Part> parts_;
    std::vector<std::unique_ptr<Worker>> workers_;
    Pipeline pipeline_;

    bool pays(std::size_t configurations) const {
        const Question& q = rules_.question;
        return q.threads > 1 && configurations >= std::max<std::uint64_t>(q.parallel_from / 8, 1);
    }

    void begin(const std::vector<std::uint32_t>& list, std::size_t from, const Wanted& wanted) {
        pipeline_.drop();
        while (workers_.size() < rules_.question.threads) workers_.push_back(std::make_unique<Worker>(rules_, layout_));
        wanted_ = wanted;
        begin_ = from;
        end_ = list.size();
        const std::size_t most = std::min<std::size_t>(most_in_part, rules_.check_every);
        each_ = std::clamp<std::size_t>((end_ - begin_) / (8 * workers_.size()), 1, most);
        first_ = next_ = pipeline_.posted();
    }

    // The part with the i-th configuration, once it is made. All parts are awaited, so that the place of one that the search
    // has passed can be used again.
    const Part& await(const std::vector<std::uint32_t>& list, std::size_t i) {
        for (const std::size_t number = first_ + (i - begin_) / each_; next_ <= number; ++next_) {
            if (pipeline_.posted() <= next_ + parts_.size() / 2) post(list);
            pipeline_.await(next_);
            enabled_ += part(next_).enabled;
            taken_ += part(next_).taken;
        }
        return part(next_ - 1);
    }

    Part& part(std::size_t number) { return parts_[number % parts_.size()]; }

    // Posts parts of the list until all places are in use: many at a time, so that threads that wait are seldom woken.
    void post(const std::vector<std::uint32_t>& list) {
        const auto at = [&](std::size_t i) { return list.begin() + static_cast<std::ptrdiff_t>(std::min(i, end_)); };
        while (pipeline_.posted() < next_ + parts_.size()) {
            const std::size_t from = begin_ + (pipeline_.posted() - first_) * each_;
            if (from >= end_) return;
            part(pipeline_.posted()).ids.assign(at(from), at(from + each_));
            pipeline_.post();
        }
    }

    // What the search will need for the steps of a configuration.
    void fetch(const Part& part, const Item& item) const {
        for (std::size_t s = item.step; s < item.end; ++s) {
            const Step& step = part.steps[s];
            if (step.number != nothing) store_.fetch(step.number);
            else if (!step.hit) store_.fetch_slot(step.hash);
        }
    }

    void make(unsigned who, std::size_t number) {
        Part& part = this->part(number);
        Worker& worker = *workers_[who];
        const std::uint64_t enabled = worker.expander.enabled, taken = worker.expander.taken;
        part.items.clear();
        part.steps.clear();
        part.rows.clear();
        {
            const auto still = store_.hold_still();
            for (const std::uint32_t id : part.ids) part.items.push_back(expand(worker, part, id));
        }
        part.enabled = worker.expander.enabled - enabled;
        part.taken = worker.expander.taken - taken;
        bytes_ += part.bytes() - part.counted;
        part.counted = part.bytes();
    }

    Item expand(Worker& worker, Part& part, std::uint32_t id) {
        Item item{part.steps.size(), 0, part.rows.size()};
        worker.expander.each(id, store_.row(id), wanted_, [&](std::uint32_t process, std::uint32_t faults, const Cell* row) {
            const Cell* least = row ? worker.symmetry.canonical(row).first : nullptr;
            const std::uint64_t hash = least ? store_.hash_of(least) : 0;
            const std::uint32_t number = least ? store_.find(least, hash) : nothing;
            part.steps.push_back({process, faults, number, !row, hash});
            if (least && number == nothing) part.rows.insert(part.rows.end(), least, least + layout_.cells);
        });
        item.end = part.steps.size();
        return item;
    }
};
extern template class PrefetchedSteps<std::uint8_t>;
extern template class PrefetchedSteps<std::uint16_t>;

}  // namespace stormproof::survival
