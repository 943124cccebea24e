// What waits to be explored, on disk as far as memory does not hold it: a queue of configurations by layer.
//
// Configurations are collected in memory, sorted and freed of duplicates when there is no room for more, and written
// as a run if that does not help. A layer is taken out by merging the runs and what is in memory. Only layers after the one that
// is being taken out may be added to, so that every run is read once, from its beginning to its end.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "core/parallel.hpp"
#include "store/disk_runs.hpp"

namespace stormproof {

// How many threads work together, and from how many configurations on.
struct DiskThreads {
    std::uint32_t most = 1;
    std::uint64_t from = 0;

    unsigned for_size(std::uint64_t configurations) const { return configurations < from ? 1 : most; }
};

template <unsigned W>
class DiskQueue {
  public:
    struct Run {
        std::uint64_t number = 0;
        Span span;
        DiskFile file;
        RunIndex<W> index;
        std::optional<RunReader<W>> reader;
    };

    DiskQueue(const DiskDirectory& directory, const RecordCodec<W>& codec, std::uint64_t most, std::size_t block_bytes,
              const DiskThreads& threads)
        : directory_(directory), codec_(codec), most_(std::max<std::uint64_t>(most, 1)), block_bytes_(block_bytes),
          threads_(threads) {}

    std::vector<std::unique_ptr<Run>> runs;
    std::uint64_t next_number = 0;

    void push(LayerKey key, const Config<W>& c) {
        if (!place_ || key != place_key_) {
            place_ = &waiting_[key];
            place_key_ = key;
        }
        place_->push_back(c);
        if (++count_ >= most_) make_room();
    }

    // The least layer that has configurations.
    std::optional<LayerKey> first() const {
        std::optional<LayerKey> least;
        const auto consider = [&](LayerKey key) { least = least ? std::min(*least, key) : key; };
        for (const auto& run : runs)
            if (!run->reader->done()) consider(run->reader->key());
        if (taken_ < current_.size()) consider(current_key_);
        if (!waiting_.empty()) consider(waiting_.begin()->first);
        return least;
    }

    // Takes the next configurations of that layer, at most so many, without duplicates and in increasing order.
    void take(LayerKey key, std::uint64_t most, std::vector<Config<W>>& out) {
        out.clear();
        start(key);
        std::vector<Run*> heap;
        for (const auto& run : runs)
            if (of_layer(*run, key)) heap.push_back(run.get());
        const auto later = [](const Run* a, const Run* b) { return b->reader->config() < a->reader->config(); };
        std::make_heap(heap.begin(), heap.end(), later);
        while (out.size() < most && (!heap.empty() || taken_ < current_.size())) {
            const bool memory = taken_ < current_.size() &&
                                (heap.empty() || !(heap.front()->reader->config() < current_[taken_]));
            const Config<W> c = memory ? current_[taken_] : heap.front()->reader->config();
            if (memory) {
                ++taken_;
            } else {
                std::pop_heap(heap.begin(), heap.end(), later);
                heap.back()->reader->next();
                if (of_layer(*heap.back(), key)) std::push_heap(heap.begin(), heap.end(), later);
                else heap.pop_back();
            }
            if (last_ && last_key_ == key && *last_ == c) continue;
            out.push_back(c);
            last_ = c;
            last_key_ = key;
        }
    }

    // Writes what is in memory, so that the runs are the whole queue.
    void spill() {
        sort_waiting();
        if (taken_ == current_.size() && waiting_.empty()) return;
        write([&](RunWriter<W>& out) {
            for (; taken_ < current_.size(); ++taken_) out.add(current_key_, current_[taken_]);
            for (const auto& [key, list] : waiting_)
                for (const Config<W>& c : list) out.add(key, c);
        });
        std::vector<Config<W>>().swap(current_);
        taken_ = 0;
        waiting_.clear();
        place_ = nullptr;
        count_ = 0;
        if (runs.size() > most_runs) merge();
    }

    // A run of an earlier process: what was taken out before is skipped.
    void add_run(std::uint64_t number, const Span& span) {
        auto run = std::make_unique<Run>();
        run->number = number;
        run->span = span;
        run->file.open(directory_.file(name(number)), span.offset + span.bytes);
        run->index = read_index<W>(run->file, span);
        run->reader.emplace(run->file, codec_, run->index);
        runs.push_back(std::move(run));
    }
    void go_on_after(LayerKey key, const Config<W>& c) {
        last_ = c;
        last_key_ = key;
        for (auto& run : runs) {
            run->reader->seek(key, c);
            if (of_layer(*run, key) && run->reader->config() == c) run->reader->next();
        }
    }

    void sync() {
        for (auto& run : runs) run->file.sync();
    }
    // Forgets the runs that were read to their ends; their numbers.
    std::vector<std::uint64_t> finished() {
        std::vector<std::uint64_t> out = std::move(merged_);
        merged_.clear();
        for (const auto& run : runs)
            if (run->reader->done()) out.push_back(run->number);
        std::erase_if(runs, [](const auto& run) { return run->reader->done(); });
        return out;
    }

    std::uint64_t memory() const {
        std::uint64_t sum = (count_ + current_.capacity()) * sizeof(Config<W>);
        for (const auto& run : runs) sum += run->index.size() * sizeof(Block<W>) + block_bytes_;
        return sum;
    }
    std::uint64_t disk() const {
        std::uint64_t sum = 0;
        for (const auto& run : runs) sum += run->span.bytes;
        return sum;
    }

    static std::string name(std::uint64_t number) { return "run-" + std::to_string(number); }

  private:
    static constexpr std::size_t most_runs = 64;  // more are merged into one

    const DiskDirectory& directory_;
    const RecordCodec<W>& codec_;
    const std::uint64_t most_;
    const std::size_t block_bytes_;
    const DiskThreads threads_;
    std::map<LayerKey, std::vector<Config<W>>> waiting_;
    std::uint64_t count_ = 0;
    std::vector<Config<W>>* place_ = nullptr;  // where the last one was added
    LayerKey place_key_ = 0;
    LayerKey current_key_ = 0;            // the layer that is being taken out: its part in memory
    std::vector<Config<W>> current_;
    std::size_t taken_ = 0;
    std::optional<Config<W>> last_;       // that was taken out
    LayerKey last_key_ = 0;
    std::vector<std::uint64_t> merged_;

    static bool of_layer(const Run& run, LayerKey key) { return !run.reader->done() && run.reader->key() == key; }

    void sort_unique(std::vector<Config<W>>& list) const {
        sort_in_parallel(list, threads_.for_size(list.size()));
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }

    void start(LayerKey key) {
        const auto found = waiting_.find(key);
        if (found == waiting_.end()) return;
        count_ -= found->second.size();
        current_ = std::move(found->second);
        waiting_.erase(found);
        place_ = nullptr;
        sort_unique(current_);
        current_key_ = key;
        taken_ = 0;
    }

    void sort_waiting() {
        count_ = 0;
        for (auto& [key, list] : waiting_) {
            sort_unique(list);
            count_ += list.size();
        }
    }

    void make_room() {
        sort_waiting();
        if (count_ > most_ / 2) spill();
    }

    template <class Fill>
    void write(Fill&& fill) {
        auto run = std::make_unique<Run>();
        run->number = next_number++;
        run->file.open(directory_.file(name(run->number)), 0);
        RunWriter<W> out(run->file, codec_, block_bytes_);
        fill(out);
        run->span = out.finish();
        run->index = std::move(out.index);
        run->reader.emplace(run->file, codec_, run->index);
        runs.push_back(std::move(run));
    }

    void merge() {
        std::vector<Run*> heap;
        for (const auto& run : runs)
            if (!run->reader->done()) heap.push_back(run.get());
        const auto later = [](const Run* a, const Run* b) {
            if (a->reader->key() != b->reader->key()) return a->reader->key() > b->reader->key();
            return b->reader->config() < a->reader->config();
        };
        std::make_heap(heap.begin(), heap.end(), later);
        const std::size_t before = runs.size();
        write([&](RunWriter<W>& out) {
            std::optional<std::pair<LayerKey, Config<W>>> last;
            while (!heap.empty()) {
                std::pop_heap(heap.begin(), heap.end(), later);
                RunReader<W>& reader = *heap.back()->reader;
                const std::pair<LayerKey, Config<W>> now{reader.key(), reader.config()};
                if (!last || *last != now) out.add(now.first, now.second);
                last = now;
                reader.next();
                if (reader.done()) heap.pop_back();
                else std::push_heap(heap.begin(), heap.end(), later);
            }
        });
        for (std::size_t i = 0; i < before; ++i) merged_.push_back(runs[i]->number);
        runs.erase(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(before));
    }
};

extern template class DiskQueue<1>;
extern template class DiskQueue<4>;
extern template class DiskQueue<max_words>;

}  // namespace stormproof
