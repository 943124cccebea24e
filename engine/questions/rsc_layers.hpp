// The search of rsc.hpp when memory ends: in layers by the number of steps, with mailboxes of actions (layers.hpp), in the
// compact store and then on disk. A violation is one of the first layer that has any: with mailboxes a shortest one.
#pragma once

#include <string>
#include <vector>

#include "core/usage.hpp"
#include "questions/rsc.hpp"
#include "search/layers.hpp"
#include "search/mailbox_run.hpp"
#include "search/rsc_run.hpp"
#include "store/disk_files.hpp"

namespace stormproof {

// The steps with one queue for each pair of processes, up to symmetry; a violation is noted.
class PeerSteps : RscSteps {
  public:
    PeerSteps(const RscLayout& layout, const std::vector<Automorphism>& group, const Monitor& limits, Usage& usage)
        : RscSteps(layout, limits, usage), usage_(usage), symmetry_(layout, group), next_(layout.words()) {}

    static LayerKey next(LayerKey key) { return key + 1; }
    static bool leads(LayerKey from, LayerKey to) { return from + 1 == to; }
    Stop stopped() const { return usage_.full() ? Stop::memory : cut_short(); }

    std::uint64_t each(LayerKey key, const std::uint64_t* state, VisitStep visit) {
        visit_ = &visit, key_now_ = key;
        closing_ = {};
        expand(state, state + key_.size());
        return closing_.process != none;
    }
    // Of the state before.
    const Closing& closing() const { return closing_; }

  private:
    Usage& usage_;
    RscSymmetry symmetry_;
    StateWords next_;
    const VisitStep* visit_ = nullptr;
    LayerKey key_now_ = 0;
    Closing closing_;

    void put(std::uint32_t, const Arrival&) override {
        symmetry_.canonical(key_.data(), payload_.data());
        std::copy(payload_.begin(), payload_.end(), std::copy(key_.begin(), key_.end(), next_.begin()));
        (*visit_)(next(key_now_), next_.data());
    }
    void close(const Closing& closing) override { closing_ = closing; }
};

// The steps with mailboxes, each one or two actions long; a violation is noted.
class MailboxLayerSteps {
  public:
    explicit MailboxLayerSteps(const MailboxLayout& layout) : steps_(layout) {}

    static LayerKey next(LayerKey key) { return key + 1; }
    static bool leads(LayerKey from, LayerKey to) { return from < to && to <= from + 2; }
    Stop stopped() const { return Stop::none; }

    std::uint64_t each(LayerKey key, const std::uint64_t* state, VisitStep visit) {
        if (steps_.closing(state).first != none) return 1;
        steps_.expand(state, [&](std::uint32_t length, const MailboxStep&, const std::uint64_t* next) { visit(key + length, next); });
        return 0;
    }

  private:
    MailboxSteps steps_;
};

// What is searched in layers.
struct Peers {
    using Steps = PeerSteps;
    const RscLayout& layout;
    const std::vector<Automorphism>& group;

    StateWords initial() const { return layout.initial(); }
    std::vector<std::uint32_t> used_bits() const {
        std::vector<std::uint32_t> bits = layout.key.used_bits(), others = layout.payload.used_bits();
        bits.insert(bits.end(), others.begin(), others.end());
        return bits;
    }
    // A state with the same key and a larger payload stands for others.
    unsigned key_words() const { return layout.key.words(); }
    Steps steps(const Monitor& limits, Usage& usage) const { return {layout, group, limits, usage}; }
    void build_run(const std::vector<StateWords>& path, Steps& steps, RscResult& result) const {
        steps.each(0, path.back().data(), [](LayerKey, const std::uint64_t*) {});
        RscRun(layout, group, result).build(path, steps.closing());
    }
};
struct Mailboxes {
    using Steps = MailboxLayerSteps;
    const MailboxLayout& layout;

    StateWords initial() const { return layout.initial(); }
    std::vector<std::uint32_t> used_bits() const { return layout.packer.used_bits(); }
    unsigned key_words() const { return UINT32_MAX; }  // all of them: no state stands for others
    Steps steps(const Monitor&, Usage&) const { return Steps(layout); }
    void build_run(const std::vector<StateWords>& path, Steps&, RscResult& result) const { MailboxRun(layout, result).build(path); }
};

template <class Searched>
RscResult search_in_store(const Searched& searched, Monitor& monitor, const RscOptions& options);
// With the name of the question.
template <class Searched>
RscResult search_on_disk(const Searched& searched, Monitor& monitor, const RscOptions& options, const std::string& name);

// May states be put on disk, and is that wanted?
bool fits_on_disk(std::size_t words, const RscOptions& options);
std::string fingerprint(const System& system, const RscOptions& options);

// whole() searches in memory, and layered() says what is searched in layers if that has not sufficed.
template <class Whole, class Layered>
RscResult search_everywhere(const System& system, std::size_t words, Monitor& monitor, const RscOptions& options, Whole&& whole,
                            Layered&& layered) {
    const bool disk = fits_on_disk(words, options);
    const std::string name = disk ? fingerprint(system, options) : "";
    RscResult known;
    known.stop = Stop::memory;
    const auto open = [&] { return !known.violated && known.stop == Stop::memory; };
    if (!disk || !(options.disk.at_once || begun_on_disk(options.disk, name))) {
        if (!options.compact) known = whole();
        if (open()) known = search_in_store(layered(), monitor, options);
    }
    if (disk && open()) known = search_on_disk(layered(), monitor, options, name);
    return known;
}

}  // namespace stormproof
