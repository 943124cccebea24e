// Survival on disk: the search of survival_search.hpp with its configurations in layers on disk (disk_layers.hpp).
//
// Storms are explored in the order of (faults, actions). How a layer is expanded is noted with it, so that its steps can be made
// again: nothing but the configurations is stored. The run to a configuration is found backwards: its predecessor is in a
// layer with one action less.
//
// What must stay possible is judged once all storms are explored, semi-externally: a perfect hash function numbers the
// configurations in four bits each, a mask in memory says which goals each is known to reach, and sweeps over the layers,
// backwards and forwards in turn, make the calm steps again until nothing changes. Where a goal is missing then, the search in
// memory goes on with the slack, the fewest faults first.
#pragma once

#include "disk_layers.hpp"
#include "perfect_hash.hpp"
#include "survival_packing.hpp"
#include "survival_search.hpp"

namespace stormproof::survival {

std::string fingerprint(const System& system, const Question& question);

// Searches on disk; DiskError when that fails.
Result search_on_disk(const System& system, const Question& question, Monitor& monitor, const std::string& name, bool wide);

template <class Cell, unsigned W>
class DiskSearch : public Search<Cell> {
    using Base = Search<Cell>;
    using Base::q_, Base::rules_, Base::layout_, Base::steps_, Base::store_, Base::turns_, Base::closed_, Base::monitor_,
        Base::result_, Base::always_, Base::never_, Base::level_, Base::reached_, Base::beside_;

  public:
    DiskSearch(const System& system, const Question& question, Monitor& monitor, const std::string& name,
               const Packing<Cell>& packing)
        : Base(system, question, monitor), packing_(packing), layers_(question.disk, name, RecordCodec<W>(packing.used_bits()), room_on_disk<W>(monitor)) {
        row_.resize(layout_.cells);
        if (layers_.resumed) restore();
        else push_initial();
    }

    Result run() {
        explore();
        if (result_.stop == Stop::none) judge();
        conclude_on_disk();
        if (result_.stop == Stop::none) layers_.remove();
        return std::move(result_);
    }

    // What is known when the disk has failed.
    Result known(const std::string& problem) {
        result_.stop = Stop::disk;
        result_.problem = problem;
        conclude_on_disk();
        return std::move(result_);
    }

  private:
    using Packed = Config<W>;
    using Layer = typename DiskLayers<W>::Layer;

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
    std::size_t judged_ = 0;  // so many layers are numbered
    PerfectHash<W> numbers_;
    std::vector<std::uint8_t> few_;    // number -> the goals that it reaches on calm runs within k; of at most eight asks
    std::vector<std::uint32_t> many_;  // the same of more

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
        const auto* only = q_.reduction && (hit || always) ? closed_.choose(row, open, hit) : nullptr;
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

    // ---- calm futures ----------------------------------------------------------------------------------

    // A configuration without a calm step ends the exploration for its ask, but fewer faults may do with a calm run
    // that never gets to the goal: such asks are judged up to one fault less.
    void judge() {
        std::vector<Broken> ended;
        for (const Broken& b : broken_)
            if (b.end != EndKind::none) ended.push_back(b);
        std::uint32_t most = always_ ? nothing : 0;  // only layers with fewer faults
        for (const Broken& b : ended) most = std::max(most, faults_of(b.key));
        if (most == 0) return;
        const std::uint32_t open = always_;
        for (const Broken& b : ended)
            if (faults_of(b.key) > 0) {
                always_ |= 1u << b.ask;
                result_.findings[b.ask] = {};
            }
        const bool few = q_.asks.size() <= 8;
        if (few) judge_with(few_, most, ended);
        else judge_with(many_, most, ended);
        const std::uint32_t unbroken = always_;
        always_ = open & unbroken;
        for (const Broken& b : ended)
            if (result_.findings[b.ask].outcome != Outcome::violated) {
                show(b);
                if (result_.stop != Stop::none) result_.findings[b.ask].undecided_faults = 0;  // fewer may do
            }
    }

    template <class Mask>
    void judge_with(std::vector<Mask>& masks, std::uint32_t most, const std::vector<Broken>& ended) {
        const auto judged_layers = static_cast<std::size_t>(
            std::partition_point(layers_.layers.begin(), layers_.layers.end(),
                                 [&](const Layer& layer) { return faults_of(layer.key) < most; }) -
            layers_.layers.begin());
        std::uint64_t size = 0;
        for (std::size_t i = 0; i < judged_layers; ++i) size += layers_.layers[i].span.records;
        beside_ = PerfectHash<W>::bytes_for(size) + size * sizeof(Mask) + layers_.memory();
        if (!monitor_.allows(beside_)) {
            result_.stop = Stop::memory;
            return;
        }
        judged_ = judged_layers;
        const bool built = numbers_.build(size, [&](auto&& visit) {
            for (std::size_t i = 0; i < judged_ && result_.stop == Stop::none; ++i)
                layers_.each(layers_.layers[i], [&](const Packed& c) {
                    visit(c);
                    return go_on();
                });
            return result_.stop == Stop::none;
        });
        if (!built) return;
        masks.assign(size, 0);
        sweep_all(masks);
        if (result_.stop == Stop::none) judge_rest(masks, ended);
    }

    bool go_on() { return ++visits_ % 4096 != 0 || !stopped(); }

    // Until nothing changes. Layers in which every configuration reaches every goal are not looked at again.
    template <class Mask>
    void sweep_all(std::vector<Mask>& masks) {
        std::vector<std::uint8_t> open(judged_, true);
        bool changed = true;
        for (std::uint32_t n = 0; (changed || n < 2) && result_.stop == Stop::none; ++n) {
            changed = false;
            for (std::size_t i = 0; i < judged_ && result_.stop == Stop::none; ++i) {
                const std::size_t layer = n % 2 == 0 ? judged_ - 1 - i : i;
                if (open[layer]) open[layer] = sweep(masks, layers_.layers[layer], n == 0, changed);
            }
        }
    }

    // Is some goal missing somewhere?
    template <class Mask>
    bool sweep(std::vector<Mask>& masks, const Layer& layer, bool first, bool& changed) {
        bool missing = false;
        layers_.each(layer, [&](const Packed& c) {
            Mask& own = masks[numbers_(c)];
            if ((own & always_) == always_) return true;
            unpack(c);
            std::uint32_t mask = own;
            for (std::uint32_t a = 0; first && a < q_.asks.size(); ++a)
                if ((always_ >> a & 1) && holds(a)) mask |= 1u << a;
            expand(row_.data(), layer.note, true, [&](const Strike&, std::uint32_t faults, const Cell* next) {
                if (faults == 0 && next) mask |= masks[numbers_(packed(turns_.settle(next).first))];
            });
            changed = changed || mask != own;
            own = static_cast<Mask>(mask);
            missing = missing || (mask & always_) != always_;
            return go_on();
        });
        return missing;
    }

    // Where a goal is missing, level by level: a piece at a time, those with the fewest actions first.
    template <class Mask>
    void judge_rest(const std::vector<Mask>& masks, const std::vector<Broken>& ended) {
        constexpr std::size_t piece = 10000;
        for (std::size_t i = 0; i < judged_ && always_ && result_.stop == Stop::none; ++i) {
            const Layer& layer = layers_.layers[i];
            const std::uint32_t faults = faults_of(layer.key);
            if (faults != level_ || i == 0) begin_level(faults, ended);
            layers_.each(layer, [&](const Packed& c) {
                const std::uint32_t mask = masks[numbers_(c)];
                if ((mask & always_) != always_) enlist_stored(layer.key, c, mask);
                if (reached_.size() >= piece) judge_reached();
                return result_.stop == Stop::none && always_ && go_on();
            });
            const bool last = i + 1 == judged_ || faults_of(layers_.layers[i + 1].key) != faults;
            if (last && result_.stop == Stop::none && always_) judge_reached();
        }
    }

    void begin_level(std::uint32_t faults, const std::vector<Broken>& ended) {
        level_ = faults;
        for (const Broken& b : ended)
            if (faults_of(b.key) <= faults) always_ &= ~(1u << b.ask);
    }

    void enlist_stored(LayerKey key, const Packed& c, std::uint32_t mask) {
        const std::uint32_t id = add_stored(key, c);
        this->value(id);
        store_.nodes[id].mask |= mask;
        reached_.push_back(id);
    }

    void judge_reached() {
        if (!reached_.empty()) this->judge_level();
        reached_.clear();
    }

    std::uint32_t known_elsewhere(const Cell* row) override {
        if (judged_ == 0) return 0;
        for (std::uint32_t c = 0; c < layout_.channel.size(); ++c)
            if (row[layout_.channel[c]] > q_.k) return 0;
        const Packed here = packed(row);
        const std::uint64_t number = numbers_(here);
        const std::uint32_t mask = few_.empty() ? many_[number] : few_[number];
        const auto end = layers_.layers.begin() + static_cast<std::ptrdiff_t>(judged_);
        const auto has = [&](const Layer& layer) { return layers_.has(layer, here); };
        return mask && std::any_of(layers_.layers.begin(), end, has) ? mask : 0;
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

    void conclude_on_disk() {
        this->conclude();
        result_.stored = layers_.size();
        result_.memory = layers_.memory();
        result_.on_disk = layers_.layer_bytes();
    }
};

}  // namespace stormproof::survival
