// The search of rsc.hpp in any number of threads.
//
// States are divided by the hash of their keys into shards, each with an antichain of its own and a stack of states
// that wait. In each round a shard gives a share of them: of the latest ones, one for each key, since what follows one
// of them may subsume the others. Threads expand the shares and lay successors out by shard; then each shard takes
// its own, first those from the share of shard 0, then 1 and so on. So nothing depends on which thread did what.
// Rounds are small against the states so far: the search goes into depth, where violations are found, and states that
// subsume many others.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>

#include "core/parallel.hpp"
#include "search/rsc_run.hpp"
#include "store/antichain.hpp"

namespace stormproof {

class WideSearch {
  public:
    // Rounds of fewer than `parallel_from` states are left to one thread; otherwise each gets half of that at least.
    WideSearch(const RscLayout& layout, Monitor& monitor, const std::vector<Automorphism>& group, unsigned threads,
               std::uint64_t parallel_from)
        : layout_(layout), monitor_(monitor), group_(group),
          parallel_from_(std::max<std::uint64_t>(1, parallel_from)), usage_(monitor) {
        for (std::uint32_t s = 0; s < count; ++s) shards_.push_back(std::make_unique<Shard>(layout, usage_));
        for (unsigned i = 0; i < std::max(1u, threads); ++i) workers_.push_back(std::make_unique<Worker>(*this));
    }

    RscResult decide() {
        const auto words = layout_.initial();
        take(shard_of(words.data()), words.data(), no_parent);
        while (share_out()) {
            each_shard([&](Worker& worker, std::uint32_t s) { expand_share(worker, s); });
            count_round();
            if (result_.stop != Stop::none || first_violation()) break;
            each_shard([&](Worker&, std::uint32_t s) { take_own(s); });
            if (usage_.full()) result_.stop = Stop::memory;
        }
        if (const Violation* found = first_violation()) build_run(*found);
        result_.memory = usage_.bytes();
        return std::move(result_);
    }

  private:
    static constexpr std::uint32_t count = 64;
    static constexpr std::uint64_t least_share = 16, most_share = 1024;
    static constexpr std::uint64_t most_successors = 16384;  // of a share, unless one state has more

    struct alignas(cache_line) Shard {
        Shard(const RscLayout& layout, Usage& usage) : states(layout.key.words(), layout.payload.words(), usage) {}
        Antichain states;
        std::vector<std::uint32_t> waiting;
        std::size_t share = 0;                           // so many at most
        std::vector<std::uint32_t> chosen, left, seen;   // its share; what waits on; some keys of its share
        std::array<std::vector<std::uint64_t>, count> outgoing;  // of its share: words and parent of each successor
    };

    // A state is numbered by its place in its shard, and the shard.
    struct Violation {
        std::uint64_t state = no_parent;
        Closing closing;
    };

    struct alignas(cache_line) Worker : RscSteps {
        explicit Worker(WideSearch& of)
            : RscSteps(of.layout_, of.monitor_, of.usage_), usage(of.usage_), symmetry(of.layout_, of.group_) {}

        Usage& usage;
        RscSymmetry symmetry;
        Shard* shard = nullptr;
        std::uint64_t at = 0, states = 0, transitions = 0, successors = 0;
        Violation violation;  // the first one: shares come in the order of their shards

        void visit(Shard& of, std::uint32_t i, std::uint64_t number) {
            shard = &of, at = number;
            ++states;
            expand(of.states.key(i), of.states.payload(i));
        }
        void put(std::uint32_t, const Arrival&) override {
            ++transitions, ++successors;
            symmetry.canonical(key_.data(), payload_.data());
            auto& out = shard->outgoing[shard_of(key_.data(), key_.size())];
            if (!usage.room(out, key_.size() + payload_.size() + 1)) return;
            out.insert(out.end(), key_.begin(), key_.end());
            out.insert(out.end(), payload_.begin(), payload_.end());
            out.push_back(at);
        }
        void close(const Closing& closing) override {
            if (violation.state == no_parent) violation = {at, closing};
        }
    };

    static std::uint32_t shard_of(const std::uint64_t* key, std::size_t words) {
        return static_cast<std::uint32_t>(Antichain::hash(key, words) >> 32) % count;
    }
    std::uint32_t shard_of(const std::uint64_t* key) const { return shard_of(key, layout_.key.words()); }

    // Says how many states each shard gives; false: there are none, or no more are allowed.
    bool share_out() {
        const std::uint64_t most = monitor_.max_states();
        const std::uint64_t share = std::clamp(result_.states / (count * count), least_share, most_share);
        std::uint64_t left = most ? most - result_.states : UINT64_MAX, waiting = 0, shared = 0;
        for (auto& shard : shards_) {
            shard->share = static_cast<std::size_t>(std::min<std::uint64_t>({share, shard->waiting.size(), left}));
            left -= shard->share, shared += shard->share;
            waiting += shard->waiting.size();
        }
        active_ = static_cast<unsigned>(std::clamp<std::uint64_t>(2 * shared / parallel_from_, 1, workers_.size()));
        monitor_.frontier = waiting;
        if (result_.stop == Stop::none && shared == 0 && waiting > 0) result_.stop = Stop::states;
        return result_.stop == Stop::none && shared > 0;
    }

    template <class Work>
    void each_shard(Work&& work) {
        cursor_ = 0;
        in_parallel(active_, [&](unsigned who) {
            for (std::uint32_t s = cursor_++; s < count; s = cursor_++) work(*workers_[who], s);
        });
    }

    void expand_share(Worker& worker, std::uint32_t s) {
        Shard& shard = *shards_[s];
        choose(shard);
        worker.successors = 0;
        std::size_t done = 0;
        for (; done < shard.chosen.size() && worker.successors < most_successors && stop_ == Stop::none; ++done) {
            const std::uint32_t i = shard.chosen[done];
            worker.visit(shard, i, std::uint64_t{i} * count + s);
            Stop why = usage_.full() ? Stop::memory : worker.cut_short();
            if (why == Stop::none && (worker.states % 256 == 0 || monitor_.must_end())) why = monitor_.over();
            if (why != Stop::none) stop_ = why;
        }
        while (shard.chosen.size() > done) {
            shard.waiting.push_back(shard.chosen.back());
            shard.chosen.pop_back();
        }
    }

    // Takes the share from the top of the stack. It leaves what has the key of another, as far as it remembers those.
    static void choose(Shard& shard) {
        auto& waiting = shard.waiting;
        shard.chosen.clear();
        shard.left.clear();
        shard.seen.assign(2 * shard.share, none);
        const std::size_t end = waiting.size() - std::min(waiting.size(), 4 * shard.share);
        while (waiting.size() > end && shard.chosen.size() < shard.share) {
            const std::uint32_t i = waiting.back();
            waiting.pop_back();
            const RscState& state = shard.states.state(i);
            if (state.dead) continue;
            std::uint32_t& seen = shard.seen[state.key % shard.seen.size()];
            (seen == state.key ? shard.left : shard.chosen).push_back(i);
            seen = state.key;
        }
        waiting.insert(waiting.end(), shard.left.rbegin(), shard.left.rend());
    }

    void count_round() {
        result_.states = result_.transitions = 0;
        for (const auto& worker : workers_)
            result_.states += worker->states, result_.transitions += worker->transitions;
        monitor_.states = result_.states;
        monitor_.memory = usage_.bytes();
        result_.stop = stop_ == Stop::none ? monitor_.over() : stop_.load();
    }

    void take_own(std::uint32_t s) {
        for (auto& from : shards_) {
            auto& words = from->outgoing[s];
            for (std::size_t at = 0; at < words.size() && !usage_.full(); at += layout_.words() + 1)
                take(s, &words[at], words[at + layout_.words()]);
            words.clear();
        }
    }

    void take(std::uint32_t s, const std::uint64_t* words, std::uint64_t parent) {
        Shard& shard = *shards_[s];
        const std::uint32_t i = shard.states.add(words, words + layout_.key.words(), parent);
        if (i != none && usage_.room(shard.waiting, 1)) shard.waiting.push_back(i);
    }

    const Violation* first_violation() const {
        const Violation* first = nullptr;
        for (const auto& worker : workers_) {
            const Violation& found = worker->violation;
            if (found.state == no_parent) continue;
            if (!first || found.state % count < first->state % count) first = &found;
        }
        return first;
    }

    void build_run(const Violation& found) {
        std::vector<RscRun::Words> path;
        for (std::uint64_t at = found.state; at != no_parent;) {
            const Antichain& states = shards_[at % count]->states;
            const auto i = static_cast<std::uint32_t>(at / count);
            path.push_back(states.words(i));
            at = states.state(i).parent;
        }
        std::reverse(path.begin(), path.end());
        RscRun(layout_, group_, result_).build(path, found.closing);
    }

    const RscLayout& layout_;
    Monitor& monitor_;
    const std::vector<Automorphism>& group_;
    const std::uint64_t parallel_from_;
    Usage usage_;
    std::vector<std::unique_ptr<Shard>> shards_;
    std::vector<std::unique_ptr<Worker>> workers_;
    unsigned active_ = 1;
    alignas(cache_line) std::atomic<std::uint32_t> cursor_{0};
    alignas(cache_line) std::atomic<Stop> stop_{Stop::none};
    RscResult result_;
};

}  // namespace stormproof
