// Partial-order reduction where no channel reorders (definitions 3.12), depth first and sequential.
//
// At each configuration r the closed set P with the fewest enabled actions A is expanded (stubborn.hpp has (1)); where
// there is none, everybody is, and so are the silent faults.
//
// (2) From each configuration of the reduced graph a path leads to one where everybody was expanded: strongly connected
//     components that no edge leaves (Tarjan) have such a configuration; where one has none, everybody is expanded at its
//     root. This replaces the usual condition that *every cycle* has such a configuration, which costs most of what
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
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "graph.hpp"
#include "limits.hpp"
#include "stubborn.hpp"
#include "visited.hpp"

namespace stormproof {

template <unsigned W>
class Reducer {
  public:
    Reducer(Graph<W>& graph, Monitor& monitor)
        : g(graph), m(graph.m), monitor_(monitor), visited_(graph, monitor), closed_(graph.m) {
        g.reduced = true;
    }

    Stop run() {
        if (!visited_.make_room(2 * m.max_degree + 2)) return Stop::memory;
        add(initial_config<W>(m));
        if (stop_ == Stop::none && enter(0)) search();
        report();
        visited_.clear();
        low_.clear();
        if (stop_ == Stop::none && monitor_.over() == Stop::states) stop_ = Stop::states;
        if (stop_ == Stop::none) {
            g.rounds.push_back({{0}, {g.size()}});
        }
        return stop_;
    }

    std::uint64_t peak_bytes() const { return peak_; }

  private:
    struct Frame {
        std::uint32_t node;
        std::uint32_t edge;  // in the stream
        bool lowered;        // it reaches something older that is still open: not the root of a component
        bool leaves;         // an edge leaves its component, as far as it is known
        bool whole;          // somewhere in it everybody was expanded
    };
    static constexpr std::uint32_t not_expanded = no_edges - 1;
    // Of `low_`: the component is complete. Otherwise the smallest number of an open configuration that it reaches.
    static constexpr std::uint32_t done = UINT32_MAX;

    Graph<W>& g;
    const Machine& m;
    Monitor& monitor_;
    Visited<W> visited_;
    ClosedSet<W> closed_;
    std::map<std::vector<std::uint8_t>, std::uint16_t> numbers_;  // of the closed sets
    Growing<std::uint32_t> low_, open_;
    Growing<Frame> path_;
    std::uint64_t depth_ = 0, opened_ = 0;
    std::uint32_t clock_ = 0;
    std::vector<Config<W>> next_, fewest_;
    std::vector<std::uint8_t> chosen_;
    Stop stop_ = Stop::none;
    std::uint64_t peak_ = 0, turn_ = 0;
    std::uint64_t enabled_ = 0, taken_ = 0;  // actions at the configurations that are sampled

    bool fail(Stop why) {
        stop_ = why;
        return false;
    }

    void search() {
        const Shard<W>& shard = g.shards[0];
        while (depth_ > 0 && stop_ == Stop::none) {
            Frame& frame = path_[depth_ - 1];
            if (frame.edge == no_edges) {
                leave(frame);
                continue;
            }
            const std::uint32_t edge = shard.edges[frame.edge];
            const std::uint32_t to = edge & ~last_edge;
            frame.edge = edge & last_edge ? no_edges : frame.edge + 1;
            if (shard.first[to] == not_expanded) enter(to);
            else if (low_[to] == done) frame.leaves = true;
            else lower(frame, low_[to]);
        }
    }

    void lower(Frame& frame, std::uint32_t to) {
        if (to >= low_[frame.node]) return;
        low_[frame.node] = to;
        frame.lowered = true;
    }

    // All successors are complete, or open: the configuration is a root, or belongs to the component of an older one.
    void leave(Frame& frame) {
        if (!frame.lowered && !frame.leaves && !frame.whole) {
            expand_everybody(frame);
            return;
        }
        const Frame last = frame;
        --depth_;
        if (!last.lowered) complete(last.node);
        if (depth_ == 0) return;
        Frame& before = path_[depth_ - 1];
        before.leaves = before.leaves || !last.lowered || last.leaves;
        if (!last.lowered) return;
        before.whole = before.whole || last.whole;
        lower(before, low_[last.node]);
    }

    void complete(std::uint32_t root) {
        do {
            low_[open_[--opened_]] = done;
        } while (open_[opened_] != root);
    }

    void expand_everybody(Frame& frame) {
        const Config<W> c = g.config(frame.node);
        const std::uint64_t before = g.shards[0].edge_count;
        take_all(c);
        frame.whole = true;
        const std::uint64_t unused = count_edges(frame.node);
        g.unused_edges += unused;
        if (Monitor::is_sampled(frame.node)) taken_ += count_enabled(c) - unused;
        if (!visited_.make_room(m.max_degree + 1) || !write(frame.node, everyone)) return;
        frame.edge = g.shards[0].edge_count == before ? no_edges : g.shards[0].first[frame.node];
    }

    void sample(std::uint32_t node, std::uint16_t who) {
        const std::uint64_t all = count_enabled(g.config(node));
        enabled_ += all;
        taken_ += who == everyone ? all : next_.size();
    }

    std::uint64_t count_enabled(const Config<W>& c) const {
        std::uint64_t count = 0;
        each_enabled(m, c, [&](std::uint32_t, const Instruction&) { ++count; });
        return count;
    }

    std::uint64_t count_edges(std::uint32_t node) const {
        std::uint64_t count = 0;
        g.each_edge(node, [&](std::uint32_t) { ++count; });
        return count;
    }

    // The number of a configuration, a new one if need be.
    std::uint32_t add(const Config<W>& c) {
        bool fresh = false;
        Shard<W>& shard = g.shards[0];
        const std::uint32_t id = visited_.find_or_add(0, c, hash_of(c), fresh);
        if (id == no_edges || !shard.chosen.reserve(shard.size) || !low_.reserve(shard.size)) {
            fail(Stop::memory);
            return 0;
        }
        if (fresh) shard.first[id] = not_expanded;
        if (fresh && g.turns) shard.represented += g.turns->orbit(c);
        return id;
    }

    // Puts a configuration on the path and writes its edges.
    bool enter(std::uint32_t node) {
        if ((++turn_ % 1024 == 0 || monitor_.too_many(g.size())) && over()) return false;
        if (!visited_.make_room(m.max_degree + 1) || !path_.reserve(depth_ + 1) || !open_.reserve(opened_ + 1))
            return fail(Stop::memory);
        const std::uint16_t who = choose(g.config(node));
        if (Monitor::is_sampled(node)) sample(node, who);
        if (!write(node, who)) return false;
        low_[node] = clock_++;
        open_[opened_++] = node;
        path_[depth_++] = {node, g.shards[0].first[node], false, false, who == everyone};
        return true;
    }

    // Writes the edges to `next_`, the successors by a closed set or by everyone.
    bool write(std::uint32_t node, std::uint16_t who) {
        Shard<W>& shard = g.shards[0];
        if (!shard.room_for_edges(next_.size(), g.most_edges())) return fail(Stop::memory);
        shard.first[node] = next_.empty() ? no_edges : static_cast<std::uint32_t>(shard.edge_count);
        shard.chosen[node] = who;
        for (std::size_t i = 0; i < next_.size(); ++i) {
            const std::uint32_t id = add(next_[i]);
            if (stop_ != Stop::none) return false;
            shard.edges[shard.edge_count++] = id | (i + 1 == next_.size() ? last_edge : 0);
        }
        return true;
    }

    // The closed set with the fewest enabled actions, or everyone; the successors are in `next_`.
    std::uint16_t choose(const Config<W> c) {
        fewest_.clear();
        for (std::uint32_t p = 0; p < m.processes.size() && fewest_.size() != 1; ++p) {
            if (!closed_.close(p, c)) continue;
            take(c, closed_.members());
            if (next_.empty() || (!fewest_.empty() && next_.size() >= fewest_.size())) continue;
            fewest_.swap(next_);
            chosen_ = closed_.members();
        }
        if (fewest_.empty() || numbers_.size() == everyone) {
            take_all(c);
            return everyone;
        }
        next_.swap(fewest_);
        const auto [at, fresh] = numbers_.try_emplace(chosen_, static_cast<std::uint16_t>(g.sets.size()));
        if (fresh) g.sets.push_back(chosen_);
        return at->second;
    }

    void take(const Config<W>& c, const std::vector<std::uint8_t>& members) {
        next_.clear();
        for (std::uint32_t p = 0; p < m.processes.size(); ++p) {
            if (!members[p]) continue;
            const StateInfo& info = m.processes[p].states[m.processes[p].state.get(c.w)];
            for (auto i = info.first; i < info.last; ++i)
                if (enabled(m, m.instructions[i], c)) next_.push_back(g.representative(perform(m, m.instructions[i], c)));
        }
    }

    void take_all(const Config<W>& c) {
        next_.clear();
        const auto keep = [&](const Config<W>& n) { next_.push_back(g.representative(n)); };
        each_enabled(m, c, [&](std::uint32_t, const Instruction& i) { keep(perform(m, i, c)); });
        if (m.silent) each_silent(m, c, keep);
    }

    bool over() {
        report();
        stop_ = monitor_.over();
        // The memory limit must allow what may be added before the next check.
        const std::uint64_t more = 1024 * m.max_degree * (sizeof(Config<W>) + sizeof(Frame) + 20);
        if (stop_ == Stop::none && !monitor_.allows(monitor_.memory + more)) stop_ = Stop::memory;
        return stop_ != Stop::none;
    }

    void report() {
        const std::uint64_t bytes =
            g.bytes() + visited_.bytes() + 4 * g.size() + depth_ * sizeof(Frame) + opened_ * 4;
        peak_ = std::max(peak_, bytes);
        monitor_.memory = bytes;
        monitor_.states = g.size();
        monitor_.frontier = depth_;
        monitor_.represented = g.represented();
        monitor_.enabled = enabled_;
        monitor_.taken = taken_;
    }
};

// Puts a reduced graph into breadth-first order, with parents: its paths are then as short as they can be.
template <unsigned W>
bool order_by_breadth(Graph<W>& g, const Monitor& monitor) {
    const std::uint64_t n = g.size();
    if (!monitor.allows(g.bytes() + 9 * n) || !g.order.reserve(n) || !g.parents.reserve(n)) return false;
    Growing<std::uint8_t> seen;
    if (!seen.reserve(n)) return false;
    seen[0] = 1;
    g.order[0] = 0;
    g.rounds.clear();
    std::uint64_t begin = 0, end = 1, size = 1;
    while (begin < end) {
        g.rounds.push_back({{begin}, {end}});
        for (; begin < end; ++begin) {
            const std::uint32_t from = g.order[begin];
            g.each_edge(from, [&](std::uint32_t to) {
                if (seen[to]) return;
                seen[to] = 1;
                g.parents[to] = from;
                g.order[size++] = to;
            });
        }
        end = size;
    }
    return true;
}

}  // namespace stormproof
