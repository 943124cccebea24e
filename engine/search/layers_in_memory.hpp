// Layers of states in the compact store (compact_layers.hpp), for the driver of layers.hpp.
//
// One layer is made at a time, from all layers of which some step leads there. So the steps of a layer are made once for each
// key that they lead to.
#pragma once

#include <map>
#include <memory>
#include <stdexcept>

#include "search/layers.hpp"
#include "store/compact_layers.hpp"

namespace stormproof {

template <class Steps>
class LayersInMemory {
  public:
    // make() returns the steps for one thread; `usage`: the memory that they take.
    template <class Make>
    LayersInMemory(const StateWords& initial, unsigned threads, std::uint64_t parallel_from, Monitor& monitor,
                   const Usage& usage, Make&& make)
        : monitor_(monitor), layers_(static_cast<std::uint32_t>(initial.size()), parallel_from, monitor, &usage) {
        for (unsigned i = 0; i < std::max(1u, threads); ++i) layers_.workers.push_back(std::make_unique<Thread>(make));
        layers_.start_layer();
        layers_.workers[0]->successors = initial;
        layers_.add_first();
        finish_layer(0);
    }

    std::uint64_t transitions = 0;

    Stop stop() const { return layers_.stop; }
    std::uint64_t size() const { return layers_.size(); }
    std::uint64_t memory() const { return layers_.bytes(); }

    bool explore(std::vector<Noted>& noted) {
        if (stop() == Stop::none && sources_.empty() && monitor_.over() == Stop::states) layers_.stop = Stop::states;
        if (stop() != Stop::none || sources_.empty()) return false;
        const LayerKey to = sources_.begin()->first;
        const std::vector<std::size_t> from = std::move(sources_.begin()->second);
        sources_.erase(sources_.begin());
        layers_.start_layer();
        for (const std::size_t source : from)
            if (stop() == Stop::none) expand(source, to, noted);
        finish_layer(to);
        return stop() == Stop::none;
    }

    // The least state of the first layer that has one. What was found is certain, so this heeds no limits.
    Noted before(Steps& steps, LayerKey key, const StateWords& state) {
        Noted found;
        for (const Layer& layer : all_) {
            if (std::find(layer.targets.begin(), layer.targets.end(), key) == layer.targets.end()) continue;
            each_state(layer, [&](const StateWords& from) {
                if (!found.state.empty() && found.state < from) return;
                bool leads = false;
                steps.each(layer.key, from.data(), [&](LayerKey at, const std::uint64_t* next) {
                    leads = leads || (at == key && std::equal(state.begin(), state.end(), next));
                });
                if (leads) found = {layer.key, from, 0};
            });
            if (!found.state.empty()) return found;
        }
        throw std::logic_error("the layers in memory do not lead to each other");
    }

  private:
    struct Layer {
        LayerKey key = 0;
        StoreLayer states;
        std::vector<LayerKey> targets;  // that its steps lead to
    };
    struct Thread : LayerThread {
        template <class Make>
        explicit Thread(Make&& make) : steps(make()) {}
        Steps steps;
        std::vector<LayerKey> targets;  // that steps lead to, but for the layer that is made
        std::vector<Noted> noted;
        std::uint64_t made = 0;
        void take() {}
    };

    Monitor& monitor_;
    CompactLayers<Thread> layers_;
    std::vector<Layer> all_;
    std::map<LayerKey, std::vector<std::size_t>> sources_;  // key -> the layers from which steps lead there, or may

    void finish_layer(LayerKey key) {
        StoreLayer states = layers_.finish_layer();
        if (states.size() == 0) return;
        sources_[Steps::next(key)].push_back(all_.size());
        all_.push_back({key, std::move(states), {Steps::next(key)}});
    }

    void expand(std::size_t source, LayerKey to, std::vector<Noted>& noted) {
        const bool first = to == Steps::next(all_[source].key);
        layers_.each(all_[source].states, [&](Thread& thread) { return expand(thread, all_[source].key, to, first); });
        for (const auto& thread : layers_.workers) {
            if (thread->steps.stopped() != Stop::none && stop() == Stop::none) layers_.stop = thread->steps.stopped();
            noted.insert(noted.end(), thread->noted.begin(), thread->noted.end());
            transitions += thread->made;
            for (const LayerKey target : thread->targets) add_source(source, target);
            thread->noted.clear(), thread->targets.clear(), thread->made = 0;
        }
        if (first) layers_.expanded += all_[source].states.size();
    }

    // What is seen of a state is noted the first time that its steps are made.
    Then expand(Thread& thread, LayerKey key, LayerKey to, bool first) {
        const std::size_t words = layers_.words();
        std::uint64_t made = 0;
        thread.successors.clear();
        const std::uint64_t what = thread.steps.each(key, thread.path.words.data(), [&](LayerKey at, const std::uint64_t* next) {
            ++made;
            if (at == to) thread.successors.insert(thread.successors.end(), next, next + words);
            else if (first) add(thread.targets, at);
        });
        if (thread.steps.stopped() != Stop::none) return Then::enough;
        const Then then = layers_.add_successors(thread);
        if (then != Then::next || !first) return then;
        thread.made += made;
        if (what != 0) thread.noted.push_back({key, layers_.words_of(thread), what});
        return then;
    }

    void add_source(std::size_t source, LayerKey target) {
        add(all_[source].targets, target);
        add(sources_[target], source);
    }

    template <class T>
    static void add(std::vector<T>& list, T item) {
        if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
    }

    template <class Visit>
    void each_state(const Layer& layer, Visit&& visit) {
        Thread& thread = *layers_.workers[0];
        for (std::uint32_t s = 0; s < CompactStore::shards; ++s)
            for (std::uint64_t at = layer.states.begin[s]; at < layer.states.end[s]; ++at) {
                layers_.read(thread, {s, at});
                visit(layers_.words_of(thread));
            }
    }
};

}  // namespace stormproof
