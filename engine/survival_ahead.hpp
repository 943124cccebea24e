// Steps that several threads make ahead of a search. What the search does with them it does alone and in its own order, so
// nothing that it finds depends on the number of threads.
//
// Configurations are expanded in blocks, while nothing is added to the store: each thread makes steps, takes the least row
// of each orbit and looks up which of them are in the store. That is most of the work; the search adds the others.
#pragma once

#include <atomic>
#include <memory>

#include "limits.hpp"
#include "parallel.hpp"
#include "survival_store.hpp"
#include "survival_stubborn.hpp"
#include "survival_turns.hpp"

namespace stormproof::survival {

// Which steps of configurations are wanted.
struct Wanted {
    std::uint32_t bound = 0;
    bool calm = false;                 // only those without faults
    std::uint32_t most = nothing;      // faults of a step
    bool reduces = false;              // only those of a closed set (survival_stubborn.hpp), chosen for
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
        const auto allowed = [&](const Strike& strike, std::uint32_t faults, const Cell* next) {
            if (!next || faults <= wanted.most) visit(strike.process, faults, next);
        };
        steps.each(row, wanted.bound, wanted.calm, allowed, only);
        if (!wanted.reduces || !Monitor::is_sampled(id)) return;
        enabled += count(row, wanted, nullptr);
        taken += count(row, wanted, only);
    }

  private:
    std::uint64_t count(const Cell* row, const Wanted& wanted, const std::vector<std::uint8_t>* only) {
        std::uint64_t number = 0;
        steps.each(row, wanted.bound, wanted.calm, [&](const Strike&, std::uint32_t, const Cell*) { ++number; }, only);
        return number;
    }
};

template <class Cell>
class StepsAhead {
  public:
    StepsAhead(const Rules& rules, const Layout& layout, const Store<Cell>& store)
        : rules_(rules), layout_(layout), store_(store) {}

    // The steps of the next calls are those of another list.
    void start() { begin_ = end_ = 0; }

    // visit(process, faults, row, number) for each step from the i-th configuration of a list that may grow: a null row and its
    // number, which is `nothing` for a send that hits the bound; or, if it is not in the store, the least row of its orbit and the hash.
    // False: the search has to make them itself, because they are too few for several threads.
    template <class Visit>
    bool each(const std::vector<std::uint32_t>& list, std::size_t i, const Wanted& wanted, Visit&& visit) {
        if (i < begin_ || i >= end_ || wanted != wanted_) {
            if (!pays(wanted, list.size() - i)) return false;
            make(list, i, wanted);
        }
        if (i + 4 < end_) fetch(items_[i + 4 - begin_]);
        const Item& item = items_[i - begin_];
        const Worker& worker = *workers_[item.worker];
        const Cell* row = worker.rows.data() + item.row;
        for (std::size_t s = item.step; s < item.end; ++s) {
            const Step& step = worker.made[s];
            const bool kept = !step.hit && step.number == nothing;
            visit(step.process, step.faults, kept ? row : nullptr, kept ? step.hash : step.number);
            if (kept) row += layout_.cells;
        }
        return true;
    }

    std::uint64_t enabled() const { return sum([](const Worker& worker) { return worker.expander.enabled; }); }
    std::uint64_t taken() const { return sum([](const Worker& worker) { return worker.expander.taken; }); }
    std::uint64_t bytes() const {
        return items_.capacity() * sizeof(Item) + sum([](const Worker& worker) {
                   return worker.made.capacity() * sizeof(Step) + worker.rows.capacity() * sizeof(Cell);
               });
    }

  private:
    static constexpr std::size_t block = 1 << 14, most_in_chunk = 64;  // configurations made at a time, and handed to a thread

    struct Step {
        std::uint32_t process, faults, number;
        bool hit;
        std::uint64_t hash;
    };
    // The steps of a configuration: where they are, and where the rows of those begin that are not in the store.
    struct Item {
        std::uint32_t worker = 0;
        std::size_t step = 0, end = 0, row = 0;
    };
    struct Worker {
        Worker(const Rules& rules, const Layout& layout)
            : expander(rules, layout), turns(rules.system, layout, rules.question.group) {}
        Expander<Cell> expander;
        RowTurns<Cell> turns;
        std::vector<Step> made;
        std::vector<Cell> rows;
    };

    const Rules& rules_;
    const Layout& layout_;
    const Store<Cell>& store_;
    Wanted wanted_;
    std::size_t begin_ = 0, end_ = 0;  // what of the list was made
    std::vector<Item> items_;
    std::vector<std::unique_ptr<Worker>> workers_;

    template <class Of>
    std::uint64_t sum(Of&& of) const {
        std::uint64_t total = 0;
        for (const auto& worker : workers_) total += of(*worker);
        return total;
    }

    // Without reduction and symmetry, steps are made about as fast as they are added: a second thread does not help.
    bool pays(const Wanted& wanted, std::size_t configurations) const {
        const Question& q = rules_.question;
        const bool slow = wanted.reduces || q.group.size() > 1;
        return q.threads > (slow ? 1 : 2) && configurations >= std::max<std::uint64_t>(q.parallel_from / 8, 1);
    }

    void make(const std::vector<std::uint32_t>& list, std::size_t from, const Wanted& wanted) {
        wanted_ = wanted;
        begin_ = end_ = from;
        const std::size_t until = std::min(list.size(), from + block);
        items_.resize(until - from);
        while (workers_.size() < rules_.question.threads) workers_.push_back(std::make_unique<Worker>(rules_, layout_));
        const std::size_t chunk = std::clamp<std::size_t>(items_.size() / (8 * workers_.size()), 1, most_in_chunk);
        std::atomic<std::size_t> next{from};
        in_parallel(rules_.question.threads, [&](unsigned who) {
            Worker& worker = *workers_[who];
            worker.made.clear();
            worker.rows.clear();
            for (std::size_t at; (at = next.fetch_add(chunk)) < until;)
                for (std::size_t i = at; i < std::min(at + chunk, until); ++i) items_[i - from] = expand(who, list[i]);
        });
        end_ = until;
    }

    // What the search will need for the steps of a configuration.
    void fetch(const Item& item) const {
        for (std::size_t s = item.step; s < item.end; ++s) {
            const Step& step = workers_[item.worker]->made[s];
            if (step.number != nothing) store_.fetch(step.number);
            else if (!step.hit) store_.fetch_slot(step.hash);
        }
    }

    Item expand(unsigned who, std::uint32_t id) {
        Worker& worker = *workers_[who];
        Item item{who, worker.made.size(), 0, worker.rows.size()};
        worker.expander.each(id, store_.row(id), wanted_, [&](std::uint32_t process, std::uint32_t faults, const Cell* row) {
            const Cell* least = row ? worker.turns.settle(row).first : nullptr;
            const std::uint64_t hash = least ? store_.hash_of(least) : 0;
            const std::uint32_t number = least ? store_.find(least, hash) : nothing;
            worker.made.push_back({process, faults, number, !row, hash});
            if (least && number == nothing) worker.rows.insert(worker.rows.end(), least, least + layout_.cells);
        });
        item.end = worker.made.size();
        return item;
    }
};

}  // namespace stormproof::survival
