// Layers of states on disk (disk_layers.hpp), for the driver of layers.hpp.
//
// Threads share the pieces of a layer, each with its own steps, and what they find is put together in order: what is found,
// counts and files do not depend on their number.
#pragma once

#include <memory>

#include "search/layers.hpp"
#include "store/disk_layers.hpp"

namespace stormproof {

template <class Steps, unsigned W>
class LayersOnDisk {
  public:
    struct Of {
        const DiskOptions& options;
        const std::string& question;
        std::vector<std::uint32_t> used_bits;  // of each word of a state, from the lowest on
        unsigned key_words;                    // see DiskLayers
        DiskThreads threads;
    };

    // make() returns the steps for one thread.
    template <class Make>
    LayersOnDisk(const Of& of, const StateWords& initial, Monitor& monitor, Make&& make)
        : monitor_(monitor), words_(initial.size()),
          layers_(of.options, of.question, RecordCodec<W>(of.used_bits), room_on_disk<W>(monitor), of.threads, of.key_words) {
        for (std::uint32_t i = 0; i < of.threads.most; ++i) threads_.push_back(std::make_unique<Thread>(make));
        if (layers_.resumed) std::istringstream(layers_.state) >> transitions;
        else layers_.push(0, config_of(initial.data()));
    }

    std::uint64_t transitions = 0;

    Stop stop() const { return stop_; }
    std::uint64_t size() const { return layers_.size(); }
    std::uint64_t memory() const { return layers_.memory(); }
    std::uint64_t on_disk() const { return layers_.layer_bytes(); }
    void remove() { layers_.remove(); }

    // Up to the first state of which something is noted.
    bool explore(std::vector<Noted>& noted) {
        if (stop_ != Stop::none || !layers_.next()) return false;
        layers_.explore_piece(
            0, [&](unsigned who, LayerKey key, const Config<W>& c, Expanded& out) { return expand(*threads_[who], key, c, out); },
            [&](LayerKey key, const Config<W>& c, std::uint64_t what, std::size_t successors) {
                transitions += successors;
                if (what != 0) noted.push_back({key, {c.w, c.w + words_}, what});
                return noted.empty() && (++visits_ % 1024 != 0 || !over());
            });
        if (!noted.empty() || over()) return false;
        layers_.state = std::to_string(transitions);
        layers_.save();
        return true;
    }

    Noted before(Steps& steps, LayerKey key, const StateWords& state) {
        Noted found;
        for (const auto& layer : layers_.layers) {
            if (!Steps::leads(layer.key, key) || !found.state.empty()) continue;
            layers_.each(layer, [&](const Config<W>& c) {
                steps.each(layer.key, c.w, [&](LayerKey at, const std::uint64_t* next) {
                    if (at == key && std::equal(state.begin(), state.end(), next)) found = {layer.key, {c.w, c.w + words_}, 0};
                });
                return found.state.empty();
            });
        }
        if (found.state.empty()) throw DiskError("the layers on disk do not lead to each other");
        return found;
    }

  private:
    using Expanded = typename DiskLayers<W>::Expanded;
    struct alignas(cache_line) Thread {
        template <class Make>
        explicit Thread(Make&& make) : steps(make()) {}
        Steps steps;
        std::uint32_t visits = 0;
        Stop stop = Stop::none;

        Stop stopped() const { return steps.stopped() == Stop::none ? stop : steps.stopped(); }
    };

    Monitor& monitor_;
    const std::size_t words_;
    DiskLayers<W> layers_;
    std::vector<std::unique_ptr<Thread>> threads_;
    Stop stop_ = Stop::none;
    std::uint32_t visits_ = 0;

    static Config<W> config_of(const std::uint64_t* words, std::size_t count) {
        Config<W> c{};
        std::copy_n(words, count, c.w);
        return c;
    }
    Config<W> config_of(const std::uint64_t* words) const { return config_of(words, words_); }

    // Pushes the successors of a state, unless a limit was hit before.
    std::uint64_t expand(Thread& thread, LayerKey key, const Config<W>& c, Expanded& out) const {
        std::uint64_t what = 0;
        if (thread.stopped() == Stop::none)
            what = thread.steps.each(key, c.w, [&](LayerKey at, const std::uint64_t* next) { out.push(at, config_of(next)); });
        if (++thread.visits % 1024 == 0 && thread.stop == Stop::none) thread.stop = time_over();
        return what;
    }
    // What is in memory was sized by its limit, and states are counted when they are taken.
    Stop time_over() const {
        const Stop why = monitor_.over();
        return why == Stop::memory || why == Stop::states ? Stop::none : why;
    }

    bool over() {
        monitor_.states = size();
        monitor_.memory = memory();
        stop_ = monitor_.over();
        if (stop_ == Stop::memory) stop_ = Stop::none;  // what is in memory was sized by the limit
        for (const auto& thread : threads_)
            if (stop_ == Stop::none) stop_ = thread->stopped();
        return stop_ != Stop::none;
    }
};

}  // namespace stormproof
