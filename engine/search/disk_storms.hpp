// Storms on disk: explored in the order of (faults, actions), with the configurations in layers (disk_layers.hpp).
//
// How a layer is expanded is noted with it, so that its steps can be made again: nothing but the configurations is stored. The
// run to a configuration is found backwards: its predecessor is in a layer with one action less.
#pragma once

#include "questions/survival_search.hpp"
#include "steps/packing.hpp"
#include "store/disk_layers.hpp"

namespace stormproof::survival {

// What one thread works with.
template <class Cell>
struct StormThread {
    StormThread(const Rules& rules, const Layout& layout)
        : steps(rules, layout), closed(rules, layout), symmetry(rules.system, layout, rules.question.group), row(layout.cells) {}

    Steps<Cell> steps;
    ClosedProcesses<Cell> closed;
    RowSymmetry<Cell> symmetry;
    std::vector<Cell> row;  // the configuration at hand
};

template <class Cell, unsigned W>
class DiskStorms : public Search<Cell> {
  protected:
    using Base = Search<Cell>;
    using Base::q_, Base::rules_, Base::layout_, Base::store_, Base::monitor_, Base::result_, Base::always_, Base::never_,
        Base::level_;
    using Packed = Config<W>;
    using Layer = typename DiskLayers<W>::Layer;
    using Expanded = typename DiskLayers<W>::Expanded;
    using Thread = StormThread<Cell>;

    DiskStorms(const System& system, const Question& question, Monitor& monitor, const std::string& name,
               const Packing<Cell>& packing)
        : Base(system, question, monitor), packing_(packing),
          layers_(question.disk, name, RecordCodec<W>(packing.used_bits()), room_on_disk<W>(monitor),
                  {question.threads, question.parallel_from}) {
        for (std::uint32_t i = 0; i < question.threads; ++i) threads_.push_back(std::make_unique<Thread>(rules_, layout_));
        if (layers_.resumed) restore();
        else push_initial();
    }

    // A violation as it is kept with the layers: found in a configuration of a layer.
    struct Broken {
        std::uint32_t ask = 0;
        EndKind end = EndKind::none;
        LayerKey key = 0;
        Packed at{};
    };

    const Packing<Cell>& packing_;
    DiskLayers<W> layers_;
    std::vector<std::unique_ptr<Thread>> threads_;
    std::vector<Broken> broken_;
    std::uint32_t visits_ = 0;

    Packed packed(const Cell* row) const {
        Packed out{};
        packing_.pack(row, out.w);
        return out;
    }
    // What a step of this configuration leads to.
    Packed packed_after(Thread& thread, const Packed& c, const FaultyStep& step, const Cell* next) const {
        const auto [least, permutation] = thread.symmetry.canonical(next);
        if (permutation != 0) return packed(least);
        Packed out = c;
        packing_.repack(next, step.process, rules_.system.processes[step.process].transitions[step.transition].channel, out.w);
        return out;
    }
    Thread& first() { return *threads_[0]; }

    void push_initial() {
        std::vector<Cell> row(layout_.cells);
        for (std::size_t p = 0; p < rules_.system.processes.size(); ++p)
            row[p] = static_cast<Cell>(rules_.system.processes[p].initial);
        layers_.push(layer_key(0, 0), packed(row.data()));
    }

    // ---- storms ----------------------------------------------------------------------------------------

    // Which asks are open, and whether a hit is known: reduction depends on it.
    std::uint64_t note() const {
        return always_ | std::uint64_t{never_} << 30 | std::uint64_t{result_.hit_faults != nothing} << 60;
    }

    void explore() {
        while (const auto key = layers_.next()) {
            if (!(always_ | never_)) break;
            level_ = faults_of(*key);
            if (!always_) result_.faults_explored = level_;
            const std::uint64_t how = note();
            layers_.explore_piece(
                how, [&](unsigned who, LayerKey at, const Packed& c, Expanded& out) { return look(*threads_[who], at, c, how, out); },
                [&](LayerKey at, const Packed& c, std::uint64_t seen, std::size_t) { return conclude_at(at, c, seen); });
            if (result_.stop != Stop::none || stopped()) return;
            keep();
            layers_.save();
        }
        if (always_ || !broken_.empty()) layers_.save(true);  // judging may take long
    }

    // What is seen of a configuration: the goals of the open asks that hold, where that matters, and these.
    static constexpr std::uint64_t seen_hit = std::uint64_t{1} << 32, seen_end = seen_hit << 1, seen_rest = seen_hit << 2;

    // Several threads look at configurations at the same time; what they see is concluded in order.
    std::uint64_t look(Thread& thread, LayerKey key, const Packed& c, std::uint64_t how, Expanded& out) const {
        unpack(thread, c);
        bool calm = false, hit = false;
        expand(thread, how, false, [&](const FaultyStep& step, std::uint32_t faults, const Cell* next) {
            calm = calm || faults == 0;
            hit = hit || !next;
            if (next && level_ + faults <= q_.most_faults)
                out.push(layer_key(level_ + faults, actions_of(key) + 1), packed_after(thread, c, step, next));
        });
        const std::uint64_t seen = holding(thread, calm ? never_ : never_ | always_) | (hit ? seen_hit : 0);
        if (calm) return seen;
        return seen | seen_end | (is_at_rest(rules_, view(thread)) ? seen_rest : 0);
    }

    // False: that is enough.
    bool conclude_at(LayerKey key, const Packed& c, std::uint64_t seen) {
        ++result_.configurations;
        for (std::uint32_t a = 0; a < q_.asks.size(); ++a)
            if (never_ & static_cast<std::uint32_t>(seen) & 1u << a) found({a, EndKind::none, key, c});
        if (seen & seen_hit) result_.hit_faults = std::min(result_.hit_faults, level_);
        // No calm step is possible: goals that do not hold here are out of reach.
        const EndKind kind = seen & seen_rest ? EndKind::rest : EndKind::deadlock;
        for (std::uint32_t a = 0; seen & seen_end && a < q_.asks.size(); ++a)
            if (always_ & ~static_cast<std::uint32_t>(seen) & 1u << a) found({a, kind, key, c});
        if (!(always_ | never_)) return false;
        return ++visits_ % 2048 != 0 || !stopped();
    }

    RowView<Cell> view(const Thread& thread) const { return {layout_, thread.row.data()}; }
    void unpack(Thread& thread, const Packed& c) const { packing_.unpack(c.w, thread.row.data()); }

    // The asks, of these, whose goals hold.
    std::uint32_t holding(const Thread& thread, std::uint32_t asks) const {
        std::uint32_t out = 0;
        for (std::uint32_t a = 0; a < q_.asks.size(); ++a)
            if ((asks >> a & 1) && may_hold(rules_, q_.asks[a].goal, view(thread))) out |= 1u << a;
        return out;
    }

    template <class Visit>
    void expand(Thread& thread, std::uint64_t how, bool calm_only, Visit&& visit) const {
        const auto open = static_cast<std::uint32_t>((how | how >> 30) & ((1u << 30) - 1));
        const bool hit = how >> 60 & 1, always = how & ((1u << 30) - 1);
        const Cell* row = thread.row.data();
        const auto* only = q_.reduction && (hit || always) ? thread.closed.choose(row, open, hit) : nullptr;
        thread.steps.each(row, q_.k, calm_only, visit, only);
    }

    bool stopped() {
        monitor_.states = layers_.size();
        monitor_.frontier = 0;
        monitor_.memory = layers_.memory();
        result_.stop = monitor_.over();
        if (result_.stop == Stop::memory) result_.stop = Stop::none;  // what is in memory was sized by the limit
        return result_.stop != Stop::none;
    }

    // ---- violations ------------------------------------------------------------------------------------

    void found(const Broken& broken) {
        broken_.push_back(broken);
        show(broken);
    }

    void show(const Broken& broken) {
        const std::uint32_t level = level_;
        level_ = faults_of(broken.key);
        const std::uint32_t end = store_run(broken.key, broken.at);
        Stuck stuck{end, broken.end};
        if (broken.end != EndKind::none && result_.hit_faults <= level_) {
            fill_full(broken.key);
            stuck = this->nearest(broken.ask, stuck);
        }
        this->violated(broken.ask, stuck, broken.end == EndKind::none ? BlockSize{} : this->exact());
        level_ = level;
    }

    // The first configurations before this layer, with as many faults, where a send hits the bound.
    void fill_full(LayerKey key) {
        constexpr std::size_t enough = 20000;
        this->full_.clear();
        for (const Layer& layer : layers_.layers) {
            if (faults_of(layer.key) != faults_of(key) || layer.key >= key) continue;
            layers_.each(layer, [&](const Packed& c) {
                unpack(first(), c);
                bool hit = false;
                expand(first(), layer.note, false, [&](const FaultyStep&, std::uint32_t, const Cell* next) { hit = hit || !next; });
                if (hit) this->full_.push_back(add_stored(layer.key, c));
                return this->full_.size() < enough;
            });
        }
    }

    void add_run_to(std::uint32_t id) override {
        const Node& node = store_.nodes[id];
        if (node.parent == nothing && node.actions > 0)
            store_run(layer_key(node.faults, node.actions), packed(store_.row(id)));
    }

    std::uint32_t add_stored(LayerKey key, const Packed& c) {
        unpack(first(), c);
        const std::uint32_t id = store_.find_or_add(first().row.data());
        Node& node = store_.nodes[id];
        node.flags |= expanded;
        node.faults = faults_of(key);
        node.actions = actions_of(key);
        return id;
    }

    // Adds the configurations of a run to this one to the store.
    std::uint32_t store_run(LayerKey key, const Packed& at) {
        std::vector<std::pair<LayerKey, Packed>> path{{key, at}};
        std::vector<std::uint32_t> processes;
        while (actions_of(path.back().first) > 0) processes.push_back(add_predecessor(path));
        std::uint32_t id = nothing;
        for (std::size_t i = path.size(); i-- > 0;) {
            const std::uint32_t before = id;
            id = add_stored(path[i].first, path[i].second);
            Node& node = store_.nodes[id];
            node.parent = before;
            if (i < processes.size()) node.last = static_cast<std::uint16_t>(processes[i]);
        }
        return id;
    }

    // The process of the step that leads to the last one.
    std::uint32_t add_predecessor(std::vector<std::pair<LayerKey, Packed>>& path) {
        const LayerKey key = path.back().first;
        const Packed wanted = path.back().second;
        std::uint32_t process = nothing;
        for (const Layer& layer : layers_.layers) {
            if (actions_of(layer.key) + 1 != actions_of(key) || layer.key > key || process != nothing) continue;
            layers_.each(layer, [&](const Packed& c) {
                unpack(first(), c);
                expand(first(), layer.note, false, [&](const FaultyStep& step, std::uint32_t faults, const Cell* next) {
                    if (process != nothing || !next || faults_of(layer.key) + faults != faults_of(key)) return;
                    if (packed_after(first(), c, step, next) == wanted) process = step.process;
                });
                if (process != nothing) path.push_back({layer.key, c});
                return process == nothing;
            });
        }
        if (process == nothing) throw DiskError("the layers on disk do not lead to each other");
        return process;
    }

    // ---- what is kept with the layers ------------------------------------------------------------------

    void keep() {
        std::ostringstream out;
        out << result_.configurations << ' ' << result_.hit_faults << ' ' << result_.faults_explored << ' ' << broken_.size();
        for (const Broken& b : broken_) {
            out << ' ' << b.ask << ' ' << static_cast<unsigned>(b.end) << ' ' << b.key;
            for (const std::uint64_t word : b.at.w) out << ' ' << word;
        }
        layers_.state = out.str();
    }

    void restore() {
        std::istringstream in(layers_.state);
        std::size_t count = 0;
        in >> result_.configurations >> result_.hit_faults >> result_.faults_explored >> count;
        std::vector<Broken> kept(count);
        for (Broken& b : kept) {
            unsigned end = 0;
            in >> b.ask >> end >> b.key;
            b.end = static_cast<EndKind>(end);
            for (std::uint64_t& word : b.at.w) in >> word;
        }
        for (const Broken& b : kept) found(b);
    }
};

}  // namespace stormproof::survival
