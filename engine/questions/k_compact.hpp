// The k-properties in the compact store (compact_layers.hpp): the search of decide.hpp where memory has run short.
//
// Everything is explored, without reduction and symmetry, in the rounds of explore.hpp; successors are not kept but made
// again. Each configuration has one byte for what it can reach (futures.hpp):
//   bit 0        all the assumed goals that it needs are met. Only the goal itself leaves the configurations that need an
//                assumed one, so of a successor with this bit every assumed goal may be taken for granted. This decides
//                nearly everything, for up to 64 goals at a time.
//   bits 1 to 7  the goals for which that does not suffice, seven at a time: is this one reached?
// k-sibi asks whether sends that must not be possible are; it takes the same bits. Violations that come soon are found by
// searches from the configurations that may be ones (future_search.hpp); what violates a property already found to be
// violated is not asked for.
// The bits are found by sweeps against the order of the rounds and along it in turn, until every need is met or nothing
// changes. In the first sweep each configuration walks at random until what it needs is met, or until it comes to one that
// is known to reach it, which is mostly the first.
#pragma once

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "questions/goals.hpp"
#include "questions/k_properties.hpp"
#include "search/compact_rounds.hpp"
#include "search/first_found.hpp"
#include "search/future_search.hpp"
#include "steps/silent.hpp"

namespace stormproof {

template <unsigned W>
class CompactDecision {
  public:
    CompactDecision(const Machine& machine, const Question& question, Monitor& monitor)
        : m(machine), q(question), monitor_(monitor), all_(machine, question, monitor), found_(machine) {}

    Answer run() {
        monitor_.phase = Phase::exploring;
        all_.explore();
        const PropertySet needed = q.properties.without(q.optional);
        decide(needed);
        if (going() && !found_[Property::exh]) decide(q.properties.without(needed));
        answer_.stop = answer_.has_all(needed) && layers_.stop != Stop::interrupted ? Stop::none : layers_.stop;
        answer_.compact = true;
        answer_.words = W;
        answer_.states = layers_.size();
        for (const auto& worker : layers_.workers) answer_.transitions += worker->transitions;
        answer_.peak_bytes = layers_.bytes();
        return std::move(answer_);
    }

  private:
    using Worker = ConfigThread<W>;
    static constexpr std::size_t at_a_time = 7, longest_walk = 128;
    static constexpr auto relaxed = std::memory_order_relaxed;

    const Machine& m;
    const Question& q;
    Monitor& monitor_;
    CompactRounds<W> all_;
    CompactLayers<Worker>& layers_ = all_.layers;
    const std::vector<ConfigRound>& rounds_ = all_.rounds;
    FirstFound<W> found_;
    Answer answer_;
    std::array<std::uint64_t, 1u << at_a_time> goals_of_bits_{};  // what the bits from the first on stand for

    bool going() const { return layers_.stop == Stop::none; }

    void decide(const PropertySet& asked) {
        if (!going() || asked.empty()) return;
        monitor_.phase = Phase::judging;
        found_.asked = asked;
        if (found_.has_choices())
            each([](Place) { return true; }, [&](std::size_t round, Worker& worker) { found_.note_choices(round, worker.config); });
        each_part(goals_of(m, asked.without({Property::sibi})), 64, [&](std::vector<Goal> goals) { solve(std::move(goals)); });
        if (needs_search(m, asked, Property::sibi))
            each_part(goals_of(m, {Property::sibi}), at_a_time, [&](const std::vector<Goal>& goals) { find_sends(goals); });
        std::vector<Violation> violations;
        for (Property property : all_properties)
            if (going() && asked.has(property) && found_[property]) violations.push_back(violation(property));
        if (going()) answer_.decide(asked, std::move(violations));  // else the run to a violation may not be whole
    }

    // ---- futures ---------------------------------------------------------------------------------------

    template <class Solve>
    void each_part(const std::vector<Goal>& goals, std::size_t most, Solve&& solve) {
        if (!goals.empty() && !layers_.take_masks(1)) layers_.stop = Stop::memory;
        for (std::size_t at = 0; at < goals.size() && going(); at += most) {
            const auto begin = goals.begin() + static_cast<std::ptrdiff_t>(at);
            solve({begin, begin + static_cast<std::ptrdiff_t>(std::min(most, goals.size() - at))});
        }
    }

    // Up to 64 goals. Those of properties that are soon found to be violated are left out of what takes long.
    void solve(std::vector<Goal> goals) {
        layers_.keep_of_masks(0);
        const GoalSet first(m, goals, found_.asked);
        if (first.all != first.assumed) leave_out(goals, first, first.all, 64);
        const GoalSet easy(m, goals, found_.asked);
        leave_out(goals, easy, (easy.all & ~easy.assumed) | meet_assumed(easy, false), 8);
        const GoalSet set(m, goals, found_.asked);  // of which a configuration with the first bit has all, and more
        std::uint64_t open = (set.all & ~set.assumed) | meet_assumed(set, true);
        while (open && going()) {
            std::uint64_t some = 0;
            for (std::size_t n = 0; n < at_a_time && open; ++n, open &= open - 1) some |= open & -open;
            if (reach_all(set, some, false) && going()) collect(set, some);
        }
    }

    // Leaves out the goals of properties of which the first violation is found among this part of all configurations.
    void leave_out(std::vector<Goal>& goals, const GoalSet& set, std::uint64_t open, std::uint64_t part) {
        const std::uint64_t over = open & ~search_soon(set, open, layers_.size() / part);
        for (std::size_t i = goals.size(); i-- > 0;)
            if (over >> i & 1) goals.erase(goals.begin() + static_cast<std::ptrdiff_t>(i));
    }

    // The goals that the bits of a mask stand for.
    std::uint64_t known(const GoalSet& set, std::uint8_t mask) const {
        return (mask & 1 ? set.assumed : 0) | goals_of_bits_[mask >> 1];
    }
    std::uint64_t known(const GoalSet& set, Worker& worker, const Config<W>& c) {
        const std::optional<Place> place = layers_.find(worker, c.w);
        return place ? known(set, layers_.byte(*place).load(relaxed)) : 0;
    }

    // Of these goals, those that a configuration is not known to reach.
    std::uint64_t missing(const GoalSet& set, Worker& worker, const Config<W>& c, std::uint64_t wanted) {
        each_enabled(m, c, [&](std::uint32_t number, const Instruction&) { wanted &= ~set.fires[number]; });
        if (!wanted) return 0;
        each_enabled(m, c, [&](std::uint32_t number, const Instruction& s) {
            if (const std::uint64_t kept = wanted & set.keeps[number]) wanted &= ~(kept & known(set, worker, perform(m, s, c)));
        });
        if (wanted && m.silent)
            each_silent(m, c, [&](const Config<W>& next) {
                if (wanted) wanted &= ~known(set, worker, next);
            });
        return wanted;
    }

    // Walks from a configuration until these goals are known to be reached, and returns those that are left. What
    // is learnt of the others on the path is noted: note(place, configuration, reached goals). Where walks lead nowhere too
    // often, there are none.
    template <class Note>
    std::uint64_t walk(const GoalSet& set, Worker& worker, Place from, const Config<W>& c, std::uint64_t left, Note&& note) {
        if (worker.walked > 8 * worker.walks++ + 4096) return left;
        std::vector<WalkStep<W>>& path = worker.walk;
        path.assign(1, {c, from});
        std::uint64_t kept = set.all, after = 0;
        for (std::uint64_t random = hash_of_word(from.at); path.size() <= longest_walk; random = hash_of_word(random)) {
            WalkStep<W>& here = path.back();
            here.number = choose(set, here, left, random);
            left &= ~(kept & here.fires);
            if (!left || here.number == none) break;
            const Instruction& s = m.instructions[here.number];
            kept &= set.keeps[here.number];
            const Config<W> next = perform(m, s, here.config);
            const std::optional<Place> place = layers_.find(worker, next.w);
            after = place ? known(set, layers_.byte(*place).load(relaxed)) : 0;
            left &= ~(kept & after);
            if (!left || !place) break;
            after = 0;
            path.push_back({next, *place});
        }
        worker.walked += path.size();
        for (std::size_t i = path.size(); i-- > 1;) {
            after = path[i].fires | (path[i].number == none ? 0 : after & set.keeps[path[i].number]);
            note(path[i].place, path[i].config, after);
        }
        return left;
    }

    // Notes what the enabled actions reach, and chooses one at random of those that keep all that is left, or else some.
    // Taking them by rotation instead would lead to the deadlocks that come of everybody doing the same.
    std::uint32_t choose(const GoalSet& set, WalkStep<W>& here, std::uint64_t left, std::uint64_t random) {
        std::uint32_t chosen = none;
        std::pair<std::uint64_t, std::uint64_t> best;
        each_enabled(m, here.config, [&](std::uint32_t number, const Instruction&) {
            here.fires |= set.fires[number];
            const std::uint64_t dropped = left & ~set.keeps[number];
            const std::pair<std::uint64_t, std::uint64_t> rank{dropped, hash_of_word(random ^ number)};
            if (dropped == left || (chosen != none && best <= rank)) return;
            best = rank;
            chosen = number;
        });
        return chosen;
    }
    // Until every need is met or nothing changes: visit(worker, is it the first sweep) for those of which wanted(place) is
    // true, and finish(worker) after each round. Without patience it ends once sweeps no longer meet a tenth of what is
    // left. The goals that some configuration needs and is not known to reach.
    template <class Wanted, class Visit, class Finish>
    std::uint64_t sweep(bool patient, Wanted&& wanted, Visit&& visit, Finish&& finish) {
        for (auto& worker : layers_.workers) worker->walks = worker->walked = 0;
        for (std::uint64_t n = 0, before = UINT64_MAX;; ++n) {
            for (auto& worker : layers_.workers) worker->unmet = worker->unmet_count = worker->changed = 0;
            for (std::size_t i = 0; i < rounds_.size() && going(); ++i) {
                layers_.each(rounds_[n % 2 == 0 ? rounds_.size() - 1 - i : i], wanted, [&](Worker& worker) {
                    visit(worker, n == 0);
                    return Then::next;
                });
                for (auto& worker : layers_.workers) finish(*worker);
            }
            std::uint64_t unmet = 0, count = 0;
            bool changed = false;
            for (const auto& worker : layers_.workers) {
                unmet |= worker->unmet;
                count += worker->unmet_count;
                changed = changed || worker->changed;
            }
            monitor_.unjudged = count;
            const bool slow = !patient && count > before - before / 10;
            if (!unmet || (n > 0 && !changed) || slow || !going()) return unmet;
            before = count;
        }
    }
    static void note_unmet(Worker& worker, std::uint64_t unmet) {
        worker.unmet |= unmet;
        worker.unmet_count += unmet != 0;
    }

    // Sets the first bit; returns the assumed goals for which that does not suffice.
    std::uint64_t meet_assumed(const GoalSet& set, bool patient) {
        goals_of_bits_.fill(0);
        const auto wanted = [&](Place place) { return !(layers_.byte(place).load(relaxed) & 1); };
        const auto note = [&](Place place, const Config<W>& c, std::uint64_t reached) {
            if (wanted(place) && !(set.needs(m, c) & set.assumed & ~reached)) layers_.byte(place).fetch_or(1, relaxed);
        };
        const auto conclude = [&](Worker& worker, Place place, std::uint64_t unmet) {
            note_unmet(worker, unmet);
            if (unmet) return;
            layers_.byte(place).fetch_or(1, relaxed);
            worker.changed = true;
        };
        const auto finish = [&](Worker& worker) {
            layers_.fetch(worker.looks);
            for (Look<W>& look : worker.looks)
                if ((look.after = layers_.find(look.root))) layers_.fetch_byte(*look.after);
            for (const Look<W>& look : worker.looks) {
                const bool has = look.after && (layers_.byte(*look.after).load(relaxed) & 1);
                std::uint64_t unmet = has ? 0 : walk(set, worker, look.place, look.config, look.needed, note);
                if (unmet) unmet = missing(set, worker, look.config, unmet);
                conclude(worker, look.place, unmet);
            }
            worker.looks.clear();
        };
        const auto visit = [&](Worker& worker, bool first) {
            const std::uint64_t need = set.needs(m, worker.config) & set.assumed;
            if (need && first && look_at_one(set, worker, need)) {
                if (worker.looks.size() == layers_.batch) finish(worker);
                return;
            }
            conclude(worker, worker.place(), need ? missing(set, worker, worker.config, need) : 0);
        };
        return sweep(patient, wanted, visit, finish);
    }

    // Plans to look at one successor, if that may suffice and is necessary.
    bool look_at_one(const GoalSet& set, Worker& worker, std::uint64_t need) {
        WalkStep<W> here{worker.config, worker.place()};
        const std::uint32_t number = choose(set, here, need, worker.at);
        need &= ~here.fires;
        if (!need || number == none || (need & ~set.keeps[number])) return false;
        const Config<W> next = perform(m, m.instructions[number], worker.config);
        const std::optional<std::uint64_t> root = layers_.root_of(worker, next.w);
        if (root) worker.looks.push_back({*root, worker.place(), worker.config, need});
        return root.has_value();
    }

    // k-sibi: which configurations reach each of these goals, up to seven sends, and whether they may.
    void find_sends(const std::vector<Goal>& goals) {
        const GoalSet set(m, goals, {Property::sibi});
        reach_all(set, set.all, true);
        each([](Place) { return true; }, [&](std::size_t round, Worker& worker) {
            found_.note_receptions(round, worker.config, &set, [&](const Config<W>& next) { return known(set, worker, next); });
        });
    }

    // Of these goals, those that a configuration is not known to reach.
    std::uint64_t left_at(const GoalSet& set, std::uint64_t goals, Place place) {
        return goals & ~known(set, layers_.byte(place).load(relaxed));
    }

    // Sets the other bits, for at most seven goals; returns those that are needed and not reached. `everywhere`: whether
    // they are needed or not.
    std::uint64_t reach_all(const GoalSet& set, std::uint64_t goals, bool everywhere) {
        for (std::uint32_t bits = 0; bits < goals_of_bits_.size(); ++bits) goals_of_bits_[bits] = spread(bits, goals);
        layers_.keep_of_masks(1);
        const auto wanted = [&](Place place) { return left_at(set, goals, place) != 0; };
        const auto reach = [&](Place place, std::uint64_t reached) {
            const std::uint64_t more = left_at(set, goals, place) & reached;
            if (more) layers_.byte(place).fetch_or(static_cast<std::uint8_t>(gather(more, goals) << 1), relaxed);
            return more != 0;
        };
        const auto note = [&](Place place, const Config<W>&, std::uint64_t reached) { reach(place, reached); };
        const auto visit = [&](Worker& worker, bool first) {
            const std::uint64_t need = everywhere ? goals : set.needs(m, worker.config);
            std::uint64_t after = left_at(set, goals, worker.place());
            if (first) after = walk(set, worker, worker.place(), worker.config, after & ~(set.assumed & ~need), note);
            if (after) after = missing(set, worker, worker.config, after);
            note_unmet(worker, need & after);
            worker.changed = reach(worker.place(), ~after) || worker.changed;
        };
        return sweep(true, wanted, visit, [](Worker&) {});
    }

    // Bits from the lowest on to the places of the goals, and back.
    static std::uint64_t spread(std::uint32_t bits, std::uint64_t goals) {
        std::uint64_t out = 0;
        for (; bits; bits >>= 1, goals &= goals - 1)
            if (bits & 1) out |= goals & -goals;
        return out;
    }
    static std::uint32_t gather(std::uint64_t some, std::uint64_t goals) {
        std::uint32_t out = 0;
        for (std::uint32_t i = 0; goals; ++i, goals &= goals - 1)
            if (some & goals & -goals) out |= 1u << i;
        return out;
    }

    // ---- violations ------------------------------------------------------------------------------------

    std::uint64_t those_that_matter(const GoalSet& set, std::uint64_t goals, std::size_t round,
                                    const Config<W>* config = nullptr) const {
        std::uint64_t out = 0;
        for (; goals; goals &= goals - 1)
            if (found_.matters(set.goals[static_cast<std::size_t>(std::countr_zero(goals))], round, config)) out |= goals & -goals;
        return out;
    }

    // Looks for violations in the first rounds; returns the goals that are still open. `most`: configurations that are looked
    // at, on walks too.
    std::uint64_t search_soon(const GoalSet& set, std::uint64_t open, std::uint64_t most) {
        FutureSearch<W> search(m, layers_, layers_.size() / 2);
        for (auto& worker : layers_.workers) worker->walks = worker->walked = 0;
        std::uint64_t effort = 0;
        for (std::size_t r = 0; r < rounds_.size() && going(); ++r) {
            open = those_that_matter(set, open, r);
            effort += rounds_[r].size();
            if (!open || effort > most) return open;
            for (const auto& [config, wanted] : unsure(set, open, rounds_[r])) {
                const auto unmet = search.unreached(set, config, those_that_matter(set, wanted, r, &config));
                if (!unmet) return open;
                found_.note_unmet(set, *unmet, r, config);
            }
            for (auto& worker : layers_.workers) effort += std::exchange(worker->walked, 0);
        }
        return 0;
    }

    // The configurations of a round from which a walk did not meet these goals as far as they are needed, in order.
    std::vector<std::pair<Config<W>, std::uint64_t>> unsure(const GoalSet& set, std::uint64_t goals, const ConfigRound& round) {
        std::vector<std::pair<Config<W>, std::uint64_t>> out;
        std::mutex noting;
        const auto nothing = [](Place, const Config<W>&, std::uint64_t) {};
        layers_.each(round, [&](Worker& worker) {
            const std::uint64_t need = set.needs(m, worker.config) & goals;
            const std::uint64_t left = need ? walk(set, worker, worker.place(), worker.config, need, nothing) : 0;
            const std::lock_guard<std::mutex> lock(noting);
            if (left) out.emplace_back(worker.config, left);
            return Then::next;
        });
        std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        return out;
    }

    // visit(round, worker) for the configurations of which wanted(place) is true.
    template <class Wanted, class Visit>
    void each(Wanted&& wanted, Visit&& visit) {
        for (std::size_t r = 0; r < rounds_.size() && going(); ++r)
            layers_.each(rounds_[r], wanted, [&](Worker& worker) {
                visit(r, worker);
                return Then::next;
            });
    }

    // The configurations that need some of these goals and do not reach them.
    void collect(const GoalSet& set, std::uint64_t goals) {
        const auto left = [&](Place place) { return left_at(set, goals, place); };
        each(left, [&](std::size_t round, Worker& worker) {
            found_.note_unmet(set, set.needs(m, worker.config) & left(worker.place()), round, worker.config);
        });
    }

    Violation violation(Property property) {
        const Found<W>& found = *found_[property];
        Violation out;
        out.property = property;
        out.end = end_of(m, found.config, found.offence);
        out.firings = all_.run_to(found.round, found.config);
        return out;
    }
};

}  // namespace stormproof
