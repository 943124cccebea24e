// The search of rsc.hpp.
#include "questions/rsc.hpp"

#include <algorithm>

#include "questions/rsc_layers.hpp"
#include "search/rsc_run.hpp"
#include "search/rsc_wide.hpp"
#include "store/antichain.hpp"

namespace stormproof {
namespace {

// When a violation is known, the search for a shortest one stops after so many states.
constexpr std::uint64_t most_for_shortest = 5'000'000;

// Two ways to search the same states in one thread. `deciding`: depth first and without regard to length, so that a
// state is dropped for any other that can do as much, however it was reached; few states, and the first violation is
// enough. Otherwise cheapest first, for violations shorter than a known one.
class Search : RscSteps {
  public:
    Search(const RscLayout& layout, Monitor& monitor, Usage& usage, bool deciding,
           const std::vector<Automorphism>& group, std::uint64_t states_before = 0)
        : RscSteps(layout, monitor, usage), monitor_(monitor), usage_(usage), deciding_(deciding),
          before_(states_before), group_(group), states_(layout.key.words(), layout.payload.words(), usage),
          symmetry_(layout, group) {}

    RscResult decide() {
        start();
        auto& stack = buckets_[0];
        while (!stack.empty() && node_ == none && !stopped()) {
            std::uint32_t i = stack.back();
            stack.pop_back();
            visit(i);
        }
        return finish();
    }

    // The shortest violation of fewer than `length` actions, if there is one.
    RscResult shorten(std::uint32_t length) {
        start();
        shortest_ = length;
        for (cost_ = 0; cost_ < buckets_.size() && cost_ < shortest_; ++cost_) {
            auto now = std::move(buckets_[cost_]);
            for (std::uint32_t i : now) {
                if (stopped()) return finish();
                visit(i);
            }
        }
        return finish();
    }

  private:
    void start() {
        const auto words = layout_.initial();
        buckets_.resize(1);
        wait(states_.add(words.data(), words.data() + key_.size(), no_parent), 0);
    }

    void wait(std::uint32_t i, std::uint32_t cost) {
        if (i == none) return;
        if (buckets_.size() <= cost) buckets_.resize(cost + 1);
        if (!usage_.room(buckets_[cost], 1)) return;
        buckets_[cost].push_back(i);
        ++waiting_;
    }

    void visit(std::uint32_t i) {
        --waiting_;
        if (states_.state(i).dead) return;
        ++result_.states;
        at_ = i;
        expand(states_.key(i), states_.payload(i));
    }

    void put(std::uint32_t weight, const Arrival&) override {
        ++result_.transitions;
        const std::uint32_t cost = deciding_ ? 0 : cost_ + weight, final_cost = deciding_ ? 0 : cost_ + 1;
        if (cost >= shortest_) return;  // it can lead to nothing shorter
        symmetry_.canonical(key_.data(), payload_.data());
        wait(states_.add(key_.data(), payload_.data(), at_, cost, final_cost), cost);
    }

    void close(const Closing& closing) override {
        if (cost_ + closing.length >= shortest_) return;
        shortest_ = cost_ + closing.length, node_ = at_, closing_ = closing;
    }

    bool stopped() {
        result_.stop = limit_within();
        std::uint64_t most = monitor_.max_states();
        bool too_many = (most && before_ + result_.states >= most) || (!deciding_ && result_.states >= most_for_shortest);
        if (too_many && result_.stop == Stop::none) result_.stop = Stop::states;
        if (result_.stop == Stop::none && (result_.states % 256 == 0 || monitor_.must_end())) {
            report();
            result_.stop = monitor_.over();
        }
        return result_.stop != Stop::none;
    }

    Stop limit_within() const { return usage_.full() ? Stop::memory : cut_short(); }

    void report() {
        monitor_.states = before_ + result_.states;
        monitor_.frontier = waiting_;
        monitor_.memory = usage_.bytes();
    }

    // A violation that was seen is certain, even where a limit leaves open whether a shorter one exists.
    RscResult finish() {
        if (result_.stop == Stop::none) result_.stop = limit_within();
        if (node_ != none) build_run();
        report();
        result_.memory = usage_.bytes();
        return std::move(result_);
    }

    void build_run() {
        std::vector<RscRun::Words> path;
        for (std::uint64_t i = node_; i != no_parent; i = states_.state(static_cast<std::uint32_t>(i)).parent)
            path.push_back(states_.words(static_cast<std::uint32_t>(i)));
        std::reverse(path.begin(), path.end());
        RscRun(layout_, group_, result_).build(path, closing_);
    }

    Monitor& monitor_;
    Usage& usage_;
    bool deciding_;
    std::uint64_t before_;  // states of an earlier search, which count too
    const std::vector<Automorphism>& group_;
    Antichain states_;
    RscSymmetry symmetry_;
    std::vector<std::vector<std::uint32_t>> buckets_;  // states by cost
    std::uint64_t waiting_ = 0;
    std::uint32_t at_ = none, cost_ = 0;
    std::uint32_t shortest_ = none, node_ = none;  // the shortest violation seen so far, and its state
    Closing closing_;
    RscResult result_;
};

void shorten(const RscLayout& layout, Monitor& monitor, const std::vector<Automorphism>& group, RscResult& known) {
    monitor.phase = Phase::shortening;
    Usage usage(monitor);
    const auto length = static_cast<std::uint32_t>(known.firings.size());
    RscResult shorter = Search(layout, monitor, usage, false, group, known.states).shorten(length);
    known.shortest = shorter.stop == Stop::none;
    if (shorter.violated) {
        known.firings = std::move(shorter.firings);
        known.communication = std::move(shorter.communication);
    }
    known.states += shorter.states;
    known.transitions += shorter.transitions;
    known.memory = std::max(known.memory, shorter.memory);
    known.stop = shorter.stop == Stop::interrupted ? shorter.stop : Stop::none;
}

// `find_group` finds the group, which small searches do without.
template <class FindGroup>
RscResult search_in_memory(const RscLayout& layout, Monitor& monitor, const RscOptions& options,
                           const std::vector<Automorphism>& group, FindGroup&& find_group) {
    RscResult known;
    known.stop = Stop::states;
    const std::uint64_t few = monitor.at_most(options.wide_from);
    if (few > 0) {
        Monitor part(monitor, few);
        Usage usage(part);
        known = Search(layout, part, usage, true, group).decide();
    }
    if (known.violated || known.stop != Stop::states || few < options.wide_from) return known;
    find_group();
    return WideSearch(layout, monitor, group, options.threads, options.parallel_from).decide();
}

}  // namespace

RscResult search_rsc(const System& system, Monitor& monitor, const RscOptions& options) {
    if (system.mailboxes()) return search_rsc_mailboxes(system, monitor, options);
    const RscLayout layout(system);
    std::vector<Automorphism> group;
    const auto find_group = [&] {
        if (options.symmetry && group.empty()) group = Shape(system, monitor).automorphisms(most_permutations);
    };
    const auto whole = [&] { return search_in_memory(layout, monitor, options, group, find_group); };
    const auto layered = [&] {
        find_group();
        return Peers{layout, group};
    };
    RscResult known = search_everywhere(system, layout.words(), monitor, options, whole, layered);
    known.symmetries = std::max<std::uint64_t>(1, group.size());
    if (known.violated) shorten(layout, monitor, group, known);
    return known;
}

}  // namespace stormproof
