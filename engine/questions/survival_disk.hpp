// Survival on disk: the search of survival_search.hpp with its configurations in layers on disk (disk_storms.hpp).
//
// What must stay possible is judged once all storms are explored, semi-externally: a perfect hash function numbers the
// configurations in four bits each, a mask in memory says which goals each is known to reach, and sweeps over the layers,
// backwards and forwards in turn, make the calm steps again until nothing changes. Where a goal is missing then, the search in
// memory goes on with the slack, the fewest faults first.
#pragma once

#include "search/disk_storms.hpp"
#include "store/perfect_hash.hpp"

namespace stormproof::survival {

template <class Cell, unsigned W>
class DiskSearch : public DiskStorms<Cell, W> {
    using Base = DiskStorms<Cell, W>;
    using Base::q_, Base::layout_, Base::store_, Base::monitor_, Base::result_, Base::always_, Base::level_, Base::reached_,
        Base::beside_, Base::layers_, Base::threads_, Base::broken_, Base::visits_;
    using typename Base::Broken;
    using typename Base::Layer;
    using typename Base::Packed;
    using typename Base::Thread;
    using Flag = std::atomic<bool>;
    static constexpr auto relaxed = std::memory_order_relaxed;

  public:
    DiskSearch(const System& system, const Question& question, Monitor& monitor, const std::string& name,
               const Packing<Cell>& packing)
        : Base(system, question, monitor, name, packing) {}

    Result run() {
        this->explore();
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
    std::size_t judged_ = 0;  // so many layers are numbered
    PerfectHash<W> numbers_;
    std::vector<std::uint8_t> few_;    // number -> the goals that it reaches on calm runs within k; of at most eight asks
    std::vector<std::uint32_t> many_;  // the same of more

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
                this->show(b);
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
        const bool built = numbers_.build(size, [&](typename PerfectHash<W>::Visit visit) {
            for (std::size_t i = 0; i < judged_ && result_.stop == Stop::none; ++i)
                layers_.each_in_parallel(layers_.layers[i], [&](unsigned who, const Packed& c) {
                    visit(c);
                    return go_on(who);
                });
            return result_.stop == Stop::none;
        });
        if (!built) return;
        masks.assign(size, 0);
        sweep_all(masks);
        if (result_.stop == Stop::none) judge_rest(masks, ended);
    }

    // The first thread looks after the limits.
    bool go_on(unsigned who) { return who > 0 || ++visits_ % 4096 != 0 || !this->stopped(); }

    // Until nothing changes. Layers in which every configuration reaches every goal are not looked at again.
    template <class Mask>
    void sweep_all(std::vector<Mask>& masks) {
        std::vector<std::uint8_t> open(judged_, true);
        Flag changed{true};
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
    bool sweep(std::vector<Mask>& masks, const Layer& layer, bool first, Flag& changed) {
        Flag missing{false};
        layers_.each_in_parallel(layer, [&](unsigned who, const Packed& c) {
            const std::atomic_ref<Mask> own(masks[numbers_(c)]);  // which no other thread changes
            const std::uint32_t before = own.load(relaxed);
            if ((before & always_) == always_) return true;
            Thread& thread = *threads_[who];
            this->unpack(thread, c);
            std::uint32_t mask = before | (first ? this->holding(thread, always_) : 0);
            this->expand(thread, layer.note, true, [&](const FaultyStep& step, std::uint32_t faults, const Cell* next) {
                if (faults != 0 || !next || (mask & always_) == always_) return;
                mask |= std::atomic_ref(masks[numbers_(this->packed_after(thread, c, step, next))]).load(relaxed);
            });
            if (mask != before) changed.store(true, relaxed);
            if ((mask & always_) != always_) missing.store(true, relaxed);
            own.store(static_cast<Mask>(mask), relaxed);
            return go_on(who);
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
                return result_.stop == Stop::none && always_ && go_on(0);
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
        const std::uint32_t id = this->add_stored(key, c);
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
        const Packed here = this->packed(row);
        const std::uint64_t number = numbers_(here);
        const std::uint32_t mask = few_.empty() ? many_[number] : few_[number];
        const auto end = layers_.layers.begin() + static_cast<std::ptrdiff_t>(judged_);
        const auto has = [&](const Layer& layer) { return layers_.has(layer, here); };
        return mask && std::any_of(layers_.layers.begin(), end, has) ? mask : 0;
    }

    void conclude_on_disk() {
        this->conclude();
        result_.stored = layers_.size();
        result_.memory = layers_.memory();
        result_.on_disk = layers_.layer_bytes();
    }
};

}  // namespace stormproof::survival
