// Configurations in layers, in the compact store (compact_store.hpp).
//
// A layer has those that a storm with so many faults and actions reaches, and no storm with less. Layers lie one behind
// the other in the store, so nothing is noted of a configuration: neither its steps nor how it was reached. Steps are
// made again wherever they are needed. Threads share the blocks of a layer, and collect what they find for each shard of
// the store, so that a shard is locked once for many.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "compact_store.hpp"
#include "parallel.hpp"
#include "survival_packing.hpp"
#include "survival_predecessors.hpp"
#include "survival_stubborn.hpp"
#include "survival_turns.hpp"

namespace stormproof::survival {

struct Layer {
    std::uint32_t faults = 0, actions = 0;
    std::vector<std::uint64_t> begin, end;  // in each shard of the store
    // How it was expanded: the asks that were open, whether a send was known to hit the bound, and by reduction or not.
    std::uint32_t open = 0;
    bool hit = false, reduces = false;
    std::vector<std::uint8_t> strikes;  // number of faults -> is there a step with so many?

    std::uint64_t size() const {
        std::uint64_t sum = 0;
        for (std::size_t s = 0; s < begin.size(); ++s) sum += end[s] - begin[s];
        return sum;
    }
    // Does a step lead from here to configurations of storms with so many faults?
    bool leads_to(std::uint32_t level) const {
        return level == faults || (level > faults && level - faults < strikes.size() && strikes[level - faults]);
    }
};

// What one thread works with.
template <class Cell>
struct alignas(cache_line) LayerWorker {
    LayerWorker(const Rules& rules, const Layout& layout)
        : steps(rules, layout), before(rules, layout), closed(rules, layout), turns(rules.system, layout, rules.question.group),
          row(layout.cells) {}

    Steps<Cell> steps;
    CalmPredecessors<Cell> before;
    ClosedProcesses<Cell> closed;
    RowTurns<Cell> turns;
    WordTree::Path path;                    // of the configuration at hand: its words, and those above them
    std::vector<Cell> row;                  // the same configuration
    std::vector<std::uint64_t> successors;  // the words of each
    std::vector<std::uint64_t> scratch;
    std::array<std::vector<std::uint64_t>, CompactStore::shards> outgoing;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> passed;  // the roots to which bits are passed, and the bits
    std::uint32_t shard = 0;                // what is left of its block
    std::uint64_t at = 0, end = 0;
    std::uint64_t budget = 0, wanted = 0;   // words that it may number before there must be more room
};

// Where a configuration is in the store.
struct Place {
    std::uint32_t shard = 0;
    std::uint64_t at = 0;
};

enum class Then : std::uint8_t { next, again, enough };  // again: when there is more room

template <class Cell>
class Layers {
  public:
    using Worker = LayerWorker<Cell>;
    using Words = std::vector<std::uint64_t>;

    Layers(const Rules& rules, const Layout& layout, Monitor& monitor)
        : rules_(rules), packing_(rules.system, rules.question, layout, rules.question.k), monitor_(monitor), tree_(packing_.words()),
          store_(monitor) {
        for (std::uint32_t i = 0; i < rules.question.threads; ++i)
            workers.push_back(std::make_unique<Worker>(rules, layout));
        for (const Ask& ask : rules.question.asks)
            if (ask.always) mask_bytes_ = static_cast<std::uint32_t>(rules.question.asks.size()) / 8 + 1;
    }

    std::vector<std::unique_ptr<Worker>> workers;
    Stop stop = Stop::none;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Layer> all;  // by faults and actions
    std::uint64_t settled = 0;  // configurations whose steps are known
    std::atomic<bool> news{false};  // some configuration has got a bit that its predecessors do not know of

    std::uint64_t size() const { return store_.size(); }
    std::uint64_t bytes() const { return store_.bytes() + others(); }

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
        byte(place, mask_bytes_ - 1).fetch_or(static_cast<std::uint8_t>(news_bit() >> 8 * (mask_bytes_ - 1)));
        return true;
    }
    bool has_news(Place place) { return byte(place, mask_bytes_ - 1).load(relaxed) & (news_bit() >> 8 * (mask_bytes_ - 1)); }
    // The mask, of which predecessors are told now.
    std::uint32_t take_news(Place place) {
        byte(place, mask_bytes_ - 1).fetch_and(static_cast<std::uint8_t>(~(news_bit() >> 8 * (mask_bytes_ - 1))));
        return mask(place);
    }
    // Passes bits on to a predecessor of the configuration at hand, if it is there: several at a time, since each is
    // somewhere else in memory. Call `pass_on` after the last one.
    void pass_back(Worker& worker, const Strike& strike, const Cell* row, std::uint32_t bits) {
        const Transition& t = rules_.system.processes[strike.process].transitions[strike.transition];
        if (t.kind == TransitionKind::receive && !packing_.knows(t.channel, t.message)) return;
        worker.successors.resize(packing_.words());
        pack_after(worker, strike, row, worker.successors.data());
        if (!tree_.find(worker.successors.data(), worker.path, worker.scratch)) return;
        worker.passed.emplace_back(worker.scratch[0], bits);
        if (worker.passed.size() == batch) pass_on(worker);
    }
    void pass_on(Worker& worker) {
        for (const auto& [root, bits] : worker.passed) shard(root).fetch_slot(hash_of_word(root));
        for (const auto& [root, bits] : worker.passed) shard(root).fetch_word(hash_of_word(root));
        for (const auto& [root, bits] : worker.passed)
            if (const auto place = find(root)) news = add_news(*place, bits) || news;
        worker.passed.clear();
    }
    // Where a configuration is, if it is there.
    std::optional<Place> find(Worker& worker, const std::uint64_t* words) const {
        if (!tree_.find(words, worker.path, worker.scratch)) return {};
        return find(worker.scratch[0]);
    }
    // The same for a row, of whatever length its channels are.
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
        now_.begin = sizes();
    }
    // False: nothing new was found.
    bool finish_layer() {
        for (auto& worker : workers)
            for (std::uint32_t shard = 0; shard < CompactStore::shards; ++shard) flush(*worker, shard);
        now_.end = sizes();
        for (std::uint32_t shard = 0; mask_bytes_ && shard < CompactStore::shards; ++shard)
            if (!masks_[shard].reserve(now_.end[shard] * mask_bytes_)) stop = Stop::memory;
        if (now_.size() == 0) return false;
        all[{now_.faults, now_.actions}] = now_;
        return true;
    }

    void add_initial() {
        Worker& worker = *workers[0];
        for (std::size_t p = 0; p < rules_.system.processes.size(); ++p)
            worker.row[p] = static_cast<Cell>(rules_.system.processes[p].initial);
        worker.successors.resize(packing_.words());
        packing_.pack(worker.row.data(), worker.successors.data());
        start_layer(0, 0);
        hand_out_budget(1);
        if (stop == Stop::none) add_successors(worker);
        finish_layer();
    }

    // visit(worker) for each configuration of a layer, until a limit is hit or one says that it is enough.
    template <class Visit>
    void each(const Layer& layer, Visit&& visit) {
        each(layer, [](Place) { return true; }, visit);
    }
    // Those of which wanted(place) is true.
    template <class Wanted, class Visit>
    void each(const Layer& layer, Wanted&& wanted, Visit&& visit) {
        blocks_.clear();
        for (std::uint32_t s = 0; s < CompactStore::shards; ++s)
            blocks_.push_back((layer.end[s] - layer.begin[s] + block - 1) / block + (s ? blocks_.back() : 0));
        cursor_ = 0;
        enough_ = false;
        for (bool left = true; left && stop == Stop::none && !enough_;) {
            const std::uint64_t more = blocks_.back() - std::min<std::uint64_t>(blocks_.back(), cursor_);
            const bool alone = more * block < rules_.question.parallel_from && !unfinished(1);
            const auto active = alone ? 1u : static_cast<unsigned>(workers.size());
            hand_out_budget(active);
            halt_ = stop != Stop::none;
            in_parallel(active, [&](unsigned who) { work(*workers[who], layer, wanted, visit); });
            if (failed_ != Stop::none) stop = failed_;
            left = cursor_ < blocks_.back() || unfinished(0);
        }
        for (auto& worker : workers) worker->at = worker->end = 0;
        report();
    }

    // Packs what a step of the configuration at hand leads to, and puts it behind its other successors.
    void pack_successor(Worker& worker, const Strike& strike, const Cell* row) const {
        const std::size_t words = packing_.words(), before = worker.successors.size();
        worker.successors.resize(before + words);
        pack_after(worker, strike, row, worker.successors.data() + before);
    }
    // The words of what a step leads to; returns the permutation that was applied.
    std::uint32_t pack_after(Worker& worker, const Strike& strike, const Cell* row, std::uint64_t* words) const {
        const auto [least, turn] = worker.turns.settle(row);
        if (turn != 0) {
            packing_.pack(least, words);
            return turn;
        }
        std::copy_n(worker.path.words.begin(), packing_.words(), words);
        const Transition& t = rules_.system.processes[strike.process].transitions[strike.transition];
        packing_.repack(row, strike.process, t.channel, words);
        return 0;
    }
    // Adds the successors to the layer that was started.
    Then add_successors(Worker& worker) {
        const std::uint64_t count = worker.successors.size() / packing_.words();
        const std::uint64_t most = worker.successors.size() * 2;  // a tree has fewer than twice as many words as leaves
        if (worker.budget < most) {
            worker.wanted = most;
            return Then::again;
        }
        std::uint64_t added = 0;
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint64_t* words = worker.successors.data() + i * packing_.words();
            const std::uint64_t root = tree_.root(words, worker.path, worker.scratch, added);
            const std::uint32_t shard = CompactStore::shard_of(root);
            worker.outgoing[shard].push_back(root);
            if (worker.outgoing[shard].size() == batch) flush(worker, shard);
        }
        worker.budget -= added;
        return Then::next;
    }

    Words words_of(const Worker& worker) const {
        return {worker.path.words.begin(), worker.path.words.begin() + packing_.words()};
    }
    std::uint32_t words() const { return packing_.words(); }
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
    static constexpr std::uint64_t block = 256;
    static constexpr std::size_t batch = 64;
    static constexpr unsigned checked_blocks = 16;

    const Rules& rules_;
    const Packing<Cell> packing_;
    Monitor& monitor_;
    WordTree tree_;
    CompactStore store_;
    std::uint32_t mask_bytes_ = 0;
    std::array<Growing<std::uint8_t>, CompactStore::shards> masks_;
    Layer now_;
    std::vector<std::uint64_t> blocks_;  // of the layer at hand: how many there are up to each shard
    alignas(cache_line) std::atomic<std::uint64_t> cursor_{0};
    alignas(cache_line) std::atomic<bool> halt_{false};
    std::atomic<bool> enough_{false};
    std::atomic<Stop> failed_{Stop::none};

    std::uint64_t others() const {
        return tree_.bytes() + workers.size() * CompactStore::shards * batch * 8 + store_.size() * mask_bytes_;
    }

    std::uint32_t news_bit() const { return 1u << rules_.question.asks.size(); }
    const CompactShard& shard(std::uint64_t root) const { return store_[CompactStore::shard_of(root)]; }
    std::optional<Place> find(std::uint64_t root) const {
        const std::uint32_t at = shard(root).find(root, hash_of_word(root));
        if (at == CompactShard::absent) return {};
        return Place{CompactStore::shard_of(root), at};
    }

    static constexpr auto relaxed = std::memory_order_relaxed;
    std::atomic_ref<std::uint8_t> byte(Place place, std::uint32_t i) {
        return std::atomic_ref(masks_[place.shard][place.at * mask_bytes_ + i]);
    }

    std::vector<std::uint64_t> sizes() const {
        std::vector<std::uint64_t> out;
        for (std::uint32_t s = 0; s < CompactStore::shards; ++s) out.push_back(store_[s].size());
        return out;
    }

    void fail(Stop why) {
        Stop before = Stop::none;
        failed_.compare_exchange_strong(before, why);
        halt_ = true;
    }

    bool unfinished(std::size_t first) const {
        return std::any_of(workers.begin() + static_cast<std::ptrdiff_t>(first), workers.end(),
                           [](const auto& worker) { return worker->at < worker->end; });
    }

    void hand_out_budget(unsigned active) {
        std::uint64_t wanted = 1024;
        for (auto& worker : workers) wanted = std::max(wanted, worker->wanted);
        if (!monitor_.allows(bytes()) || !tree_.make_room(wanted * active)) stop = Stop::memory;
        for (auto& worker : workers) worker->budget = stop == Stop::none ? tree_.room() / active : 0;
    }

    template <class Wanted, class Visit>
    void work(Worker& worker, const Layer& layer, Wanted&& wanted, Visit&& visit) {
        for (unsigned turn = 0; !halt_; ++turn) {
            if (turn % checked_blocks == 0 && over_limit()) return;
            if (worker.at == worker.end && !take_block(worker, layer)) return;
            for (; worker.at < worker.end; ++worker.at) {
                if (!wanted(Place{worker.shard, worker.at})) continue;
                tree_.read(store_[worker.shard][worker.at], worker.path);
                packing_.unpack(worker.path.words.data(), worker.row.data());
                const Then then = visit(worker);
                if (then == Then::next) continue;
                enough_ = enough_ || then == Then::enough;
                halt_ = true;
                return;
            }
        }
    }

    bool take_block(Worker& worker, const Layer& layer) {
        const std::uint64_t number = cursor_.fetch_add(1);
        if (number >= blocks_.back()) return false;
        const auto found = std::upper_bound(blocks_.begin(), blocks_.end(), number);
        worker.shard = static_cast<std::uint32_t>(found - blocks_.begin());
        worker.at = layer.begin[worker.shard] + (number - (worker.shard ? found[-1] : 0)) * block;
        worker.end = std::min(worker.at + block, layer.end[worker.shard]);
        return true;
    }

    void flush(Worker& worker, std::uint32_t shard) {
        std::vector<std::uint64_t>& words = worker.outgoing[shard];
        if (!words.empty() && !store_.add(shard, words, others())) fail(Stop::memory);
        words.clear();
    }

    bool over_limit() {
        report();
        const Stop why = monitor_.over();
        if (why != Stop::none) fail(why);
        return why != Stop::none;
    }

    void report() {
        monitor_.states = size();
        monitor_.frontier = size() - std::min(size(), settled);
        monitor_.memory = bytes();
        monitor_.compact = true;
    }
};

}  // namespace stormproof::survival
