// The k-properties on disk: the search of decide.hpp with its configurations in layers on disk (disk_layers.hpp).
//
// Everything is explored, without reduction and symmetry; a layer is a level of actions and, within it, a round of silent
// steps. Futures (futures.hpp) are solved by sweeps over the layers, which make the steps again: a perfect hash function
// numbers the configurations, and the masks of some goals at a time are in memory.
#pragma once

#include <optional>

#include "questions/goals.hpp"
#include "questions/k_properties.hpp"
#include "search/first_found.hpp"
#include "steps/silent.hpp"
#include "store/disk_layers.hpp"
#include "store/perfect_hash.hpp"

namespace stormproof {

// How many bits of each word of a configuration are used, from the lowest on.
inline std::vector<std::uint32_t> used_bits(const Machine& m) {
    std::vector<std::uint64_t> used(m.words, 0);
    const auto mark = [&](const Field& field) {
        if (field.mask) used[field.word] |= field.mask << field.shift;
    };
    for (const ProcessLayout& p : m.processes) mark(p.state);
    for (const ChannelLayout& ch : m.channels) {
        for (std::uint32_t i = 0; i < ch.words; ++i) used[ch.first_word + i] = UINT64_MAX;
        mark(ch.field);
        mark(ch.crash);
        for (const Field& count : ch.counts) mark(count);
    }
    std::vector<std::uint32_t> bits;
    for (const std::uint64_t mask : used) bits.push_back(static_cast<std::uint32_t>(std::bit_width(mask)));
    return bits;
}

template <unsigned W>
class DiskDecision {
  public:
    DiskDecision(const Machine& machine, const Question& question, Monitor& monitor, const std::string& name)
        : m(machine), q(question), monitor_(monitor), found_(machine),
          layers_(question.disk, name, RecordCodec<W>(used_bits(machine)), room_on_disk<W>(monitor),
                  {question.threads, question.parallel_from}) {
        answer_.words = W;
        if (layers_.resumed) std::istringstream(layers_.state) >> answer_.transitions;
        else layers_.push(layer_key(0, 0), initial_config<W>(m));
    }

    Answer run() {
        explore();
        const PropertySet needed = q.properties.without(q.optional);
        decide(needed);
        if (going() && !found_[Property::exh]) decide(q.properties.without(needed));
        if (answer_.has_all(needed) && answer_.stop != Stop::interrupted) answer_.stop = Stop::none;
        count();
        if (going()) layers_.remove();
        return std::move(answer_);
    }

    // What is known when the disk has failed.
    Answer known(const std::string& problem) {
        answer_.stop = Stop::disk;
        answer_.problem = problem;
        count();
        return std::move(answer_);
    }

  private:
    using Layer = typename DiskLayers<W>::Layer;
    using Expanded = typename DiskLayers<W>::Expanded;
    using Flag = std::atomic<bool>;
    static constexpr auto relaxed = std::memory_order_relaxed;

    const Machine& m;
    const Question& q;
    Monitor& monitor_;
    FirstFound<W> found_;
    DiskLayers<W> layers_;
    std::optional<PerfectHash<W>> numbers_;
    Answer answer_;
    std::uint32_t visits_ = 0;

    bool going() const { return answer_.stop == Stop::none; }

    void count() {
        answer_.states = layers_.size();
        answer_.on_disk = layers_.layer_bytes();
    }

    void explore() {
        while (const auto key = layers_.next()) {
            layers_.explore_piece(
                0, [&](unsigned, LayerKey at, const Config<W>& c, Expanded& out) { return expand(at, c, out); },
                [&](LayerKey, const Config<W>&, std::uint64_t, std::size_t successors) {
                    answer_.transitions += successors;
                    return go_on(0);
                });
            if (!going() || stopped()) return;
            layers_.state = std::to_string(answer_.transitions);
            layers_.save();
        }
        layers_.save(true);  // the sweeps may take long
    }

    std::uint64_t expand(LayerKey key, const Config<W>& c, Expanded& out) const {
        const LayerKey silent = key + 1, action = layer_key(std::uint64_t{faults_of(key)} + 1, 0);
        each_step(c, [&](std::uint32_t number, const Config<W>& next) { out.push(number == none ? silent : action, next); });
        return 0;
    }

    // visit(number of the instruction, or none for a silent step; the successor)
    template <class Visit>
    void each_step(const Config<W>& c, Visit&& visit) const {
        each_enabled(m, c, [&](std::uint32_t number, const Instruction& s) { visit(number, perform(m, s, c)); });
        if (m.silent) each_silent(m, c, [&](const Config<W>& next) { visit(none, next); });
    }

    // The first thread looks after the limits.
    bool go_on(unsigned who) { return who > 0 || ++visits_ % 4096 != 0 || !stopped(); }

    bool stopped() {
        monitor_.states = layers_.size();
        monitor_.memory = layers_.memory();
        answer_.peak_bytes = std::max<std::uint64_t>(answer_.peak_bytes, monitor_.memory);
        answer_.stop = monitor_.over();
        if (answer_.stop == Stop::memory) answer_.stop = Stop::none;  // what is in memory was sized by the limit
        return answer_.stop != Stop::none;
    }

    // ---- futures ---------------------------------------------------------------------------------------

    void decide(const PropertySet& asked) {
        if (!going() || asked.empty()) return;
        found_.asked = asked;
        if (found_.has_choices()) each([&](std::size_t layer, const Config<W>& c) { found_.note_choices(layer, c); });
        solve(goals_of(m, asked.without({Property::sibi})), asked.without({Property::sibi}));
        if (needs_search(m, asked, Property::sibi)) solve(goals_of(m, {Property::sibi}), {Property::sibi});
        if (!going()) return;
        std::vector<Violation> violations;  // complete before any is an answer: the disk may fail
        for (Property property : all_properties)
            if (asked.has(property) && found_[property]) violations.push_back(violation(property));
        answer_.decide(asked, std::move(violations));
    }

    // visit(number of the layer, configuration) for all, in several threads.
    template <class Visit>
    void each(Visit&& visit) {
        for (std::size_t i = 0; i < layers_.layers.size() && going(); ++i)
            layers_.each_in_parallel(layers_.layers[i], [&](unsigned who, const Config<W>& c) {
                visit(i, c);
                return go_on(who);
            });
    }

    void solve(const std::vector<Goal>& goals, const PropertySet& properties) {
        if (goals.empty() || !going()) return;
        const std::uint64_t bytes = PerfectHash<W>::bytes_for(layers_.size()) + layers_.memory();
        const bool wide = monitor_.allows(bytes + 8 * layers_.size());
        if (!wide && !monitor_.allows(bytes + layers_.size())) {
            answer_.stop = Stop::memory;
            return;
        }
        if (!numbers_) {
            numbers_.emplace();
            numbers_->build(layers_.size(), [&](typename PerfectHash<W>::Visit visit) {
                each([&](std::size_t, const Config<W>& c) { visit(c); });
                return going();
            });
        }
        if (wide) solve_in<std::uint64_t>(goals, properties);
        else solve_in<std::uint8_t>(goals, properties);
    }

    // As many goals at a time as a mask has bits.
    template <class Mask>
    void solve_in(const std::vector<Goal>& goals, const PropertySet& properties) {
        std::vector<Mask> masks;
        for (std::size_t at = 0; at < goals.size() && going(); at += 8 * sizeof(Mask)) {
            const std::size_t end = std::min(goals.size(), at + 8 * sizeof(Mask));
            const GoalSet set(m, {goals.begin() + static_cast<std::ptrdiff_t>(at), goals.begin() + static_cast<std::ptrdiff_t>(end)},
                              properties);
            masks.assign(layers_.size(), 0);
            const bool sends = properties == PropertySet{Property::sibi};
            const bool unmet = sweep_all(set, masks, sends);
            if (sends) note_receptions(set, masks);
            else if (unmet) collect(set, masks);
        }
    }

    // Until every need is met or nothing changes, or in any case until nothing changes; is some need unmet?
    template <class Mask>
    bool sweep_all(const GoalSet& set, std::vector<Mask>& masks, bool in_any_case) {
        std::vector<std::uint8_t> open(layers_.layers.size(), true);
        for (std::uint32_t n = 0; going(); ++n) {
            Flag changed{false}, unmet{false};
            for (std::size_t i = 0; i < open.size() && going(); ++i) {
                const std::size_t layer = n % 2 == 0 ? open.size() - 1 - i : i;
                if (open[layer]) open[layer] = sweep(set, masks, layers_.layers[layer], n == 0, changed, unmet);
            }
            if (going() && ((!unmet && !in_any_case) || (n > 0 && !changed))) return unmet;
        }
        return false;
    }

    // Is some goal missing somewhere, needed or not?
    template <class Mask>
    bool sweep(const GoalSet& set, std::vector<Mask>& masks, const Layer& layer, bool first, Flag& changed, Flag& unmet) {
        Flag missing{false};
        layers_.each_in_parallel(layer, [&](unsigned who, const Config<W>& c) {
            const std::atomic_ref<Mask> own(masks[(*numbers_)(c)]);  // which no other thread changes
            const std::uint64_t before = own.load(relaxed);
            if (before == set.all) return true;
            const std::uint64_t need = set.needs(m, c);
            std::uint64_t mask = before | (first ? set.assumed & ~need : 0);
            each_step(c, [&](std::uint32_t number, const Config<W>& next) {
                const std::uint64_t after = std::atomic_ref(masks[(*numbers_)(next)]).load(relaxed);
                mask |= number == none ? after : set.fires[number] | (after & set.keeps[number]);
            });
            if (mask != before) changed.store(true, relaxed);
            if (need & ~mask) unmet.store(true, relaxed);
            if (mask != set.all) missing.store(true, relaxed);
            own.store(static_cast<Mask>(mask), relaxed);
            return go_on(who);
        });
        return missing;
    }

    template <class Mask>
    void collect(const GoalSet& set, const std::vector<Mask>& masks) {
        each([&](std::size_t layer, const Config<W>& c) {
            found_.note_unmet(set, set.needs(m, c) & ~std::uint64_t{masks[(*numbers_)(c)]}, layer, c);
        });
    }

    template <class Mask>
    void note_receptions(const GoalSet& set, const std::vector<Mask>& masks) {
        each([&](std::size_t layer, const Config<W>& c) {
            found_.note_receptions(layer, c, &set, [&](const Config<W>& next) { return masks[(*numbers_)(next)]; });
        });
    }

    // ---- runs ------------------------------------------------------------------------------------------

    Violation violation(Property property) {
        const Found<W>& found = *found_[property];
        Violation out;
        out.property = property;
        out.end = end_of(m, found.config, found.offence);
        LayerKey key = layers_.layers[found.round].key;
        for (Config<W> at = found.config; key != layer_key(0, 0);) {
            const auto [before, config, number] = predecessor(key, at);
            if (number != none) out.firings.emplace_back(m.instructions[number].process, m.instructions[number].transition);
            key = before;
            at = config;
        }
        std::reverse(out.firings.begin(), out.firings.end());
        return out;
    }

    std::tuple<LayerKey, Config<W>, std::uint32_t> predecessor(LayerKey key, const Config<W>& wanted) {
        const bool silent = actions_of(key) > 0;
        std::optional<std::tuple<LayerKey, Config<W>, std::uint32_t>> found;
        for (const Layer& layer : layers_.layers) {
            const bool before = silent ? layer.key + 1 == key : faults_of(layer.key) + 1 == faults_of(key);
            if (!before || found) continue;
            layers_.each(layer, [&](const Config<W>& c) {
                each_step(c, [&](std::uint32_t number, const Config<W>& next) {
                    if (!found && (number == none) == silent && next == wanted) found.emplace(layer.key, c, number);
                });
                return !found;
            });
        }
        if (!found) throw DiskError("the layers on disk do not lead to each other");
        return *found;
    }
};

}  // namespace stormproof
