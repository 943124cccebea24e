// The search for violations, by the number of faults.
//
// All storms with n faults are explored, within k, in the order of their actions. Then the calm futures of what they
// reached are judged (survival_judge.hpp).
#pragma once

#include <map>
#include <memory>

#include "questions/survival_certificate.hpp"
#include "questions/survival_judge.hpp"

namespace stormproof::survival {

template <class Cell>
class Search : public Judge<Cell> {
  public:
    Search(const System& system, const Question& question, Monitor& monitor)
        : Judge<Cell>(system, question, monitor) {}

    Result run() {
        add_initial();
        while (!pending_.empty() && (always_ | never_) && result_.stop == Stop::none) {
            level_ = pending_.begin()->first;
            std::vector<std::uint32_t> waiting = std::move(pending_.begin()->second);
            pending_.erase(pending_.begin());
            explore_level(waiting);
            if (result_.stop == Stop::none && always_) this->judge_level();
            if (result_.stop == Stop::none) result_.faults_explored = level_ + 1;
        }
        this->conclude();
        if (q_.most_certified > 0 && result_.stop == Stop::none) certify();
        return std::move(result_);
    }

  protected:
    using Judge<Cell>::q_;
    using Judge<Cell>::rules_;
    using Judge<Cell>::layout_;
    using Judge<Cell>::store_;
    using Judge<Cell>::symmetry_;
    using Judge<Cell>::ends_;
    using Judge<Cell>::expander_;
    using Judge<Cell>::prefetched_;
    using Judge<Cell>::monitor_;
    using Judge<Cell>::result_;
    using Judge<Cell>::always_;
    using Judge<Cell>::never_;
    using Judge<Cell>::level_;
    using Judge<Cell>::reached_;
    using Judge<Cell>::full_;
    using Judge<Cell>::storm_end_;
    using Judge<Cell>::represented_;

    std::map<std::uint32_t, std::vector<std::uint32_t>> pending_;  // faults -> configurations
    std::uint32_t since_check_ = 0;
    std::uint64_t beside_ = 0;  // bytes that are in use beside the store

    void add_initial() {
        std::vector<Cell> row(layout_.cells, 0);
        for (std::size_t p = 0; p < rules_.system.processes.size(); ++p)
            row[p] = static_cast<Cell>(rules_.system.processes[p].initial);
        const std::uint32_t id = store_.find_or_add(row.data());
        store_.nodes[id].faults = 0;
        represented_ = symmetry_.used();  // permutations take it to itself
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
            prefetched_.start();
            for (std::size_t i = 0; i < now.size(); ++i)
                if (is_waiting(now[i]) && store_.nodes[now[i]].actions == actions) {
                    expand(now, i, next);
                    if (over() || !(always_ | never_)) return;
                }
            if (next.empty()) continue;
            auto& later = by_actions[actions + 1];
            later.insert(later.end(), next.begin(), next.end());
        }
    }

    bool is_waiting(std::uint32_t id) const {
        return !store_.nodes[id].is(expanded) && store_.nodes[id].faults == level_;
    }

    void expand(const std::vector<std::uint32_t>& now, std::size_t i, std::vector<std::uint32_t>& next) {
        const std::uint32_t id = now[i];
        store_.nodes[id].flags |= expanded;
        reached_.push_back(id);
        ++result_.configurations;
        this->value(id);
        const bool known = store_.nodes[id].is(judged);
        const auto first = static_cast<std::uint32_t>(store_.edges.size());
        bool calm = false;
        this->each_step(now, i, wanted(), [&](std::uint32_t process, std::uint32_t faults, std::uint32_t after) {
            calm = calm || faults == 0;
            if (after == nothing) {
                result_.hit_faults = std::min(result_.hit_faults, level_);
                if (full_.empty() || full_.back() != id) full_.push_back(id);
                return;
            }
            if (faults == 0 && !known) store_.edges.push_back(after);
            relax(id, after, level_ + faults, process, next);
        });
        if (!known) this->set_edges(id, first);
        if (!calm && q_.most_actions == nothing) this->found_end(id);
    }

    // Hits of the bound are sure to be seen only on the way to a goal that must stay possible (closed_processes.hpp).
    Wanted wanted() const {
        const bool hit = result_.hit_faults != nothing;
        const std::uint32_t most = q_.most_faults == nothing ? nothing : q_.most_faults - level_;
        return {q_.k, false, most, q_.reduction && (hit || always_), always_ | never_, hit};
    }

    // Fewer faults are better, then fewer actions, then fewer changes of process.
    void relax(std::uint32_t from, std::uint32_t to, std::uint32_t faults, std::uint32_t process,
               std::vector<std::uint32_t>& next) {
        const Node& before = store_.nodes[from];
        Node& node = store_.nodes[to];
        const std::uint32_t actions = before.actions + 1;
        if (actions > q_.most_actions) return;
        if (node.is(expanded) || node.faults < faults || (node.faults == faults && node.actions < actions)) return;
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

    // Where the compact store takes over: early, since it takes about as much time.
    bool runs_short() const { return fits_compact(q_) && !monitor_.allows(4 * store_.bytes()); }

    void report() override {
        monitor_.states = store_.size();
        monitor_.frontier = store_.size() - std::min<std::uint64_t>(store_.size(), result_.configurations);
        monitor_.memory = store_.bytes() + prefetched_.bytes() + beside_;
        monitor_.represented = represented_;
        monitor_.enabled = expander_.enabled + prefetched_.enabled();
        monitor_.taken = expander_.taken + prefetched_.taken();
    }

    bool over() override {
        if (result_.stop != Stop::none) return true;
        if (++since_check_ < rules_.check_every && !store_.full() && !monitor_.too_many(store_.size())) return false;
        since_check_ = 0;
        report();
        result_.stop = store_.full() || runs_short() ? Stop::memory : monitor_.over();
        return result_.stop != Stop::none;
    }
};
extern template class Search<std::uint8_t>;
extern template class Search<std::uint16_t>;

}  // namespace stormproof::survival
