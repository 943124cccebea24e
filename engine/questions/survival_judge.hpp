// What is asked, judged: which goals hold in a configuration, and which stay possible in its calm futures.
//
// Configurations that storms with n faults reach are judged together: first within k; only where that finds no path to a
// goal, with the slack. A configuration's calm futures do not depend on faults, so that judgement is final. Where no
// path is found, a proof is sought that there is none in channels of any length: that is a violation, and no other has
// fewer faults. How storms are explored is the business of the searches, survival_search.hpp and survival_compact.hpp.
#pragma once

#include "questions/survival_blocks.hpp"
#include "search/prefetched_steps.hpp"
#include "search/calm_futures.hpp"
#include "search/ends.hpp"
#include "search/nearer_ends.hpp"

namespace stormproof::survival {

template <class Cell>
class Judge {
  protected:
    Judge(const System& system, const Question& question, Monitor& monitor)
        : q_(question), rules_(system, question), layout_(system, question), steps_(rules_, layout_),
          store_(layout_), symmetry_(system, layout_, question.group), ends_(rules_, layout_, steps_, store_, symmetry_),
          expander_(rules_, layout_), prefetched_(rules_, layout_, store_), monitor_(monitor) {
        if (symmetry_.used()) result_.symmetries = question.group.size();
        result_.findings.resize(q_.asks.size());
        failures_.resize(q_.asks.size());
        for (std::uint32_t a = 0; a < q_.asks.size(); ++a) (q_.asks[a].always ? always_ : never_) |= 1u << a;
    }
    Judge(const Judge&) = delete;
    Judge& operator=(const Judge&) = delete;
    virtual ~Judge() = default;

    const Question& q_;
    Rules rules_;
    Layout layout_;
    Steps<Cell> steps_;
    Store<Cell> store_;
    RowSymmetry<Cell> symmetry_;
    Ends<Cell> ends_;
    Expander<Cell> expander_;
    PrefetchedSteps<Cell> prefetched_;
    Monitor& monitor_;
    Result result_;
    std::uint32_t always_ = 0, never_ = 0;  // the asks that no violation was found for, a bit each
    std::uint32_t level_ = 0;               // the number of faults
    std::vector<std::uint32_t> reached_;    // expanded at this level
    std::vector<std::uint32_t> full_;       // those of them with a send that hits the bound
    std::uint32_t storm_end_ = nothing;     // of the last violation
    std::vector<Cell> row_;
    std::uint64_t represented_ = 0;         // see Monitor

    // Of a search that keeps most configurations elsewhere: the goals that a configuration is known to reach on calm runs
    // within k, and the run to one that is to be shown.
    virtual std::uint32_t known_elsewhere(const Cell*) { return 0; }
    // The same for the successors of several at a time, where asking takes long: added to their masks.
    virtual void learn_elsewhere(const std::vector<std::uint32_t>&) {}
    virtual void add_run_to(std::uint32_t) {}
    // The run by which an expanded configuration was found.
    virtual std::vector<PermutedStep> storm_run(std::uint32_t id) {
        add_run_to(id);
        return ends_.storm_run(id);
    }
    // Tells the monitor how far it is.
    virtual void report() {}
    // Is a limit hit? Then the result says which.
    virtual bool over() = 0;

    // Which goals hold here: those that must never hold are violated, the others are reached.
    void value(std::uint32_t id) {
        const RowView<Cell> view{layout_, store_.row(id)};
        Node& node = store_.nodes[id];
        for (std::uint32_t a = 0; a < q_.asks.size(); ++a) {
            const bool never = (never_ >> a & 1) && node.is(expanded);
            if (!never && (node.is(valued) || !(always_ >> a & 1))) continue;
            if (!may_hold(rules_, q_.asks[a].goal, view)) continue;
            if (never) violated(a, {id, EndKind::none}, {});
            else node.mask |= 1u << a;
        }
        node.flags |= valued;
    }

    // No calm step is possible: goals that do not hold here are out of reach.
    void found_end(std::uint32_t id) {
        const RowView<Cell> view{layout_, store_.row(id)};
        const EndKind kind = is_at_rest(rules_, view) ? EndKind::rest : EndKind::deadlock;
        for (std::uint32_t a = 0; a < q_.asks.size(); ++a)
            if ((always_ & ~store_.nodes[id].mask) >> a & 1) violated(a, nearest(a, {id, kind}), exact());
    }

    // An end, or a nearer one that calm runs with the slack lead to.
    Stuck nearest(std::uint32_t a, const Stuck& end) {
        NearerEnds<Cell> nearer(rules_, layout_, steps_, symmetry_);
        auto found = nearer.find(store_, full_, q_.asks[a].goal, store_.nodes[end.storm_end].actions);
        if (!found) return end;
        found->stuck.violation = store_.find_or_add(found->row.data());
        return found->stuck;
    }

    void violated(std::uint32_t ask, const Stuck& stuck, BlockSize proof) {
        Finding& finding = result_.findings[ask];
        const std::uint32_t undecided = finding.undecided_faults;
        finding = {};
        finding.outcome = Outcome::violated;
        finding.undecided_faults = undecided;
        finding.faults = level_;
        finding.proof = proof;
        ends_.show(storm_run(stuck.storm_end), stuck, finding);
        storm_end_ = stuck.violation != nothing ? stuck.violation : stuck.storm_end;
        always_ &= ~(1u << ask);
        never_ &= ~(1u << ask);
    }

    // The number of the row that represents the orbit.
    std::uint32_t add(const Cell* row) {
        const Cell* least = symmetry_.canonical(row).first;
        return add_least(least, store_.hash_of(least));
    }
    // The same for the row itself, and its hash.
    std::uint32_t add_least(const Cell* row, std::uint64_t hash) {
        const std::uint32_t before = store_.size();
        const std::uint32_t id = store_.find_or_add(row, hash);
        if (id == before && symmetry_.used()) represented_ += symmetry_.orbit(store_.row(id));
        return id;
    }

    // visit(process, faults, number) for each step from the i-th configuration of a list, with the number of what it leads
    // to, or `nothing` for a send that hits the bound.
    template <class Visit>
    void each_step(const std::vector<std::uint32_t>& list, std::size_t i, const Wanted& wanted, Visit&& visit) {
        const auto take = [&](std::uint32_t process, std::uint32_t faults, const Cell* least, std::uint64_t number) {
            visit(process, faults, least ? add_least(least, number) : static_cast<std::uint32_t>(number));
        };
        if (prefetched_.each(list, i, wanted, take)) return;
        store_.read(list[i], row_);
        expander_.each(list[i], row_.data(), wanted, [&](std::uint32_t process, std::uint32_t faults, const Cell* row) {
            visit(process, faults, row ? add(row) : nothing);
        });
    }

    void set_edges(std::uint32_t id, std::uint32_t first) {
        store_.nodes[id].first = first;
        store_.nodes[id].degree = static_cast<std::uint16_t>(store_.edges.size() - first);
    }

    // ---- calm futures ----------------------------------------------------------------------------------

    void judge_level() {
        std::vector<std::uint32_t> fresh;
        for (auto id : reached_)
            if (!store_.nodes[id].is(judged)) fresh.push_back(id);
        propagate(store_, fresh, always_);
        std::vector<std::uint32_t> wide;
        for (auto id : fresh)
            if (!complete(id)) enlist(id, wide);
        // Certificates list all edges.
        if (q_.most_certified == 0) search_in_depth(wide);
        prefetched_.start();
        for (std::size_t i = 0; i < wide.size();) {
            const std::vector<std::uint32_t> now(wide.begin() + static_cast<std::ptrdiff_t>(i), wide.end());
            for (; i < wide.size(); ++i) {
                widen(wide, i);
                if (over()) return;
            }
            learn_elsewhere(now);
            for (auto id : now) enlist_successors(id, wide);
        }
        for (auto id : wide) store_.nodes[id].place = nothing;
        propagate(store_, wide, always_);
        for (auto id : fresh) store_.nodes[id].flags |= judged;
        for (auto id : wide) store_.nodes[id].flags |= judged;
        seek_proofs();
    }

    bool complete(std::uint32_t id) const { return (store_.nodes[id].mask & always_) == always_; }

    void enlist(std::uint32_t id, std::vector<std::uint32_t>& list) {
        Node& node = store_.nodes[id];
        if (node.place != nothing) return;
        node.place = 0;
        list.push_back(id);
    }

    // Makes the calm successors with the slack the edges of the i-th configuration.
    void widen(const std::vector<std::uint32_t>& wide, std::size_t i) {
        const std::uint32_t id = wide[i];
        const auto first = static_cast<std::uint32_t>(store_.edges.size());
        each_step(wide, i, {layout_.bound, true}, [&](std::uint32_t, std::uint32_t, std::uint32_t after) {
            if (after != nothing) store_.edges.push_back(after);
            else store_.nodes[id].flags |= hits;
        });
        set_edges(id, first);
        Node& node = store_.nodes[id];
        node.flags |= widened;
        if (node.is(hits)) node.mask |= unclear;
    }

    void enlist_successors(std::uint32_t id, std::vector<std::uint32_t>& wide) {
        store_.each_successor(id, [&](std::uint32_t after) {
            look_at(after);
            if (!store_.nodes[after].is(judged) && !complete(after)) enlist(after, wide);
        });
    }

    void look_at(std::uint32_t id) {
        if (store_.nodes[id].is(valued)) return;
        value(id);
        store_.nodes[id].mask |= known_elsewhere(store_.row(id));
    }

    // Takes those from the list for which a path to all goals is found in depth. Mostly there is one with the slack, short
    // if what was sent is received first; so not everything that could happen instead has to be explored.
    void search_in_depth(std::vector<std::uint32_t>& wide) {
        unsigned missed = 0;
        for (std::size_t i = wide.size(); i-- > 0 && missed < 32;) {
            if (!complete(wide[i]) && !find_path(wide[i])) ++missed;
            if (over()) return;
        }
        std::erase_if(wide, [&](std::uint32_t id) {
            if (!complete(id)) return false;
            store_.nodes[id].place = nothing;
            return true;
        });
    }

    struct Stage {
        std::uint32_t id;
        std::size_t untried;  // where its successors begin
    };

    bool find_path(std::uint32_t start) {
        std::vector<Stage> path;
        std::vector<std::uint32_t> untried;
        const auto enter = [&](std::uint32_t id) {
            store_.nodes[id].flags |= tried;
            path.push_back({id, untried.size()});
            add_successors(id, untried);
        };
        enter(start);
        for (unsigned left = 1000; !path.empty() && left > 0 && !monitor_.must_end();) {
            if (untried.size() == path.back().untried) {
                path.pop_back();
                continue;
            }
            const std::uint32_t id = untried.back();
            untried.pop_back();
            if (complete(id)) {
                for (const Stage& stage : path) store_.nodes[stage.id].mask |= always_;
                return true;
            }
            if (store_.nodes[id].is(tried | judged)) continue;
            enter(id);
            --left;
        }
        return false;
    }

    // Adds the calm successors with the slack: those that have received something last, so that they are tried first.
    void add_successors(std::uint32_t id, std::vector<std::uint32_t>& list) {
        store_.read(id, row_);
        const std::size_t first = list.size();
        std::vector<std::uint32_t> received;
        steps_.each(row_.data(), layout_.bound, true, [&](const FaultyStep& step, std::uint32_t, const Cell* row) {
            if (!row) return;
            const Transition& t = rules_.system.processes[step.process].transitions[step.transition];
            (t.kind == TransitionKind::receive ? received : list).push_back(add(row));
        });
        list.insert(list.end(), received.begin(), received.end());
        for (std::size_t i = first; i < list.size(); ++i) look_at(list[i]);
    }

    // ---- proofs ----------------------------------------------------------------------------------------

    void seek_proofs() {
        for (std::uint32_t a = 0; a < q_.asks.size() && result_.stop == Stop::none; ++a) {
            if (!(always_ >> a & 1)) continue;
            std::vector<std::uint32_t> hopeless;
            for (auto id : reached_)
                if (!(store_.nodes[id].mask >> a & 1)) hopeless.push_back(id);
            if (!hopeless.empty()) prove(a, hopeless);
        }
    }

    void prove(std::uint32_t a, const std::vector<std::uint32_t>& hopeless) {
        std::vector<std::uint32_t> proved;
        for (auto id : hopeless)
            if (!(store_.nodes[id].mask & unclear)) proved.push_back(id);
        BlockSize size = exact();
        if (proved.empty()) {
            const std::uint32_t most = q_.most_abstract >> std::min(failures_[a], 5u);
            proved = prove_by_blocks(rules_, layout_, store_, q_.asks[a].goal, hopeless, most, monitor_, size);
        }
        if (proved.empty()) {
            ++failures_[a];
            note_undecided(a, hopeless.front());
            if (result_.stop == Stop::none) result_.stop = monitor_.over();
            return;
        }
        if (q_.most_actions != nothing) keep_nearest(a, hopeless, proved, size);
        violated(a, ends_.find(proved), size);
    }

    // Those that storms with the fewest actions reach, which may have to be proved by themselves. All are in the order of
    // their actions.
    void keep_nearest(std::uint32_t a, std::vector<std::uint32_t> hopeless, std::vector<std::uint32_t>& proved,
                      BlockSize& size) {
        const auto later = [&](std::uint32_t most) {
            return [this, most](std::uint32_t id) { return store_.nodes[id].actions > most; };
        };
        const std::uint32_t fewest = store_.nodes[proved.front()].actions;
        if (fewest > 0) std::erase_if(hopeless, later(fewest - 1));
        if (fewest > 0 && !hopeless.empty()) {
            BlockSize other;
            auto nearer =
                prove_by_blocks(rules_, layout_, store_, q_.asks[a].goal, hopeless, q_.most_abstract, monitor_, other);
            if (!nearer.empty()) {
                proved = std::move(nearer);
                size = other;
            }
        }
        std::erase_if(proved, later(store_.nodes[proved.front()].actions));
    }

    // Contents within the slack are represented as they are.
    BlockSize exact() const { return {layout_.bound, layout_.bound}; }

    void note_undecided(std::uint32_t a, std::uint32_t id) {
        Finding& finding = result_.findings[a];
        if (finding.outcome == Outcome::undecided) return;
        finding.outcome = Outcome::undecided;
        finding.faults = finding.undecided_faults = level_;
        ends_.show(storm_run(id), {id, EndKind::none}, finding);
    }

    void conclude() {
        for (Finding& finding : result_.findings)
            if (finding.outcome == Outcome::unknown && result_.stop == Stop::none) finding.outcome = Outcome::holds;
        for (Finding& finding : result_.findings) {
            finding.hit_faults = result_.hit_faults;
            finding.reduced = q_.reduction;
        }
        report();
        result_.stored = store_.size();
        result_.memory = store_.bytes();
    }

  private:
    std::vector<std::uint32_t> failures_;   // ask -> levels on which no proof was found: each time, less is tried
};
extern template class Judge<std::uint8_t>;
extern template class Judge<std::uint16_t>;

}  // namespace stormproof::survival
