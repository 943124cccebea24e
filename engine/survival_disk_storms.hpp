// Storms on disk: explored in the order of (faults, actions), with the configurations in layers (disk_layers.hpp).
//
// How a layer is expanded is noted with it, so that its steps can be made again: nothing but the configurations is stored. The
// run to a configuration is found backwards: its predecessor is in a layer with one action less.
#pragma once

#include "disk_layers.hpp"
#include "survival_packing.hpp"
#include "survival_search.hpp"

namespace stormproof::survival {

template <class Cell, unsigned W>
class DiskStorms : public Search<Cell> {
  protected:
    using Base = Search<Cell>;
    using Base::q_, Base::rules_, Base::layout_, Base::steps_, Base::store_, Base::turns_, Base::expander_, Base::monitor_,
        Base::result_, Base::always_, Base::never_, Base::level_;
    using Packed = Config<W>;
    using Layer = typename DiskLayers<W>::Layer;

    DiskStorms(const System& system, const Question& question, Monitor& monitor, const std::string& name,
               const Packing<Cell>& packing)
        : Base(system, question, monitor), packing_(packing), layers_(question.disk, name, RecordCodec<W>(packing.used_bits()), room_on_disk<W>(monitor)) {
        row_.resize(layout_.cells);
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
    std::vector<Cell> row_;
    std::vector<Broken> broken_;
    std::uint32_t visits_ = 0;

    Packed packed(const Cell* row) const {
        Packed out{};
        packing_.pack(row, out.w);
        return out;
    }
    void unpack(const Packed& c) { packing_.unpack(c.w, row_.data()); }

    void push_initial() {
        for (std::size_t p = 0; p < rules_.system.processes.size(); ++p)
            row_[p] = static_cast<Cell>(rules_.system.processes[p].initial);
        layers_.push(layer_key(0, 0), packed(row_.data()));
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
            layers_.explore_piece(how, [&](LayerKey at, const Packed& c) { return visit(at, c, how); });
            if (result_.stop != Stop::none || stopped()) return;
            keep();
            layers_.save();
        }
        if (always_ || !broken_.empty()) layers_.save(true);  // judging may take long
    }

    bool visit(LayerKey key, const Packed& c, std::uint64_t how) {
        ++result_.configurations;
        unpack(c);
        for (std::uint32_t a = 0; a < q_.asks.size(); ++a)
            if ((never_ >> a & 1) && holds(a)) found({a, EndKind::none, key, c});
        bool calm = false;
        expand(row_.data(), how, false, [&](const Strike&, std::uint32_t faults, const Cell* next) {
            calm = calm || faults == 0;
            if (!next) result_.hit_faults = std::min(result_.hit_faults, level_);
            else if (level_ + faults <= q_.most_faults)
                layers_.push(layer_key(level_ + faults, actions_of(key) + 1), packed(turns_.settle(next).first));
        });
        if (!calm) note_end(key, c);
        if (!(always_ | never_)) return false;
        return ++visits_ % 2048 != 0 || !stopped();
    }

    bool holds(std::uint32_t ask) const { return may_hold(rules_, q_.asks[ask].goal, RowView<Cell>{layout_, row_.data()}); }

    // No calm step is possible: goals that do not hold here are out of reach.
    void note_end(LayerKey key, const Packed& c) {
        const EndKind kind = is_at_rest(rules_, RowView<Cell>{layout_, row_.data()}) ? EndKind::rest : EndKind::deadlock;
        for (std::uint32_t a = 0; a < q_.asks.size(); ++a)
            if ((always_ >> a & 1) && !holds(a)) found({a, kind, key, c});
    }

    template <class Visit>
    void expand(const Cell* row, std::uint64_t how, bool calm_only, Visit&& visit) {
        const auto open = static_cast<std::uint32_t>((how | how >> 30) & ((1u << 30) - 1));
        const bool hit = how >> 60 & 1, always = how & ((1u << 30) - 1);
        const auto* only = q_.reduction && (hit || always) ? expander_.closed.choose(row, open, hit) : nullptr;
        steps_.each(row, q_.k, calm_only, visit, only);
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
        std::vector<Cell> here = row_;
        const std::uint32_t end = store_run(broken.key, broken.at);
        Stuck stuck{end, broken.end};
        if (broken.end != EndKind::none && result_.hit_faults <= level_) {
            fill_full(broken.key);
            stuck = this->nearest(broken.ask, stuck);
        }
        this->violated(broken.ask, stuck, broken.end == EndKind::none ? BlockSize{} : this->exact());
        level_ = level;
        row_ = here;
    }

    // The first configurations before this layer, with as many faults, where a send hits the bound.
    void fill_full(LayerKey key) {
        constexpr std::size_t enough = 20000;
        this->full_.clear();
        for (const Layer& layer : layers_.layers) {
            if (faults_of(layer.key) != faults_of(key) || layer.key >= key) continue;
            layers_.each(layer, [&](const Packed& c) {
                unpack(c);
                bool hit = false;
                expand(row_.data(), layer.note, false, [&](const Strike&, std::uint32_t, const Cell* next) { hit = hit || !next; });
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
        unpack(c);
        const std::uint32_t id = store_.find_or_add(row_.data());
        Node& node = store_.nodes[id];
        node.flags |= settled;
        node.faults = faults_of(key);
        node.actions = actions_of(key);
        return id;
    }

    // Adds the configurations of a run to this one to the store.
    std::uint32_t store_run(LayerKey key, const Packed& at) {
        std::vector<std::pair<LayerKey, Packed>> way{{key, at}};
        std::vector<std::uint32_t> processes;
        while (actions_of(way.back().first) > 0) processes.push_back(add_predecessor(way));
        std::uint32_t id = nothing;
        for (std::size_t i = way.size(); i-- > 0;) {
            const std::uint32_t before = id;
            id = add_stored(way[i].first, way[i].second);
            Node& node = store_.nodes[id];
            node.parent = before;
            if (i < processes.size()) node.last = static_cast<std::uint16_t>(processes[i]);
        }
        return id;
    }

    // The process of the step that leads to the last one.
    std::uint32_t add_predecessor(std::vector<std::pair<LayerKey, Packed>>& way) {
        const auto [key, wanted] = way.back();
        std::uint32_t process = nothing;
        for (const Layer& layer : layers_.layers) {
            if (actions_of(layer.key) + 1 != actions_of(key) || layer.key > key || process != nothing) continue;
            layers_.each(layer, [&](const Packed& c) {
                unpack(c);
                expand(row_.data(), layer.note, false, [&](const Strike& strike, std::uint32_t faults, const Cell* next) {
                    if (process != nothing || !next || faults_of(layer.key) + faults != faults_of(key)) return;
                    if (packed(turns_.settle(next).first) == wanted) process = strike.process;
                });
                if (process != nothing) way.push_back({layer.key, c});
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
