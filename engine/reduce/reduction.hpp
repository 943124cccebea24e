// Partial-order reduction where no channel reorders (definitions 3.12), in any number of threads.
//
// At each configuration r the closed set P with the fewest enabled actions A is expanded (stubborn.hpp has (1)); where
// there is none, everybody is, and so are the silent faults.
//
// (2) From each configuration of the reduced graph a path leads to one where everybody was expanded: strongly connected
//     components that no edge leaves have such a configuration; where one has none, everybody is expanded at its least
//     configuration. This replaces the usual condition that *every cycle* has such a configuration, which costs most of what
//     reduction gains in systems that go round for ever (compare Valmari and Hansen, Stubborn Set Intuition Explained).
//
// Let r -w-> be a run, r in the reduced graph. Follow the path of (2). At each configuration, if somebody in P acts in w,
// take the first such action instead: by (1) the rest of w can follow, and w is shorter. Otherwise take the action a of
// the path: by (1) w can still follow. Where everybody is expanded, take the first step of w. So w is taken
// in the end, with other actions in between.
//
// Goals. From a configuration of the reduced graph the same goals are reachable as in the full one: let w end in the
// goal. For k-exh the run must do without the sender S, whose channel c is full before the goal. Where S is in P, its
// only peer takes from c and so is in P and acts in w, and it is not S; where S is not in P, it does not act at r. For
// k-pg the run must do without crashes, stops and restarts of S, and ends with an action of S. So if S is in P,
// somebody in P acts in w, and the action that comes to the front is one of w; otherwise no action of S is added.
//
// Offenders. Let s offend in the full graph, r -w-> s with r in the reduced one. When a is added, r -a-> r' -w-> t with
// s -a-> t, and t offends as well. Whatever s never reaches, t never does. The head that is never received stays
// (k-er, k-wer): a does not take it, for it would at s as well. The process S that never proceeds (k-pg) or never sends
// (k-exh) is where it was: if S is in P, it has no enabled action at r; for it would still have it at s by (1), and a
// state that is simple and receives (k-pg) or sends (k-exh) would then proceed or send. Excuses for crashed processes
// (`up-to-crash`) are the same at t, since an action by which a process crashes is in no A. So the reduced graph reaches
// an offender.
//
// Symmetry (definitions 3.13): all of this holds up to the permutation that takes a successor to its representative,
// and with it w and the goals.
//
// So the reduced graph decides k-exh in all its variants, k-er, k-wer and k-pg. k-obi and k-sibi speak of
// actions enabled side by side: what violates them in the reduced graph violates them, but only the full graph shows
// that nothing does.
//
// Everything that follows by closed sets is explored first, then the components of what is new are looked at, and so on
// until all of them satisfy (2). Where a path leads to something older, it does already. Which closed set is expanded at a
// configuration, and where everybody is, follows from the graph alone, so that it does not depend on threads.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "reduce/stubborn.hpp"
#include "search/components.hpp"
#include "search/explore.hpp"

namespace stormproof {

// The steps of the closed set with the fewest enabled actions, or all.
class FewestSteps {
  public:
    static constexpr bool reduces = true;

    // Returns the process whose closed set it is, or `everyone`.
    template <unsigned W, class Visit>
    std::uint16_t each(const Machine& m, const Config<W>& c, Visit& visit) {
        const std::uint16_t who = choose(m, c);
        if (who == everyone) all_steps(m, c, visit);
        else fewest_.each_enabled_in(m, c, [&](std::uint32_t, const Instruction& i) { visit(perform(m, i, c)); });
        return who;
    }

  private:
    ClosedSet closed_, fewest_;
    std::vector<std::uint32_t> enabled_;  // so many actions of each process

    template <unsigned W>
    std::uint16_t choose(const Machine& m, const Config<W>& c) {
        enabled_.assign(m.processes.size(), 0);
        each_enabled(m, c, [&](std::uint32_t, const Instruction& i) { ++enabled_[i.process]; });
        const auto processes = static_cast<std::uint16_t>(std::min<std::size_t>(m.processes.size(), everyone));
        std::uint64_t fewest = UINT64_MAX;
        std::uint16_t who = everyone;
        for (std::uint16_t p = 0; p < processes && fewest > 1; ++p) {
            if (!closed_.close(m, p, c)) continue;
            std::uint64_t actions = 0;
            for (const std::uint32_t member : closed_.members()) actions += enabled_[member];
            if (actions == 0 || actions >= fewest) continue;
            fewest = actions, who = p;
            std::swap(closed_, fewest_);
        }
        return who;
    }
};

template <unsigned W>
class Reducer {
  public:
    Reducer(Graph<W>& graph, Monitor& monitor, unsigned threads, std::uint64_t parallel_from)
        : g(graph), monitor_(monitor), parallel_from_(parallel_from), explorer_(graph, monitor, threads, parallel_from),
          memory_(monitor), components_(graph, memory_), looked_at_(graph.shards.size(), 0) {
        g.reduced = true;
    }

    Stop run() {
        std::vector<std::uint32_t> lacking;
        for (bool going = explorer_.begin(); going; going = explorer_.take_all_at(lacking)) {
            lacking.clear();
            const Stop why = find_lacking(lacking);
            if (why != Stop::none) explorer_.stop_at(why);
            if (why != Stop::none || lacking.empty()) return why != Stop::none ? why : explorer_.end();
        }
        return explorer_.stop();
    }

    std::uint64_t peak_bytes() const { return std::max(explorer_.peak_bytes(), memory_.peak()); }

  private:
    static constexpr std::uint32_t finished = Components<W>::done;

    Graph<W>& g;
    Monitor& monitor_;
    const std::uint64_t parallel_from_;
    Explorer<W, FewestSteps> explorer_;
    Beside memory_;
    Components<W> components_;
    std::vector<std::uint64_t> looked_at_;  // in each shard, so many configurations satisfy (2)
    std::size_t rounds_ = 0;                // those of so many rounds
    std::uint64_t permutation_ = 0;

    // The least configuration of each component that lacks one where everybody was expanded.
    Stop find_lacking(std::vector<std::uint32_t>& lacking) {
        memory_.others = explorer_.bytes() - explorer_.beside;
        if (!components_.make_room()) return Stop::memory;
        canonical();
        for (unsigned s = 0; s < g.shards.size(); ++s)
            for (; looked_at_[s] < g.shards[s].size; ++looked_at_[s])
                if (!search_from(g.number(s, looked_at_[s]), lacking)) return over() ? monitor_.over() : Stop::memory;
        explorer_.beside = memory_.bytes();
        return Stop::none;
    }

    // Most configurations satisfy (2) by a step to one that does. Against the order of the search one pass finds most of them.
    void canonical() {
        for (std::size_t r = g.rounds.size(); r-- > rounds_;) {
            const Round& round = g.rounds[r];
            each_shard(round, parallel_from_, [&](unsigned s) {
                for (std::uint64_t i = round.end[s]; i-- > round.begin[s];) {
                    const std::uint32_t id = g.number(s, i);
                    if (g.shards[s].chosen[i] == everyone || leads_on(id)) components_.set_low(id, finished);
                }
            });
        }
        rounds_ = g.rounds.size();
    }

    bool leads_on(std::uint32_t id) const {
        bool found = false;
        g.each_edge(id, [&](std::uint32_t to) { found = found || components_.low(to) == finished; });
        return found;
    }

    bool search_from(std::uint32_t id, std::vector<std::uint32_t>& lacking) {
        if (components_.low(id) != Components<W>::unseen) return true;
        const auto complete = [&](std::uint64_t first, std::uint64_t last) {
            std::uint32_t least = components_.member(first);
            for (std::uint64_t i = first; i < last; ++i) {
                const std::uint32_t member = components_.member(i);
                if (leads_on(member)) return true;
                if (g.config(member) < g.config(least)) least = member;
            }
            lacking.push_back(least);
            return true;
        };
        return components_.search(
            id, [](std::uint32_t) { return true; }, complete, [&] { return ++permutation_ % 65536 == 0 && over(); });
    }

    // The number of configurations is for the explorer to limit.
    bool over() const {
        const Stop why = monitor_.over();
        return why != Stop::none && why != Stop::states;
    }
};

// Puts a reduced graph into breadth-first order, with parents: its paths are then as short as they can be.
template <unsigned W>
bool order_by_breadth(Graph<W>& g, const Monitor& monitor) {
    const std::uint64_t n = g.size();
    if (!monitor.allows(g.bytes() + 8 * n) || !g.order.reserve(n)) return false;
    for (Shard<W>& shard : g.shards)
        if (!shard.parents.reserve(shard.size)) return false;
    std::uint64_t begin = 0, end = 1, size = 1;  // the initial configuration has number 0
    while (begin < end) {
        g.order_rounds.push_back({{begin}, {end}});
        for (; begin < end; ++begin) {
            if (begin % 4096 == 0 && monitor.must_end()) return false;
            const std::uint32_t from = g.order[begin];
            g.each_edge(from, [&](std::uint32_t to) {
                std::uint32_t& parent = g.shards[g.shard_of(to)].parents[g.local(to)];
                if (to == 0 || parent != 0) return;
                parent = from + 1;
                g.order[size++] = to;
            });
        }
        end = size;
    }
    return true;
}

}  // namespace stormproof
