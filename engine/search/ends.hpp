// Runs made explicit, and where a violation ends: in a deadlock, a livelock or a divergence.
#pragma once

#include <algorithm>
#include <deque>

#include "reduce/row_symmetry.hpp"
#include "search/calm_components.hpp"

namespace stormproof::survival {

struct Stuck {
    std::uint32_t storm_end = 0;  // where the storm ends and the calm path begins
    EndKind kind = EndKind::none;
    std::vector<PermutedStep> path = {}, cycle = {};
    std::uint32_t entry = nothing;  // where the cycle begins
    std::uint32_t violation = nothing;  // where the path ends, if only there the goal is out of reach
};

template <class Cell>
class Ends {
  public:
    Ends(const Rules& rules, const Layout& layout, Steps<Cell>& steps, const Store<Cell>& store, RowSymmetry<Cell>& symmetry)
        : rules_(rules), layout_(layout), steps_(steps), store_(store), symmetry_(symmetry) {}

    // The whole run, as the user's processes take it, after the storm that leads to where it begins.
    void show(const std::vector<PermutedStep>& storm, const Stuck& stuck, Finding& finding) {
        Automorphism back = symmetry_.identity();
        symmetry_.add_shown(storm, back, finding.run);
        finding.calm_from = static_cast<std::uint32_t>(finding.run.size());
        finding.end = stuck.kind;
        symmetry_.add_shown(stuck.path, back, finding.run);
        if (stuck.violation != nothing) finding.calm_from = static_cast<std::uint32_t>(finding.run.size());
        if (stuck.cycle.empty()) return;
        // Once round the orbits may lead to another member of the first one.
        const auto start = stuck.entry == nothing ? std::vector<Cell>() : symmetry_.image(back, store_.row(stuck.entry));
        do {
            symmetry_.add_shown(stuck.cycle, back, finding.cycle);
        } while (stuck.entry != nothing && symmetry_.image(back, store_.row(stuck.entry)) != start);
    }

    // The nearest place, on calm paths from these configurations, where nothing more can change.
    Stuck find(const std::vector<std::uint32_t>& proved) {
        walk(proved);
        Stuck stuck;
        const auto dead = std::find_if(order_.begin(), order_.end(), [&](std::uint32_t id) { return is_dead(id); });
        if (dead != order_.end()) {
            const RowView<Cell> view{layout_, store_.row(*dead)};
            stuck.kind = is_at_rest(rules_, view) ? EndKind::rest : EndKind::deadlock;
            lead_to(*dead, stuck);
            return stuck;
        }
        Components components(store_, order_);
        std::uint32_t entry = first_of(components.closed);
        stuck.kind = entry != nothing ? EndKind::livelock : EndKind::divergence;
        if (entry == nothing) {
            // Not where it may linger for a while, but in local states that it never leaves for good.
            auto last = ControlGraph(store_, order_, rules_.system.processes.size()).last();
            const std::uint32_t down = quietest(last);
            for (std::size_t id = 0; id < last.size(); ++id) last[id] = last[id] && components.cyclic[id];
            entry = first_of(last);
            if (entry == nothing) {
                grow(down, stuck);
                return stuck;
            }
        }
        lead_to(entry, stuck);
        stuck.cycle = round(entry);
        stuck.entry = entry;
        return stuck;
    }

    // The run by which an expanded configuration was found.
    std::vector<PermutedStep> storm_run(std::uint32_t id) {
        std::vector<PermutedStep> run;
        for (; store_.nodes[id].parent != nothing; id = store_.nodes[id].parent) {
            const std::uint32_t from = store_.nodes[id].parent;
            const std::uint32_t faults = store_.nodes[id].faults - store_.nodes[from].faults;
            run.push_back(step(from, id, rules_.question.k, faults, store_.nodes[id].last));
        }
        std::reverse(run.begin(), run.end());
        return run;
    }

  private:
    const Rules& rules_;
    const Layout& layout_;
    Steps<Cell>& steps_;
    const Store<Cell>& store_;
    RowSymmetry<Cell>& symmetry_;
    std::vector<std::uint32_t> order_, came_;  // visited, the nearest first; number -> predecessor, or itself
    std::vector<Cell> row_;

    bool is_dead(std::uint32_t id) const { return store_.nodes[id].degree == 0 && !store_.nodes[id].is(hits); }

    // The nearest of these where as few processes as possible go on, and nobody has anything to take: there, what stands at
    // the heads of channels is why they go on for ever.
    std::uint32_t quietest(const std::vector<std::uint8_t>& chosen) {
        constexpr std::size_t most = 10000;
        std::uint32_t best = nothing, fewest = nothing;
        for (std::size_t i = 0, seen = 0; i < order_.size() && seen < most; ++i) {
            if (!chosen[order_[i]]) continue;
            ++seen;
            const std::uint32_t busy = busy_in(order_[i]);
            if (best != nothing && busy >= fewest) continue;
            best = order_[i];
            fewest = busy;
        }
        return best;
    }

    // How many processes can act here; a reception counts for all of them.
    std::uint32_t busy_in(std::uint32_t id) {
        const auto all = static_cast<std::uint32_t>(rules_.system.processes.size());
        std::uint32_t busy = 0, last = nothing;
        store_.read(id, row_);
        steps_.each(row_.data(), layout_.bound, true, [&](const FaultyStep& step, std::uint32_t, const Cell*) {
            const Transition& t = rules_.system.processes[step.process].transitions[step.transition];
            if (t.kind == TransitionKind::receive) busy = all;
            if (step.process != last) ++busy;
            last = step.process;
        });
        return busy;
    }

    PermutedStep step(std::uint32_t from, std::uint32_t to, std::uint32_t bound, std::uint32_t wanted,
                std::uint32_t process = nothing) {
        PermutedStep found;
        bool done = false;
        store_.read(from, row_);
        const std::size_t bytes = layout_.cells * sizeof(Cell);
        steps_.each(row_.data(), bound, wanted == 0, [&](const FaultyStep& step, std::uint32_t faults, const Cell* row) {
            if (done || !row || faults != wanted || (process != nothing && step.process != process)) return;
            const auto [least, permutation] = symmetry_.canonical(row);
            if (std::memcmp(least, store_.row(to), bytes) != 0) return;
            found = {step, permutation};
            done = true;
        });
        return found;
    }

    // Breadth first from all of them at once, each as far away as its storm is long.
    void walk(const std::vector<std::uint32_t>& starts) {
        std::vector<std::uint32_t> sources = starts;
        std::stable_sort(sources.begin(), sources.end(), [&](std::uint32_t a, std::uint32_t b) {
            return store_.nodes[a].actions < store_.nodes[b].actions;
        });
        came_.assign(store_.size(), nothing);
        order_.clear();
        std::vector<std::uint32_t> now, next;
        std::uint32_t distance = store_.nodes[sources.front()].actions;
        for (std::size_t s = 0; s < sources.size() || !now.empty(); ++distance) {
            for (; s < sources.size() && store_.nodes[sources[s]].actions <= distance; ++s)
                if (came_[sources[s]] == nothing) {
                    came_[sources[s]] = sources[s];
                    now.push_back(sources[s]);
                }
            for (auto id : now) {
                order_.push_back(id);
                store_.each_successor(id, [&](std::uint32_t to) {
                    if (came_[to] != nothing) return;
                    came_[to] = id;
                    next.push_back(to);
                });
            }
            now.swap(next);
            next.clear();
        }
    }

    void lead_to(std::uint32_t end, Stuck& stuck) {
        std::uint32_t id = end;
        for (; came_[id] != id; id = came_[id]) stuck.path.push_back(step(came_[id], id, layout_.bound, 0));
        std::reverse(stuck.path.begin(), stuck.path.end());
        stuck.storm_end = id;
    }

    std::uint32_t first_of(const std::vector<std::uint8_t>& chosen) const {
        const auto found = std::find_if(order_.begin(), order_.end(), [&](std::uint32_t id) { return chosen[id]; });
        return found == order_.end() ? nothing : *found;
    }

    // Channels grow: on from here to where one outgrows the slack, the first path that repeats itself, cut where it begins to.
    void grow(std::uint32_t down, Stuck& stuck) {
        lead_to(down, stuck);
        walk({down});
        std::uint32_t first = down;
        unsigned left = symmetry_.used() ? 0 : 1000;  // members of different orbits cannot be compared
        for (auto id : order_) {
            if (!store_.nodes[id].is(hits)) continue;
            if (first == down) first = id;
            if (left-- == 0) break;
            const auto path = path_to(id);
            for (std::size_t i = 0; i < path.size(); ++i)
                for (std::size_t j = i + 1; j < path.size(); ++j)
                    if (extends(path[i], path[j])) {
                        follow(path, 0, i, stuck.path);
                        follow(path, i, j, stuck.cycle);
                        return;
                    }
        }
        const auto path = path_to(first);
        follow(path, 0, path.size() - 1, stuck.path);
    }

    void follow(const std::vector<std::uint32_t>& path, std::size_t from, std::size_t to, std::vector<PermutedStep>& out) {
        for (; from < to; ++from) out.push_back(step(path[from], path[from + 1], layout_.bound, 0));
    }

    std::vector<std::uint32_t> path_to(std::uint32_t end) const {
        std::vector<std::uint32_t> path{end};
        while (came_[path.back()] != path.back()) path.push_back(came_[path.back()]);
        std::reverse(path.begin(), path.end());
        return path;
    }

    // Are the states the same, and does every content of the first begin that of the second?
    bool extends(std::uint32_t less, std::uint32_t more) const {
        const RowView<Cell> a{layout_, store_.row(less)}, b{layout_, store_.row(more)};
        for (std::uint32_t p = 0; p < rules_.system.processes.size(); ++p)
            if (a.state(p) != b.state(p)) return false;
        for (std::uint32_t c = 0; c < rules_.system.channels.size(); ++c)
            if (a.length(c) > b.length(c) || !std::equal(a.word(c), a.word(c) + a.length(c), b.word(c))) return false;
        return true;
    }

    // A shortest calm path from a configuration back to itself.
    std::vector<PermutedStep> round(std::uint32_t entry) {
        came_.assign(store_.size(), nothing);
        std::deque<std::uint32_t> queue{entry};
        while (!queue.empty() && came_[entry] == nothing) {
            const std::uint32_t id = queue.front();
            queue.pop_front();
            store_.each_successor(id, [&](std::uint32_t to) {
                if (came_[to] != nothing) return;
                came_[to] = id;
                queue.push_back(to);
            });
        }
        std::vector<PermutedStep> path;
        if (came_[entry] == nothing) return path;
        std::uint32_t id = entry;
        do {
            path.push_back(step(came_[id], id, layout_.bound, 0));
            id = came_[id];
        } while (id != entry);
        std::reverse(path.begin(), path.end());
        return path;
    }
};
extern template class Ends<std::uint8_t>;
extern template class Ends<std::uint16_t>;

}  // namespace stormproof::survival
