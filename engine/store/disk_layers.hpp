// An exploration on disk: layers in the order of faults and actions, with delayed duplicate detection.
//
// A layer is taken out of the queue in pieces that memory holds. From each piece what earlier layers contain is
// removed, by reading those layers beside it; the rest is written behind the layers before and handed to the search, which
// pushes the successors into the queue. Between pieces a manifest may be written: it names the layers and runs that
// are complete, so that another process goes on from there. It is replaced at once and only after what it
// names is on the disk: a process may be killed at any time.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <sstream>

#include "core/disk_options.hpp"
#include "core/limits.hpp"
#include "store/disk_queue.hpp"

namespace stormproof {

// How many configurations a piece, or the queue's part in memory, may have: four lists of them take half of the memory.
template <unsigned W>
std::uint64_t room_on_disk(const Monitor& monitor) {
    const std::uint64_t bytes = monitor.max_bytes() ? monitor.max_bytes() : std::uint64_t{1} << 30;
    return std::clamp<std::uint64_t>(bytes / 8 / sizeof(Config<W>), 1024, std::uint64_t{1} << 26);
}

template <unsigned W>
class DiskLayers {
  public:
    struct Layer {
        LayerKey key = 0;
        std::uint64_t note = 0;  // how the search expanded it
        Span span;
        RunIndex<W> index;
    };

    // What one thread has found by expanding some configurations.
    struct Expanded {
        struct Of {
            std::uint64_t note = 0;  // whatever the search wants to remember of it
            std::size_t successors = 0;
        };
        std::vector<Of> each;
        std::vector<std::pair<LayerKey, Config<W>>> successors;

        void push(LayerKey key, const Config<W>& c) {
            successors.emplace_back(key, c);
            ++each.back().successors;
        }
    };

    // A configuration is known, too, if another one has the same first words, `key_words`, and in the words after them
    // all of its bits.
    DiskLayers(const DiskOptions& options, const std::string& question, const RecordCodec<W>& codec, std::uint64_t records,
               const DiskThreads& threads, unsigned key_words = W)
        : options_(options), question_(question), directory_(place_on_disk(options, question)), codec_(codec),
          key_words_(key_words), records_(options.records ? options.records : records), threads_(threads),
          expanded_(threads.most), queue_(directory_, codec_, records_, options.block_bytes, threads) {
        if (!resume()) file_.open(directory_.file("layers"), 0);
        remove_runs_but(queue_.runs);
        saved_ = std::chrono::steady_clock::now();
    }

    std::vector<Layer> layers;
    std::string state;  // of the search, a line that is kept with the layers
    bool resumed = false;

    void push(LayerKey key, const Config<W>& c) { queue_.push(key, c); }
    std::optional<LayerKey> next() const { return queue_.first(); }

    // Explores a piece of the next layer: of each new configuration expand(thread, key, configuration, Expanded) pushes the
    // successors and returns a note, in several threads, and take(key, configuration, note, number of successors) then sees
    // them in order; false: it wants no more. So what comes of it does not depend on the number of threads.
    using Expand = FunctionRef<std::uint64_t(unsigned, LayerKey, const Config<W>&, Expanded&)>;
    using Take = FunctionRef<bool(LayerKey, const Config<W>&, std::uint64_t, std::size_t)>;
    void explore_piece(std::uint64_t note, Expand expand, Take take) {
        const LayerKey key = *queue_.first();
        queue_.take(key, records_, piece_);
        if (piece_.empty()) return;
        position_ = {key, piece_.back()};
        remove_known();
        if (piece_.empty()) return;
        RunWriter<W> out(file_, codec_, options_.block_bytes);
        for (const Config<W>& c : piece_) out.add(key, c);
        const Span span = out.finish();
        layers.push_back({key, note, span, std::move(out.index)});
        size_ += span.records;
        const unsigned n = threads_.for_size(piece_.size());
        for (std::size_t begin = 0, end = 0; begin < piece_.size(); begin = end) {
            end = std::min<std::size_t>(piece_.size(), begin + at_a_time());
            in_slices(end - begin, n, [&](unsigned who, std::size_t from, std::size_t to) {
                expanded_[who].each.clear();
                expanded_[who].successors.clear();
                for (std::size_t i = begin + from; i < begin + to; ++i) {
                    expanded_[who].each.emplace_back();
                    expanded_[who].each.back().note = expand(who, key, piece_[i], expanded_[who]);
                }
            });
            if (!take_expanded(key, begin, n, take)) return;
        }
    }

    // Writes the manifest, if some time has passed since the last one.
    void save(bool now = false) {
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - saved_;
        if (!now && passed.count() < options_.every) return;
        queue_.spill();
        queue_.sync();
        file_.sync();
        const std::vector<std::uint64_t> done = queue_.finished();
        directory_.replace("manifest", manifest());
        for (const std::uint64_t number : done) directory_.remove(DiskQueue<W>::name(number));
        saved_ = std::chrono::steady_clock::now();
    }

    // Removes all that was written.
    void remove() {
        remove_runs_but({});
        for (const char* name : {"manifest", "manifest.new", "layers"}) directory_.remove(name);
        directory_.remove_all();
    }

    // Every configuration of a layer, in increasing order; visit returns false to stop.
    void each(const Layer& layer, FunctionRef<bool(const Config<W>&)> visit) const {
        for (RunReader<W> reader(file_, codec_, layer.index); !reader.done(); reader.next())
            if (!visit(reader.config())) return;
    }
    // The same in no order, in several threads: visit(thread, configuration).
    void each_in_parallel(const Layer& layer, FunctionRef<bool(unsigned, const Config<W>&)> visit) const {
        std::atomic<std::size_t> next{0};
        std::atomic<bool> enough{false};
        in_parallel(threads_.for_size(layer.span.records), [&](unsigned who) {
            for (std::size_t block = next++; block < layer.index.size() && !enough; block = next++)
                for (RunReader<W> reader(file_, codec_, layer.index, block, block + 1); !reader.done() && !enough; reader.next())
                    if (!visit(who, reader.config())) enough = true;
        });
    }
    bool has(const Layer& layer, const Config<W>& c) const {
        if (layer.index.empty() || c < layer.index.front().first) return false;
        const RunReader<W> reader(file_, codec_, layer.index, layer.key, c);
        return !reader.done() && reader.config() == c;
    }

    std::uint64_t size() const { return size_; }
    std::uint64_t memory() const {
        std::uint64_t sum = queue_.memory() + piece_.capacity() * sizeof(Config<W>);
        for (const Layer& layer : layers) sum += sizeof(Layer) + layer.index.capacity() * sizeof(Block<W>);
        for (const Expanded& e : expanded_) sum += e.successors.capacity() * sizeof(e.successors[0]);
        return sum;
    }
    std::uint64_t disk() const { return file_.size() + queue_.disk(); }
    std::uint64_t layer_bytes() const { return file_.size(); }

  private:
    const DiskOptions& options_;
    const std::string question_;
    DiskDirectory directory_;
    const RecordCodec<W> codec_;
    const unsigned key_words_;
    const std::uint64_t records_;
    const DiskThreads threads_;
    std::vector<Expanded> expanded_;  // of each thread
    DiskQueue<W> queue_;
    DiskFile file_;
    std::vector<Config<W>> piece_;
    std::optional<std::pair<LayerKey, Config<W>>> position_;
    std::uint64_t size_ = 0;
    std::chrono::steady_clock::time_point saved_;

    // So many configurations are expanded before their successors are put into the queue: few against those in memory.
    std::uint64_t at_a_time() const { return std::max<std::uint64_t>(records_ / 64, threads_.most); }

    bool take_expanded(LayerKey key, std::size_t begin, unsigned n, Take take) {
        for (unsigned who = 0; who < n; ++who) {
            auto successor = expanded_[who].successors.begin();
            for (const auto& of : expanded_[who].each) {
                for (std::size_t i = 0; i < of.successors; ++i, ++successor) queue_.push(successor->first, successor->second);
                if (!take(key, piece_[begin++], of.note, of.successors)) return false;
            }
        }
        return true;
    }

    // Delayed duplicate detection: the piece and the earlier layers are sorted, so one pass over each tells.
    void remove_known() {
        std::vector<std::uint8_t> known(piece_.size(), false);
        in_slices(piece_.size(), threads_.for_size(piece_.size()), [&](unsigned, std::size_t begin, std::size_t end) {
            if (key_words_ < W) mark_covered(start_of_key(begin), start_of_key(end), known);
            else if (begin < end)
                for (const Layer& layer : layers) mark_known(layer, begin, end, known);
        });
        std::size_t kept = 0;
        for (std::size_t i = 0; i < piece_.size(); ++i)
            if (!known[i]) piece_[kept++] = piece_[i];
        piece_.resize(kept);
    }

    void mark_known(const Layer& layer, std::size_t begin, std::size_t end, std::vector<std::uint8_t>& known) const {
        if (piece_[end - 1] < layer.index.front().first) return;
        RunReader<W> reader(file_, codec_, layer.index, layer.key, piece_[begin]);
        for (std::size_t i = begin; !reader.done();) {
            i = not_less(i, end, reader.config());
            if (i == end) break;
            reader.seek(layer.key, piece_[i]);
            if (!reader.done() && reader.config() == piece_[i]) known[i++] = true;
        }
    }

    // The least configuration with the same key.
    Config<W> key_of(Config<W> c) const {
        std::fill(c.w + key_words_, c.w + W, 0);
        return c;
    }
    bool covers(const Config<W>& big, const Config<W>& small) const {
        for (unsigned i = key_words_; i < W; ++i)
            if (small.w[i] & ~big.w[i]) return false;
        return true;
    }
    std::size_t end_of_key(std::size_t i) const {
        const Config<W> key = key_of(piece_[i]);
        while (i < piece_.size() && key_of(piece_[i]) == key) ++i;
        return i;
    }

    // Of the first configuration from i on that has another key than the one before it.
    std::size_t start_of_key(std::size_t i) const { return i == 0 ? 0 : end_of_key(i - 1); }

    void mark_covered(std::size_t begin, std::size_t end, std::vector<std::uint8_t>& known) const {
        if (begin == end) return;
        mark_covered_by_others(begin, end, known);
        for (const Layer& layer : layers) mark_covered_by(layer, begin, end, known);
    }
    // By others of the piece: one that covers another is greater.
    void mark_covered_by_others(std::size_t i, std::size_t end, std::vector<std::uint8_t>& known) const {
        for (std::size_t same = i; i < end; ++i) {
            if (i == same) same = end_of_key(i);
            for (std::size_t j = i + 1; j < same && !known[i]; ++j) known[i] = covers(piece_[j], piece_[i]);
        }
    }
    void mark_covered_by(const Layer& layer, std::size_t i, std::size_t end, std::vector<std::uint8_t>& known) const {
        RunReader<W> reader(file_, codec_, layer.index, layer.key, key_of(piece_[i]));
        while (!reader.done()) {
            i = not_less(i, end, key_of(reader.config()));
            if (i == end) break;
            const Config<W> key = key_of(piece_[i]);
            const std::size_t same = end_of_key(i);
            for (reader.seek(layer.key, key); !reader.done() && key_of(reader.config()) == key; reader.next())
                for (std::size_t j = i; j < same; ++j) known[j] = known[j] || covers(reader.config(), piece_[j]);
            i = same;
        }
    }

    // The first of the piece, from i on, that is not less: in steps that double, then by halving.
    std::size_t not_less(std::size_t i, std::size_t end, const Config<W>& c) const {
        std::size_t step = 1;
        while (i + step < end && piece_[i + step] < c) {
            i += step;
            step *= 2;
        }
        const auto last = piece_.begin() + static_cast<std::ptrdiff_t>(std::min(i + step, end));
        return static_cast<std::size_t>(std::lower_bound(piece_.begin() + static_cast<std::ptrdiff_t>(i), last, c) - piece_.begin());
    }

    // ---- the manifest ----------------------------------------------------------------------------------

    static std::string signed_off(const std::string& text) {
        return text + "end " + std::to_string(checksum(text.data(), text.size())) + "\n";
    }

    std::string manifest() const {
        std::ostringstream out;
        out << "stormproof exploration " << options_.version << "\nquestion " << question_ << "\nstate " << state << "\n";
        if (position_) {
            out << "position " << position_->first;
            for (const std::uint64_t word : position_->second.w) out << ' ' << word;
            out << "\n";
        }
        out << "next " << queue_.next_number << "\n";
        const auto put = [&](const Span& span) { out << span.offset << ' ' << span.bytes << ' ' << span.records << ' ' << span.sum << "\n"; };
        for (const Layer& layer : layers) {
            out << "layer " << layer.key << ' ' << layer.note << ' ';
            put(layer.span);
        }
        for (const auto& run : queue_.runs) {
            out << "run " << run->number << ' ';
            put(run->span);
        }
        return signed_off(out.str());
    }

    bool resume() {
        if (!directory_.has("manifest")) return false;
        const std::string text = directory_.read("manifest");
        const std::string whose = "stormproof exploration " + options_.version + "\nquestion " + question_ + "\n";
        const std::string again = "; remove " + directory_.file("") + " to start again";
        const std::size_t end = text.rfind("end ");
        if (end == std::string::npos || signed_off(text.substr(0, end)) != text)
            throw DiskError(directory_.file("manifest") + " is damaged" + again);
        if (!text.starts_with(whose)) throw DiskError(directory_.file("") + " belongs to another question" + again);
        std::istringstream in(text.substr(whose.size(), end - whose.size()));
        std::uint64_t bytes = 0;
        for (std::string line; std::getline(in, line);) read_line(line, bytes);
        file_.open(directory_.file("layers"), bytes);
        for (Layer& layer : layers) layer.index = read_index<W>(file_, layer.span);
        if (position_) queue_.go_on_after(position_->first, position_->second);
        return resumed = true;
    }

    void read_line(const std::string& line, std::uint64_t& bytes) {
        std::istringstream in(line);
        std::string what;
        Span span;
        const auto get = [&] { in >> span.offset >> span.bytes >> span.records >> span.sum; };
        in >> what;
        if (what == "state") {
            state = line.substr(6);
        } else if (what == "position") {
            position_.emplace();
            in >> position_->first;
            for (std::uint64_t& word : position_->second.w) in >> word;
        } else if (what == "next") {
            in >> queue_.next_number;
        } else if (what == "layer") {
            Layer layer;
            in >> layer.key >> layer.note;
            get();
            layer.span = span;
            bytes = span.offset + span.bytes;
            size_ += span.records;
            layers.push_back(std::move(layer));
        } else if (what == "run") {
            std::uint64_t number = 0;
            in >> number;
            get();
            queue_.add_run(number, span);
        }
    }

    // Runs that no manifest names are those of a process that was killed.
    void remove_runs_but(const std::vector<std::unique_ptr<typename DiskQueue<W>::Run>>& kept) const {
        std::error_code problem;
        for (const auto& entry : std::filesystem::directory_iterator(directory_.file(""), problem)) {
            const std::string name = entry.path().filename().string();
            if (!name.starts_with("run-") || name.find_first_not_of("0123456789", 4) != std::string::npos) continue;
            if (std::none_of(kept.begin(), kept.end(), [&](const auto& r) { return name == DiskQueue<W>::name(r->number); }))
                directory_.remove(name);
        }
    }
};

// Compiled in units of their own, one for each of `FewWidths`.
extern template class DiskLayers<1>;
extern template class DiskLayers<4>;
extern template class DiskLayers<max_words>;

}  // namespace stormproof
