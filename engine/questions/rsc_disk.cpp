#include "questions/rsc_disk.hpp"

#include <memory>
#include <optional>

#include "core/widths.hpp"
#include "search/rsc_run.hpp"
#include "store/disk_layers.hpp"
#include "store/fingerprint.hpp"

namespace stormproof {
namespace {

// How many bits of each word of a state are used, from the lowest on.
std::vector<std::uint32_t> used_bits(const RscLayout& layout) {
    std::vector<std::uint64_t> used(layout.words(), 0);
    const auto mark = [&](const Field& field, std::size_t first) {
        if (field.mask) used[first + field.word] |= field.mask << field.shift;
    };
    for (const Field& field : layout.control) mark(field, 0);
    mark(layout.pending, 0);
    for (const auto* fields : {&layout.depends, &layout.free})
        for (const Field& field : *fields) mark(field, layout.key.words());
    std::vector<std::uint32_t> bits;
    for (const std::uint64_t mask : used) bits.push_back(static_cast<std::uint32_t>(std::bit_width(mask)));
    return bits;
}

// One thread of the search.
template <unsigned W>
class alignas(cache_line) DiskSteps : RscSteps {
  public:
    using Expanded = typename DiskLayers<W>::Expanded;

    DiskSteps(const RscLayout& layout, const Monitor& limits, Usage& usage, const std::vector<Automorphism>& group)
        : RscSteps(layout, limits, usage), limits_(limits), usage_(usage), symmetry_(layout, group) {}

    // Pushes the successors of a state, unless a limit was hit before; is it a violation?
    bool push_successors(LayerKey key, const Config<W>& c, Expanded& out) {
        out_ = &out, next_key_ = key + 1;
        closing_ = {};
        if (stopped() == Stop::none) expand(c.w, c.w + key_.size());
        if (++visits_ % 1024 == 0 && stop_ == Stop::none) stop_ = limits_.over();
        return closing_.process != none;
    }

    bool leads(const Config<W>& from, const Config<W>& to) {
        out_ = nullptr, wanted_ = to, reached_ = false;
        expand(from.w, from.w + key_.size());
        return reached_;
    }
    // Of the state that was expanded last.
    const Closing& closing() const { return closing_; }

    // The limit that was hit: not all successors are known.
    Stop stopped() const { return usage_.full() ? Stop::memory : cut_short() != Stop::none ? cut_short() : stop_; }

  private:
    void put(std::uint32_t, const Arrival&) override {
        symmetry_.settle(key_.data(), payload_.data());
        Config<W> next{};
        std::copy(key_.begin(), key_.end(), next.w);
        std::copy(payload_.begin(), payload_.end(), next.w + key_.size());
        if (out_) out_->push(next_key_, next);
        else reached_ = reached_ || next == wanted_;
    }
    void close(const Closing& closing) override { closing_ = closing; }

    const Monitor& limits_;
    Usage& usage_;
    RscTurns symmetry_;
    Expanded* out_ = nullptr;  // where successors are pushed; null: they are compared with the wanted state
    LayerKey next_key_ = 0;
    Config<W> wanted_{};
    bool reached_ = false;
    Closing closing_;
    std::uint32_t visits_ = 0;
    Stop stop_ = Stop::none;
};

template <unsigned W>
class DiskSearch {
  public:
    DiskSearch(const RscLayout& layout, Monitor& monitor, const std::vector<Automorphism>& group, const RscOptions& options,
               const std::string& name)
        : layout_(layout), monitor_(monitor), within_state_(monitor, 0), usage_(within_state_), group_(group),
          layers_(options.disk, name, RecordCodec<W>(used_bits(layout)), room_on_disk<W>(monitor),
                  {std::max(1u, options.threads), options.parallel_from}, layout.key.words()) {
        for (std::uint32_t i = 0; i < std::max(1u, options.threads); ++i)
            threads_.push_back(std::make_unique<DiskSteps<W>>(layout, within_state_, usage_, group));
        if (layers_.resumed) std::istringstream(layers_.state) >> result_.transitions;
        else layers_.push(0, config_of(layout.initial()));
    }

    RscResult run() {
        while (going() && layers_.next()) {
            explore_piece();
            if (!going() || stopped()) break;
            layers_.state = std::to_string(result_.transitions);
            layers_.save();
        }
        if (violated_) build_run();
        count();
        if (violated_ || result_.stop == Stop::none) layers_.remove();
        return std::move(result_);
    }

    // What is known when the disk has failed.
    RscResult known(const std::string& problem) {
        result_.violated = false;
        result_.stop = Stop::disk;
        result_.problem = problem;
        count();
        return std::move(result_);
    }

  private:
    using Words = RscRun::Words;
    using Expanded = typename DiskLayers<W>::Expanded;

    bool going() const { return result_.stop == Stop::none && !violated_; }

    void count() {
        result_.states = layers_.size();
        result_.on_disk = layers_.layer_bytes();
        result_.memory = layers_.memory() + usage_.bytes();
    }

    static Config<W> config_of(const Words& words) {
        Config<W> c{};
        std::copy(words.begin(), words.end(), c.w);
        return c;
    }

    void explore_piece() {
        layers_.explore_piece(
            0,
            [&](unsigned who, LayerKey key, const Config<W>& c, Expanded& out) {
                return std::uint64_t{threads_[who]->push_successors(key, c, out)};
            },
            [&](LayerKey key, const Config<W>& c, std::uint64_t violated, std::size_t successors) {
                result_.transitions += successors;
                if (violated) violated_ = {key, c};
                return going() && (++visits_ % 1024 != 0 || !stopped());
            });
    }

    bool stopped() {
        monitor_.states = layers_.size();
        monitor_.memory = layers_.memory() + usage_.bytes();
        result_.stop = monitor_.over();
        if (result_.stop == Stop::memory) result_.stop = Stop::none;  // what is in memory was sized by the limit
        for (const auto& thread : threads_)
            if (result_.stop == Stop::none) result_.stop = thread->stopped();
        return result_.stop != Stop::none;
    }

    // From the violation backwards, layer by layer. What was found is certain, so this heeds no limits.
    void build_run() {
        Unlimited none_at_all;
        DiskSteps<W> steps(layout_, none_at_all.monitor, none_at_all.usage, group_);
        std::vector<Words> way;
        Config<W> at = violated_->state;
        for (LayerKey key = violated_->key;; --key) {
            way.emplace_back(at.w, at.w + layout_.words());
            if (key == 0) break;
            at = predecessor(steps, key, at);
        }
        std::reverse(way.begin(), way.end());
        steps.leads(violated_->state, {});
        RscRun(layout_, group_, result_).build(way, steps.closing());
    }

    Config<W> predecessor(DiskSteps<W>& steps, LayerKey key, const Config<W>& wanted) {
        std::optional<Config<W>> found;
        for (const auto& layer : layers_.layers)
            if (layer.key + 1 == key && !found)
                layers_.each(layer, [&](const Config<W>& c) {
                    if (steps.leads(c, wanted)) found = c;
                    return !found;
                });
        if (!found) throw DiskError("the layers on disk do not lead to each other");
        return *found;
    }

    struct Violated {
        LayerKey key = 0;
        Config<W> state{};
    };

    const RscLayout& layout_;
    Monitor& monitor_;
    const Monitor within_state_;  // the limits for the successors of one state
    Usage usage_;
    const std::vector<Automorphism>& group_;
    DiskLayers<W> layers_;
    std::vector<std::unique_ptr<DiskSteps<W>>> threads_;
    std::optional<Violated> violated_;
    std::uint32_t visits_ = 0;
    RscResult result_;
};

template <unsigned W>
RscResult searched(const RscLayout& layout, Monitor& monitor, const std::vector<Automorphism>& group,
                   const RscOptions& options, const std::string& name) {
    DiskSearch<W> search(layout, monitor, group, options, name);
    try {
        return search.run();
    } catch (const DiskError& problem) {
        return search.known(problem.what());
    }
}

}  // namespace

bool fits_on_disk(const RscLayout& layout, const RscOptions& options) {
    return options.disk.wanted() && layout.words() <= max_words;
}

std::string fingerprint(const System& system, const RscOptions& options) {
    Fingerprint out;
    out.add("rsc").add(options.disk.version).add(options.symmetry);
    add_system(out, system);
    return out.name();
}

RscResult search_rsc_on_disk(const RscLayout& layout, Monitor& monitor, const std::vector<Automorphism>& group,
                             const RscOptions& options, const std::string& name) {
    const auto run = [&]<unsigned W>() { return searched<W>(layout, monitor, group, options, name); };
    try {
        return in_least_width(WidthsOf<4, max_words>{}, layout.words(), run);
    } catch (const DiskError& problem) {
        RscResult result;
        result.stop = Stop::disk;
        result.problem = problem.what();
        return result;
    }
}

}  // namespace stormproof
