// Partial-order reduction on perfect channels (definitions 3.12), depth first and sequential.
//
// At each configuration r take the first process p whose local state has only sends to one peer, only receptions
// from one peer, or only internal actions, with some action enabled and no successor by it on the search stack;
// where there is none, take everybody. Let A be p's enabled actions at r.
//
// (1) As long as p does not act, its enabled actions stay exactly A: only p puts into its channel to the peer, so
//     a channel that has room keeps it, and all sends go there; only p takes from its channel from the peer, so
//     the head stays. And each a in A commutes with each action of another process: a may make room for it or
//     give it a message, but takes nothing away. So in a run r -w->, if p acts in w, its first action a is in A
//     and can be moved to the front; if it does not, then r -a-> r' -w-> for every a in A.
// (2) Stack proviso: each cycle of the reduced graph has a configuration where everybody was taken, so no run can be
//     postponed for ever: after finitely many steps by (1) that do not shorten w, one shortens it.
//
// Goals. From a configuration of the reduced graph the same goals are reachable as in the full one: move the run
// w that ends in the goal along by (1); either its first p-action comes to the front (w is shorter, or was
// just the goal) or w is kept whole, with the goal at its end; by (2) this ends. For k-exh the run must do
// without the sender P, whose channel is full at each configuration of the run before the goal: P, if it may
// be taken alone in its sending state, has no enabled action there, so it is never the p of (1). For k-pg the
// run must do without crashes, stops and restarts of P, and ends with an action of P. So if p is P, it acts in w,
// and the action that comes to the front is one of w; and if p is not P, no action of P is added.
//
// Offenders. Let s offend in the full graph, r -w-> s with r in the reduced one. If p acts in w, or everybody is
// taken at r, w gets shorter. Otherwise r -a-> r' -w-> t with s -a-> t, and t offends as well: whatever s never
// reaches, t never does; the head that is never received stays (k-er, k-wer); the process P that never proceeds
// (k-pg) or never sends (k-exh) is still where it was if P is not p. And P is not p: P does not act in w, so if
// it could be taken alone at r with an enabled reception (k-pg: a receiving state that may be taken alone has no
// internal action) or send (k-exh), it still has it at s by (1), and then s does not offend. Excuses for crashed processes (`up-to-crash`) are the same at t, since a state
// that an action leaves by crashing is never taken alone. By (2) the reduced graph reaches an offender.
//
// So the reduced graph decides k-exh in all its variants, k-er, k-wer and k-pg. k-obi and k-sibi speak of
// actions enabled side by side and need the full graph, unless the system is directed and has both.
#pragma once

#include <algorithm>
#include <vector>

#include "graph.hpp"
#include "limits.hpp"
#include "visited.hpp"

namespace stormproof {

template <unsigned W>
class Reducer {
  public:
    Reducer(Graph<W>& graph, Monitor& monitor) : g(graph), m(graph.m), monitor_(monitor), visited_(graph, monitor) {
        g.reduced = true;
    }

    Stop run() {
        if (!visited_.make_room(2 * m.max_degree + 2)) return Stop::memory;
        add(initial_config<W>(m));
        if (stop_ == Stop::none && expand(0)) search();
        report();
        visited_.clear();
        on_path_.clear();
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
    };
    static constexpr std::uint32_t not_expanded = no_edges - 1;

    Graph<W>& g;
    const Machine& m;
    Monitor& monitor_;
    Visited<W> visited_;
    Growing<std::uint8_t> on_path_;
    Growing<Frame> path_;
    std::uint64_t depth_ = 0;
    std::vector<Config<W>> next_;
    Stop stop_ = Stop::none;
    std::uint64_t peak_ = 0, turn_ = 0;

    bool fail(Stop why) {
        stop_ = why;
        return false;
    }

    void search() {
        Shard<W>& shard = g.shards[0];
        while (depth_ > 0 && stop_ == Stop::none) {
            Frame& frame = path_[depth_ - 1];
            const bool more = frame.edge != no_edges;
            if (!more) {
                on_path_[frame.node] = 0;
                --depth_;
                continue;
            }
            const std::uint32_t edge = shard.edges[frame.edge];
            const std::uint32_t to = edge & ~last_edge;
            frame.edge = edge & last_edge ? no_edges : frame.edge + 1;
            if (shard.first[to] == not_expanded) expand(to);
        }
    }

    // The number of a configuration, a new one if need be.
    std::uint32_t add(const Config<W>& c) {
        bool fresh = false;
        Shard<W>& shard = g.shards[0];
        const std::uint32_t id = visited_.find_or_add(0, c, hash_of(c), fresh);
        if (id == no_edges || !shard.chosen.reserve(shard.size) || !on_path_.reserve(shard.size)) {
            fail(Stop::memory);
            return 0;
        }
        if (fresh) {
            shard.first[id] = not_expanded;
            on_path_[id] = 0;
        }
        return id;
    }

    // Puts a configuration on the path and writes its edges.
    bool expand(std::uint32_t node) {
        if (++turn_ % 1024 == 0 && over()) return false;
        if (!visited_.make_room(m.max_degree + 1) || !path_.reserve(depth_ + 1)) return fail(Stop::memory);
        on_path_[node] = 1;
        Shard<W>& shard = g.shards[0];
        const std::uint16_t who = choose(node);
        if (!shard.room_for_edges(next_.size(), g.most_edges())) return fail(Stop::memory);
        const std::uint32_t begin = next_.empty() ? no_edges : static_cast<std::uint32_t>(shard.edge_count);
        for (std::size_t i = 0; i < next_.size(); ++i) {
            const std::uint32_t id = add(next_[i]);
            if (stop_ != Stop::none) return false;
            shard.edges[shard.edge_count++] = id | (i + 1 == next_.size() ? last_edge : 0);
        }
        shard.first[node] = begin;
        shard.chosen[node] = who;
        path_[depth_++] = {node, begin};
        return true;
    }

    // The process to take alone, or everyone; its successors are in `next_`.
    std::uint16_t choose(std::uint32_t node) {
        const Config<W> c = g.config(node);
        for (std::uint16_t p = 0; p < m.processes.size(); ++p) {
            const StateInfo& info = m.processes[p].states[m.processes[p].state.get(c.w)];
            if (info.alone && successors(info, c) && leaves_path()) return p;
        }
        next_.clear();
        each_enabled(m, c, [&](std::uint32_t, const Instruction& instruction) { next_.push_back(perform(m, instruction, c)); });
        return everyone;
    }

    bool successors(const StateInfo& info, const Config<W>& c) {
        next_.clear();
        for (auto i = info.first; i < info.last; ++i)
            if (enabled(m, m.instructions[i], c)) next_.push_back(perform(m, m.instructions[i], c));
        return !next_.empty();
    }

    bool leaves_path() {
        for (const Config<W>& c : next_) {
            const std::uint32_t id = visited_.find(c, hash_of(c));
            if (id != no_edges && on_path_[id]) return false;
        }
        return true;
    }

    bool over() {
        report();
        stop_ = monitor_.over();
        // The memory limit must allow what may be added before the next check.
        const std::uint64_t more = 1024 * m.max_degree * (sizeof(Config<W>) + sizeof(Frame) + 16);
        if (stop_ == Stop::none && !monitor_.allows(monitor_.memory + more)) stop_ = Stop::memory;
        return stop_ != Stop::none;
    }

    void report() {
        const std::uint64_t bytes = g.bytes() + visited_.bytes() + g.size() + depth_ * sizeof(Frame);
        peak_ = std::max(peak_, bytes);
        monitor_.memory = bytes;
        monitor_.states = g.size();
        monitor_.frontier = depth_;
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
