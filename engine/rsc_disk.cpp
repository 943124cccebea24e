#include "rsc_disk.hpp"

#include "disk_fingerprint.hpp"
#include "disk_layers.hpp"
#include "k_properties.hpp"
#include "rsc_run.hpp"

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

template <unsigned W>
class DiskSearch : RscSteps {
  public:
    // `steps`: the limits for the successors of one state.
    DiskSearch(const RscLayout& layout, Monitor& monitor, const Monitor& steps, Usage& usage,
               const std::vector<Automorphism>& group, const DiskOptions& disk, const std::string& name)
        : RscSteps(layout, steps, usage), monitor_(monitor), usage_(usage), group_(group), symmetry_(layout, group),
          layers_(disk, name, RecordCodec<W>(used_bits(layout)), room_on_disk<W>(monitor), {}, layout.key.words()) {
        if (layers_.resumed) std::istringstream(layers_.state) >> result_.transitions;
        else layers_.push(0, config_of(layout.initial()));
    }

    RscResult run() {
        while (going() && layers_.next()) {
            layers_.explore_piece(0, [&](LayerKey key, const Config<W>& c) { return visit(key, c); });
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

    bool visit(LayerKey key, const Config<W>& c) {
        key_at_ = key, at_ = c;
        expand(c.w, c.w + key_.size());
        if (usage_.full()) result_.stop = Stop::memory;
        else if (cut_short() != Stop::none) result_.stop = cut_short();
        return going() && (++visits_ % 1024 != 0 || !stopped());
    }

    void put(std::uint32_t, const Arrival&) override {
        Config<W> next{};
        settle(next);
        if (wanted_) {
            reaches_ = reaches_ || next == *wanted_;
            return;
        }
        ++result_.transitions;
        layers_.push(key_at_ + 1, next);
    }
    void settle(Config<W>& out) {
        symmetry_.settle(key_.data(), payload_.data());
        std::copy(key_.begin(), key_.end(), out.w);
        std::copy(payload_.begin(), payload_.end(), out.w + key_.size());
    }
    void close(const Closing& closing) override {
        if (!wanted_ && !violated_) violated_ = {key_at_, at_, closing};
    }

    bool stopped() {
        monitor_.states = layers_.size();
        monitor_.memory = layers_.memory() + usage_.bytes();
        result_.stop = monitor_.over();
        if (result_.stop == Stop::memory) result_.stop = Stop::none;  // what is in memory was sized by the limit
        return result_.stop != Stop::none;
    }

    // From the violation backwards, layer by layer.
    void build_run() {
        std::vector<Words> way;
        Config<W> at = violated_->state;
        for (LayerKey key = violated_->key;; --key) {
            way.emplace_back(at.w, at.w + layout_.words());
            if (key == 0) break;
            at = predecessor(key, at);
        }
        std::reverse(way.begin(), way.end());
        RscRun(layout_, group_, result_).build(way, violated_->closing);
    }

    Config<W> predecessor(LayerKey key, const Config<W>& wanted) {
        wanted_ = wanted;
        reaches_ = false;
        Config<W> found{};
        for (const auto& layer : layers_.layers)
            if (layer.key + 1 == key && !reaches_)
                layers_.each(layer, [&](const Config<W>& c) {
                    found = c;
                    expand(c.w, c.w + key_.size());
                    return !reaches_;
                });
        if (!reaches_) throw DiskError("the layers on disk do not lead to each other");
        return found;
    }

    struct Violated {
        LayerKey key = 0;
        Config<W> state{};
        Closing closing;
    };

    Monitor& monitor_;
    Usage& usage_;
    const std::vector<Automorphism>& group_;
    RscTurns symmetry_;
    DiskLayers<W> layers_;
    LayerKey key_at_ = 0;  // of the state that is expanded
    Config<W> at_{};
    std::optional<Violated> violated_;
    std::optional<Config<W>> wanted_;  // a state whose predecessor is looked for
    bool reaches_ = false;
    std::uint32_t visits_ = 0;
    RscResult result_;
};

template <unsigned W>
RscResult searched(const RscLayout& layout, Monitor& monitor, const std::vector<Automorphism>& group,
                   const DiskOptions& disk, const std::string& name) {
    const Monitor steps(monitor, 0);
    Usage usage(steps);
    DiskSearch<W> search(layout, monitor, steps, usage, group, disk, name);
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
                             const DiskOptions& disk, const std::string& name) {
    const auto run = [&]<unsigned W>() { return searched<W>(layout, monitor, group, disk, name); };
    try {
        if (layout.words() <= 2) return run.template operator()<2>();
        if (layout.words() <= 4) return run.template operator()<4>();
        if (layout.words() <= 8) return run.template operator()<8>();
        return run.template operator()<max_words>();
    } catch (const DiskError& problem) {
        RscResult result;
        result.stop = Stop::disk;
        result.problem = problem.what();
        return result;
    }
}

}  // namespace stormproof
