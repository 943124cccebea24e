// The search for violations, by the number of faults.
//
// All storms with n faults are explored, within k, in the order of their actions. Then the calm futures of what they
// reached are judged: first within k; only where that finds no way to a goal, with the slack. A configuration's calm
// futures do not depend on faults, so that judgement is final. Where no way is found, a proof is sought that there is
// none in channels of any length: that is a violation, and no other has fewer faults.
#pragma once

#include <map>
#include <memory>

#include "survival_blocks.hpp"
#include "survival_certificate.hpp"
#include "survival_ends.hpp"
#include "survival_futures.hpp"
#include "survival_sooner.hpp"
#include "survival_stubborn.hpp"

namespace stormproof::survival {

template <class Cell>
class Search {
  public:
    virtual ~Search() = default;
    Search(const System& system, const Question& question, Monitor& monitor)
        : q_(question), rules_(system, question), layout_(system, question), steps_(rules_, layout_),
          store_(layout_), turns_(system, layout_, question.group), ends_(rules_, layout_, steps_, store_, turns_),
          closed_(rules_, layout_), monitor_(monitor) {
        if (turns_.used()) result_.symmetries = question.group.size();
        result_.findings.resize(q_.asks.size());
        failures_.resize(q_.asks.size());
        for (std::uint32_t a = 0; a < q_.asks.size(); ++a) (q_.asks[a].always ? always_ : never_) |= 1u << a;
    }

    Result run() {
        add_initial();
        while (!pending_.empty() && (always_ | never_) && result_.stop == Stop::none) {
            level_ = pending_.begin()->first;
            std::vector<std::uint32_t> waiting = std::move(pending_.begin()->second);
            pending_.erase(pending_.begin());
            explore_level(waiting);
            if (result_.stop == Stop::none && always_) judge_level();
            if (result_.stop == Stop::none) result_.faults_explored = level_ + 1;
        }
        conclude();
        if (q_.most_certified > 0 && result_.stop == Stop::none) certify();
        return std::move(result_);
    }

  protected:
    const Question& q_;
    Rules rules_;
    Layout layout_;
    Steps<Cell> steps_;
    Store<Cell> store_;
    RowTurns<Cell> turns_;
    Ends<Cell> ends_;
    ClosedProcesses<Cell> closed_;
    Monitor& monitor_;
    Result result_;
    std::uint32_t always_ = 0, never_ = 0;  // the asks that no violation was found for, a bit each
    std::uint32_t level_ = 0;               // the number of faults
    std::map<std::uint32_t, std::vector<std::uint32_t>> pending_;  // faults -> configurations
    std::vector<std::uint32_t> reached_;    // settled at this level
    std::vector<std::uint32_t> full_;       // those of them with a send that hits the bound
    std::vector<std::uint32_t> failures_;   // ask -> levels on which no proof was found: each time, less is tried
    std::uint32_t storm_end_ = nothing;     // of the last violation
    std::vector<Cell> row_;
    std::uint32_t since_check_ = 0;
    std::uint64_t represented_ = 0, enabled_ = 0, taken_ = 0;  // see Monitor
    std::uint64_t beside_ = 0;  // bytes that are in use beside the store

    // Of a search that keeps most configurations elsewhere (survival_disk.hpp): the goals that a configuration is known
    // to reach on calm runs within k, and the run to one that is to be shown.
    virtual std::uint32_t known_elsewhere(const Cell*) { return 0; }
    virtual void add_run_to(std::uint32_t) {}

    void add_initial() {
        std::vector<Cell> row(layout_.cells, 0);
        for (std::size_t p = 0; p < rules_.system.processes.size(); ++p)
            row[p] = static_cast<Cell>(rules_.system.processes[p].initial);
        const std::uint32_t id = store_.find_or_add(row.data());
        store_.nodes[id].faults = 0;
        represented_ = turns_.used();  // permutations take it to itself
        pending_[0].push_back(id);
    }

    // ---- storms ----------------------------------------------------------------------------------------

    void explore_level(const std::vector<std::uint32_t>& waiting) {
        reached_.clear();
        full_.clear();
        std::map<std::uint32_t, std::vector<std::uint32_t>> by_actions;
        for (auto id : waiting)
            if (is_waiting(id)) by_actions[store_.nodes[id].actions].push_back(id);
        while (!by_actions.empty()) {
            const std::uint32_t actions = by_actions.begin()->first;
            std::vector<std::uint32_t> now = std::move(by_actions.begin()->second);
            by_actions.erase(by_actions.begin());
            std::vector<std::uint32_t> next;
            for (auto id : now)
                if (is_waiting(id) && store_.nodes[id].actions == actions) {
                    settle(id, next);
                    if (over() || !(always_ | never_)) return;
                }
            if (next.empty()) continue;
            auto& later = by_actions[actions + 1];
            later.insert(later.end(), next.begin(), next.end());
        }
    }

    bool is_waiting(std::uint32_t id) const {
        return !store_.nodes[id].is(settled) && store_.nodes[id].faults == level_;
    }

    void settle(std::uint32_t id, std::vector<std::uint32_t>& next) {
        store_.nodes[id].flags |= settled;
        reached_.push_back(id);
        ++result_.configurations;
        value(id);
        store_.read(id, row_);
        const bool known = store_.nodes[id].is(judged);
        const auto first = static_cast<std::uint32_t>(store_.edges.size());
        bool calm = false;
        const bool hit = result_.hit_faults != nothing;
        // Hits of the bound are sure to be seen only on the way to a goal that must stay possible (survival_stubborn.hpp).
        const bool reduces = q_.reduction && (hit || always_);
        const auto* only = reduces ? closed_.choose(row_.data(), always_ | never_, hit) : nullptr;
        const auto visit = [&](const Strike& strike, std::uint32_t faults, const Cell* row) {
            calm = calm || faults == 0;
            if (!row) {
                result_.hit_faults = std::min(result_.hit_faults, level_);
                if (full_.empty() || full_.back() != id) full_.push_back(id);
                return;
            }
            if (level_ + faults > q_.most_faults) return;
            const std::uint32_t after = add(row);
            if (faults == 0 && !known) store_.edges.push_back(after);
            relax(id, after, level_ + faults, strike.process, next);
        };
        steps_.each(row_.data(), q_.k, false, visit, only);
        if (reduces && Monitor::is_sampled(id)) sample(only);
        if (!known) set_edges(id, first);
        if (!calm) found_end(id);
    }

    // The number of the row that represents the orbit.
    std::uint32_t add(const Cell* row) {
        const std::uint32_t before = store_.size();
        const std::uint32_t id = store_.find_or_add(turns_.settle(row).first);
        if (id == before && turns_.used()) represented_ += turns_.orbit(store_.row(id));
        return id;
    }

    // Counts the steps from `row_`, and those that reduction takes.
    void sample(const std::vector<std::uint8_t>* only) {
        const auto count = [&](const std::vector<std::uint8_t>* who) {
            std::uint64_t steps = 0;
            steps_.each(row_.data(), q_.k, false, [&](const Strike&, std::uint32_t, const Cell*) { ++steps; }, who);
            return steps;
        };
        enabled_ += count(nullptr);
        taken_ += count(only);
    }

    void set_edges(std::uint32_t id, std::uint32_t first) {
        store_.nodes[id].first = first;
        store_.nodes[id].degree = static_cast<std::uint16_t>(store_.edges.size() - first);
    }

    // Fewer faults are better, then fewer actions, then fewer changes of process.
    void relax(std::uint32_t from, std::uint32_t to, std::uint32_t faults, std::uint32_t process,
               std::vector<std::uint32_t>& next) {
        const Node& before = store_.nodes[from];
        Node& node = store_.nodes[to];
        const std::uint32_t actions = before.actions + 1;
        if (node.is(settled) || node.faults < faults || (node.faults == faults && node.actions < actions)) return;
        const bool same = node.faults == faults && node.actions == actions;
        const std::uint32_t changes = before.changes + (before.last != process);
        if (same && node.changes <= changes) return;
        node.faults = faults;
        node.actions = actions;
        node.parent = from;
        node.last = static_cast<std::uint16_t>(process);
        node.changes = static_cast<std::uint16_t>(std::min<std::uint32_t>(changes, UINT16_MAX));
        if (same) return;
        if (faults == level_) next.push_back(to);
        else pending_[faults].push_back(to);
    }

    // Which goals hold here: those that must never hold are violated, the others are reached.
    void value(std::uint32_t id) {
        const RowView<Cell> view{layout_, store_.row(id)};
        Node& node = store_.nodes[id];
        for (std::uint32_t a = 0; a < q_.asks.size(); ++a) {
            const bool never = (never_ >> a & 1) && node.is(settled);
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
        SoonerEnds<Cell> sooner(rules_, layout_, steps_, turns_);
        auto found = sooner.find(store_, full_, q_.asks[a].goal, store_.nodes[end.storm_end].actions);
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
        add_run_to(stuck.storm_end);
        ends_.show(stuck, finding);
        storm_end_ = stuck.violation != nothing ? stuck.violation : stuck.storm_end;
        always_ &= ~(1u << ask);
        never_ &= ~(1u << ask);
    }

    // ---- calm futures ----------------------------------------------------------------------------------

    void judge_level() {
        std::vector<std::uint32_t> fresh;
        for (auto id : reached_)
            if (!store_.nodes[id].is(judged)) fresh.push_back(id);
        propagate(store_, fresh);
        std::vector<std::uint32_t> wide;
        for (auto id : fresh)
            if (!complete(id)) enlist(id, wide);
        for (std::size_t i = 0; i < wide.size(); ++i) {
            widen(wide[i], wide);
            if (over()) return;
        }
        for (auto id : wide) store_.nodes[id].place = nothing;
        propagate(store_, wide);
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

    // Makes the calm successors with the slack the configuration's edges, and enlists those to be judged.
    void widen(std::uint32_t id, std::vector<std::uint32_t>& wide) {
        store_.read(id, row_);
        const auto first = static_cast<std::uint32_t>(store_.edges.size());
        steps_.each(row_.data(), layout_.bound, true, [&](const Strike&, std::uint32_t, const Cell* row) {
            if (row) store_.edges.push_back(add(row));
            else store_.nodes[id].flags |= hits;
        });
        set_edges(id, first);
        Node& node = store_.nodes[id];
        node.flags |= widened;
        if (node.is(hits)) node.mask |= unclear;
        for (std::uint32_t i = 0; i < node.degree; ++i) {
            const std::uint32_t after = store_.edges[node.first + i];
            if (!store_.nodes[after].is(valued)) {
                value(after);
                store_.nodes[after].mask |= known_elsewhere(store_.row(after));
            }
            if (!store_.nodes[after].is(judged) && !complete(after)) enlist(after, wide);
        }
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
        violated(a, ends_.find(proved), size);
    }

    // Contents within the slack are represented as they are.
    BlockSize exact() const { return {layout_.bound, layout_.bound}; }

    void note_undecided(std::uint32_t a, std::uint32_t id) {
        Finding& finding = result_.findings[a];
        if (finding.outcome == Outcome::undecided) return;
        finding.outcome = Outcome::undecided;
        finding.faults = finding.undecided_faults = level_;
        add_run_to(id);
        ends_.show({id, EndKind::none}, finding);
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

    void certify() {
        const Finding& finding = result_.findings.front();
        const Ask& ask = q_.asks.front();
        if (finding.outcome == Outcome::holds && result_.configurations > q_.most_certified)
            result_.certified.too_large = true;
        else if (finding.outcome == Outcome::holds)
            result_.certified = ClosedSet<Cell>(rules_, layout_, store_, ask, q_.most_certified).write();
        else if (finding.outcome == Outcome::violated && ask.always)
            result_.certified = BlockProver<Cell>(rules_, layout_, store_, ask.goal, finding.proof, monitor_)
                                    .certify(storm_end_, q_.most_certified);
    }

    // Where the compact store can take over, the rest of the memory is left to it.
    bool runs_short() const { return fits_compact(q_) && !monitor_.allows(4 * store_.bytes()); }

    void report() {
        monitor_.states = store_.size();
        monitor_.frontier = store_.size() - std::min<std::uint64_t>(store_.size(), result_.configurations);
        monitor_.memory = store_.bytes() + beside_;
        monitor_.represented = represented_;
        monitor_.enabled = enabled_;
        monitor_.taken = taken_;
    }

    bool over() {
        if (result_.stop != Stop::none) return true;
        if (++since_check_ < 2048 && !store_.full() && !monitor_.too_many(store_.size())) return false;
        since_check_ = 0;
        report();
        result_.stop = store_.full() || runs_short() ? Stop::memory : monitor_.over();
        return result_.stop != Stop::none;
    }
};

}  // namespace stormproof::survival
