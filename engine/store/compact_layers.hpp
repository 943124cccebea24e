// Configurations in layers, in the compact store (compact_store.hpp).
//
// Layers lie one behind the other in the store, so nothing is noted of a configuration: neither its steps nor how it was
// reached. Steps are made again wherever they are needed. Threads share the blocks of a layer, and collect what they find
// for each shard of the store, so that a shard is locked once for many. A few bytes of mask may be kept for each
// configuration.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "core/function_ref.hpp"
#include "core/parallel.hpp"
#include "core/usage.hpp"
#include "store/compact_store.hpp"

namespace stormproof {

// In each shard of the store the places from `begin` to `end`.
struct StoreLayer {
    std::vector<std::uint64_t> begin, end;

    std::uint64_t size() const {
        std::uint64_t sum = 0;
        for (std::size_t s = 0; s < begin.size(); ++s) sum += end[s] - begin[s];
        return sum;
    }
};

// Where a configuration is in the store.
struct Place {
    std::uint32_t shard = 0;
    std::uint64_t at = 0;
};

enum class Then : std::uint8_t { next, again, enough };  // again: when there is more room

// What one thread works with; those who use layers add to it.
struct alignas(cache_line) LayerThread {
    WordTree::Path path;                    // of the configuration at hand: its words, and those above them
    std::vector<std::uint64_t> successors;  // the words of each
    std::vector<std::uint64_t> scratch;
    std::array<std::vector<std::uint64_t>, CompactStore::shards> outgoing;
    std::uint32_t shard = 0;                // what is left of its block
    std::uint64_t at = 0, end = 0;
    std::uint64_t budget = 0, wanted = 0;   // words that it may number before there must be more room

    Place place() const { return {shard, at}; }
};

// A Worker is a LayerThread whose take() makes the configuration at hand of the words of its path.
template <class Worker>
class CompactLayers {
  public:
    using Words = std::vector<std::uint64_t>;

    // `parallel_from`: layers of fewer configurations are left to one thread. `beside`: what else takes memory.
    CompactLayers(std::uint32_t words, std::uint64_t parallel_from, Monitor& monitor, const Usage* beside = nullptr)
        : words_(words), parallel_from_(parallel_from), monitor_(monitor), beside_(beside), tree_(words), store_(monitor) {}

    std::vector<std::unique_ptr<Worker>> workers;
    Stop stop = Stop::none;
    std::uint64_t expanded = 0;  // configurations whose steps are known

    std::uint32_t words() const { return words_; }
    std::uint64_t size() const { return store_.size(); }
    std::uint64_t bytes() const { return store_.bytes() + others(); }
    Words words_of(const Worker& worker) const {
        return {worker.path.words.begin(), worker.path.words.begin() + words_};
    }

    // Makes it the configuration at hand.
    void read(Worker& worker, Place place) const {
        tree_.read(store_[place.shard][place.at], worker.path);
        worker.take();
    }

    // Where a configuration is, if it is there: of a root, or of words most of which are as in the path of the worker.
    std::optional<Place> find(std::uint64_t root) const {
        const std::uint32_t at = shard(root).find(root, hash_of_word(root));
        if (at == CompactShard::absent) return {};
        return Place{CompactStore::shard_of(root), at};
    }
    std::optional<Place> find(Worker& worker, const std::uint64_t* words) const {
        const std::optional<std::uint64_t> root = root_of(worker, words);
        return root ? find(*root) : std::nullopt;
    }
    std::optional<std::uint64_t> root_of(Worker& worker, const std::uint64_t* words) const {
        if (!tree_.find(words, worker.path, worker.scratch)) return {};
        return worker.scratch[0];
    }
    // Fetches from memory what will be read to find these roots: each is somewhere else, so it is best done for several.
    template <class Items>
    void fetch(const Items& items) const {
        for (const auto& item : items) shard(item.root).fetch_slot(hash_of_word(item.root));
        for (const auto& item : items) shard(item.root).fetch_word(hash_of_word(item.root));
    }

    // ---- masks -------------------------------------------------------------------------------------------

    // From now on each configuration has so many bytes, zero at first; false: there is no memory for them.
    bool take_masks(std::uint32_t bytes) {
        mask_bytes_ = bytes;
        return monitor_.allows(this->bytes()) && reserve_masks();
    }
    std::atomic_ref<std::uint8_t> byte(Place place, std::uint32_t i = 0) {
        return std::atomic_ref(masks_[place.shard][place.at * mask_bytes_ + i]);
    }
    void fetch_byte(Place place) const { prefetch(&masks_[place.shard][place.at * mask_bytes_]); }
    // Leaves of every byte only these bits.
    void keep_of_masks(std::uint8_t bits) {
        for (std::uint32_t s = 0; s < CompactStore::shards; ++s)
            for (std::uint64_t i = 0; i < store_[s].size() * mask_bytes_; ++i) masks_[s][i] &= bits;
    }

    // ---- layers ------------------------------------------------------------------------------------------

    void start_layer() { begin_ = sizes(); }
    // What was added since it was started.
    StoreLayer finish_layer() {
        for (auto& worker : workers)
            for (std::uint32_t shard = 0; shard < CompactStore::shards; ++shard) flush(*worker, shard);
        if (!reserve_masks()) stop = Stop::memory;
        if (failed_ != Stop::none) stop = failed_;
        return {begin_, sizes()};
    }
    // Adds the words that are the successors of the first worker, before there is a layer.
    void add_first() {
        hand_out_budget(1);
        if (stop == Stop::none) add_successors(*workers[0]);
    }
    // Adds the successors to the layer that was started.
    Then add_successors(Worker& worker) {
        const std::uint64_t count = worker.successors.size() / words_;
        const std::uint64_t most = worker.successors.size() * 2;  // a tree has fewer than twice as many words as leaves
        if (worker.budget < most) {
            worker.wanted = most;
            return Then::again;
        }
        std::uint64_t added = 0;
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint64_t root = tree_.root(worker.successors.data() + i * words_, worker.path, worker.scratch, added);
            const std::uint32_t shard = CompactStore::shard_of(root);
            worker.outgoing[shard].push_back(root);
            if (worker.outgoing[shard].size() == batch) flush(worker, shard);
        }
        worker.budget -= added;
        return Then::next;
    }

    using Visit = FunctionRef<Then(Worker&)>;
    using Wanted = FunctionRef<bool(Place)>;

    // visit(worker) for each configuration of a layer, until a limit is hit or one says that it is enough.
    void each(const StoreLayer& layer, Visit visit) {
        each(layer, [](Place) { return true; }, visit);
    }
    // Those of which wanted(place) is true.
    void each(const StoreLayer& layer, Wanted wanted, Visit visit) {
        blocks_.clear();
        for (std::uint32_t s = 0; s < CompactStore::shards; ++s)
            blocks_.push_back((layer.end[s] - layer.begin[s] + block - 1) / block + (s ? blocks_.back() : 0));
        cursor_ = 0;
        enough_ = false;
        for (bool left = true; left && stop == Stop::none && !enough_;) {
            const std::uint64_t more = blocks_.back() - std::min<std::uint64_t>(blocks_.back(), cursor_);
            const bool alone = more * block < parallel_from_ && !unfinished(1);
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

    static constexpr std::size_t batch = 64;  // so many are added, or looked up, together

  private:
    static constexpr std::uint64_t block = 256;
    static constexpr unsigned checked_blocks = 16;

    const std::uint32_t words_;
    const std::uint64_t parallel_from_;
    Monitor& monitor_;
    const Usage* const beside_;
    WordTree tree_;
    CompactStore store_;
    std::uint32_t mask_bytes_ = 0;
    std::array<Growing<std::uint8_t>, CompactStore::shards> masks_;
    std::vector<std::uint64_t> begin_;   // of the layer that was started
    std::vector<std::uint64_t> blocks_;  // of the layer at hand: how many there are up to each shard
    alignas(cache_line) std::atomic<std::uint64_t> cursor_{0};
    alignas(cache_line) std::atomic<bool> halt_{false};
    std::atomic<bool> enough_{false};
    std::atomic<Stop> failed_{Stop::none};

    const CompactShard& shard(std::uint64_t root) const { return store_[CompactStore::shard_of(root)]; }

    std::uint64_t others() const {
        return (beside_ ? beside_->bytes() : 0) + tree_.bytes() + workers.size() * CompactStore::shards * batch * 8 + store_.size() * mask_bytes_;
    }

    // What is kept free, where memory is taken beside: that is not asked for here, nor are the words that threads number.
    std::uint64_t reserve() const { return beside_ ? workers.size() * 3 * 8192 : 0; }
    // So many words may be numbered before that is looked at again.
    std::uint64_t affordable() const {
        if (!beside_ || monitor_.max_bytes() == 0) return UINT64_MAX;
        return (monitor_.max_bytes() - std::min(monitor_.max_bytes(), bytes())) / (16 * sizeof(std::uint64_t));
    }

    std::vector<std::uint64_t> sizes() const {
        std::vector<std::uint64_t> out;
        for (std::uint32_t s = 0; s < CompactStore::shards; ++s) out.push_back(store_[s].size());
        return out;
    }

    bool reserve_masks() {
        for (std::uint32_t s = 0; mask_bytes_ && s < CompactStore::shards; ++s)
            if (!masks_[s].reserve(store_[s].size() * mask_bytes_)) return false;
        return true;
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
        if (!monitor_.allows(bytes() + reserve() + tree_.growth(wanted * active)) || !tree_.make_room(wanted * active))
            stop = Stop::memory;
        const std::uint64_t budget = std::min(tree_.room() / active, std::max(wanted, affordable() / active));
        for (auto& worker : workers) worker->budget = stop == Stop::none ? budget : 0;
    }

    void work(Worker& worker, const StoreLayer& layer, Wanted wanted, Visit visit) {
        for (unsigned blocks = 0; !halt_; ++blocks) {
            if (blocks % checked_blocks == 0 && over_limit()) return;
            if (worker.at == worker.end && !take_block(worker, layer)) return;
            for (; worker.at < worker.end; ++worker.at) {
                if (!wanted(worker.place())) continue;
                read(worker, worker.place());
                const Then then = visit(worker);
                if (then == Then::next) continue;
                enough_ = enough_ || then == Then::enough;
                halt_ = true;
                return;
            }
        }
    }

    bool take_block(Worker& worker, const StoreLayer& layer) {
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
        // The other workers may be adding as many at this moment.
        const std::uint64_t beside = others() + reserve() + (workers.size() - 1) * words.size() * sizeof(std::uint64_t);
        if (!words.empty() && !store_.add(shard, words, beside)) fail(Stop::memory);
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
        monitor_.frontier = size() - std::min(size(), expanded);
        monitor_.memory = bytes();
        monitor_.compact = true;
    }
};

}  // namespace stormproof
