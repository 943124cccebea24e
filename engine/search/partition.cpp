#include "search/partition.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "core/widths.hpp"
#include "questions/offence.hpp"
#include "store/visited.hpp"

namespace stormproof {
namespace {

constexpr std::uint32_t no_instruction = UINT32_MAX;
constexpr std::size_t batch = 1 << 16;  // configurations expanded, or futures handed on, in one call

// A successor on its way to the part that it belongs to.
template <unsigned W>
struct Arrival {
    Config<W> config;
    std::uint32_t source = 0, instruction = no_instruction;
};

struct Predecessor {
    std::uint32_t source = 0, instruction = no_instruction, part = 0;
};

struct Step {
    std::uint32_t target = 0;
    Predecessor from;
};

// Goals that a configuration can reach, on their way to a predecessor by that instruction.
struct Future {
    std::uint64_t goals = 0;
    std::uint32_t source = 0, instruction = no_instruction;
};

template <class T>
void put(std::string& out, const T& value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

template <class T, class Visit>
void each(std::string_view data, Visit&& visit) {
    if (data.size() % sizeof(T) != 0) throw std::invalid_argument("a message between parts was cut off");
    for (std::size_t at = 0; at < data.size(); at += sizeof(T)) {
        T value;
        std::memcpy(&value, data.data() + at, sizeof(T));
        visit(value);
    }
}

template <unsigned W>
class PartitionOf final : public Partition {
  public:
    PartitionOf(Machine machine, const PropertySet& properties, std::uint32_t part, std::uint32_t parts)
        : m(std::move(machine)), properties_(properties), part_(part), parts_(parts), slots_(1024, 0) {}

    bool silent() const override { return m.silent; }

    void seed() override {
        const Config<W> c = initial_config<W>(m);
        if (owner(hash_of(c)) == part_) add({c, 0, no_instruction}, part_);
    }

    Outgoing expand(std::uint64_t round, bool only_silent) override {
        const auto [begin, end] = rounds_.at(round);
        if (expanding_ != std::pair(round, only_silent)) {
            expanding_ = {round, only_silent};
            cursor_ = begin;
            stop_ = end;
        }
        Outgoing out(parts_);
        for (std::size_t n = 0; n < batch && cursor_ < end; ++n, ++cursor_) expand_one(cursor_, only_silent, out);
        return out;
    }
    bool expanded() const override { return cursor_ >= stop_; }

    void absorb(std::uint32_t from, std::string_view data, bool only_silent) override {
        each<Arrival<W>>(data, [&](const Arrival<W>& arrival) { take_in(arrival, from, only_silent); });
    }

    std::uint64_t fresh() const override { return configs_.size() - closed_; }
    void close_round() override {
        rounds_.emplace_back(closed_, configs_.size());
        closed_ = configs_.size();
    }

    // ---- futures ---------------------------------------------------------------------------------------

    std::uint64_t goal_groups() override {
        goals_ = goals_of(m, properties_);
        return (goals_.size() + 63) / 64;
    }

    void start_goals(std::uint64_t group) override {
        if (first_step_.empty()) sort_steps();
        const auto begin = goals_.begin() + static_cast<std::ptrdiff_t>(group * 64);
        const auto size = std::min<std::size_t>(64, goals_.size() - group * 64);
        set_.emplace(m, std::vector<Goal>(begin, begin + static_cast<std::ptrdiff_t>(size)), properties_);
        futures_.assign(configs_.size(), 0);
        handed_.assign(configs_.size(), 0);
        waiting_.clear();
        for (std::uint32_t i = 0; i < configs_.size(); ++i) {
            std::uint64_t goals = set_->assumed & ~set_->needs(m, configs_[i]);
            each_enabled(m, configs_[i], [&](std::uint32_t number, const Instruction&) { goals |= set_->fires[number]; });
            learn(i, goals);
        }
    }

    Outgoing spread() override {
        Outgoing out(parts_);
        std::vector<std::uint32_t> now;
        if (waiting_.size() <= batch) {
            now.swap(waiting_);
        } else {
            now.assign(waiting_.end() - static_cast<std::ptrdiff_t>(batch), waiting_.end());
            waiting_.resize(waiting_.size() - batch);
        }
        for (const std::uint32_t i : now) {
            const std::uint64_t goals = futures_[i] & ~handed_[i];
            handed_[i] |= goals;
            for (std::uint64_t at = first_step_[i]; goals && at < first_step_[i + 1]; ++at) hand_on(goals, from_[at], out);
        }
        return out;
    }

    void take(std::string_view data) override {
        each<Future>(data, [&](const Future& future) { learn_from_step(future); });
    }
    bool spreading() const override { return !waiting_.empty(); }

    void judge() override {
        for (std::size_t r = 0; r < rounds_.size(); ++r)
            for (std::uint64_t i = rounds_[r].first; i < rounds_[r].second; ++i)
                each_offence(m, *set_, set_->needs(m, configs_[i]) & ~futures_[i], configs_[i],
                             [&](Property property, const Offence& offence) {
                                 note(property, offence, static_cast<std::uint32_t>(i), r);
                             });
    }

    // ---- answers ---------------------------------------------------------------------------------------

    std::vector<Found> found() const override {
        std::vector<Found> out;
        for (Property property : all_properties) {
            const auto& offence = first_[property];
            if (!offence) continue;
            const Config<W>& c = configs_[offence->id];
            out.push_back({property, offence->round, offence->id, key(c), end_of(m, c, *offence)});
        }
        return out;
    }

    std::optional<Origin> origin(std::uint64_t number) const override {
        if (number == 0 && configs_[0] == initial_config<W>(m)) return std::nullopt;
        const Predecessor& from = origins_.at(number);
        Origin out{from.part, from.source, std::nullopt};
        if (from.instruction != no_instruction) {
            const Instruction& instruction = m.instructions[from.instruction];
            out.firing = Firing{instruction.process, instruction.transition};
        }
        return out;
    }

    std::uint64_t arrival_bytes() const override { return sizeof(Arrival<W>); }
    std::uint64_t future_bytes() const override { return sizeof(Future); }
    std::uint64_t size() const override { return configs_.size(); }
    std::uint64_t steps() const override { return step_count_; }
    std::uint64_t bytes() const override {
        return configs_.capacity() * sizeof(Config<W>) + slots_.capacity() * 4 + origins_.capacity() * sizeof(Predecessor) +
               log_.capacity() * sizeof(Step) + from_.capacity() * sizeof(Predecessor) + first_step_.capacity() * 8 +
               (futures_.capacity() + handed_.capacity()) * 8 + waiting_.capacity() * 4;
    }

  private:
    const Machine m;
    const PropertySet properties_;
    const std::uint32_t part_, parts_;
    std::vector<Config<W>> configs_;
    std::vector<Predecessor> origins_;
    std::vector<std::uint32_t> slots_;  // open addressing: a number and 1 more, 0 where there is none
    std::vector<std::pair<std::uint64_t, std::uint64_t>> rounds_;
    std::uint64_t closed_ = 0, cursor_ = 0, stop_ = 0, step_count_ = 0;
    std::pair<std::uint64_t, bool> expanding_{UINT64_MAX, false};
    std::vector<Step> log_;  // the steps into this part, in the order in which they came
    std::vector<std::uint64_t> first_step_;
    std::vector<Predecessor> from_;  // the same, sorted by their targets
    std::vector<Goal> goals_;
    std::optional<GoalSet> set_;
    std::vector<std::uint64_t> futures_, handed_;  // goals known to be reachable; those that predecessors know of
    std::vector<std::uint32_t> waiting_;
    PerProperty<std::optional<Offence>> first_;

    // The upper bits choose the slot, so the part is chosen by the lower ones.
    std::uint32_t owner(std::uint64_t hash) const { return static_cast<std::uint32_t>((hash & UINT32_MAX) % parts_); }

    void expand_one(std::uint64_t i, bool only_silent, Outgoing& out) {
        const Config<W> c = configs_[i];
        const auto number = static_cast<std::uint32_t>(i);
        const auto reach = [&](const Config<W>& next, std::uint32_t instruction) {
            step_count_ += !only_silent;
            const Arrival<W> arrival{next, number, instruction};
            const std::uint32_t to = owner(hash_of(next));
            if (to == part_) {
                take_in(arrival, part_, only_silent);
            } else {
                put(out[to], arrival);
            }
        };
        if (!only_silent)
            each_enabled(m, c, [&](std::uint32_t at, const Instruction& s) { reach(perform(m, s, c), at); });
        if (m.silent) each_silent(m, c, [&](const Config<W>& next) { reach(next, no_instruction); });
        if (!only_silent) look_at_choices(number);
    }

    // k-obi, and of k-sibi what needs no goals.
    void look_at_choices(std::uint32_t i) {
        const Config<W> c = configs_[i];
        if (needs_search(m, properties_, Property::obi))
            each_obi_offence(m, c, [&](const Offence& offence) { note(Property::obi, offence, i, expanding_.first); });
        if (needs_search(m, properties_, Property::sibi))
            each_enabled(m, c, [&](std::uint32_t, const Instruction& taken) {
                look_at_receptions(i, taken, [](std::uint32_t, std::uint32_t) { return false; });
            });
    }

    template <class Later>
    void look_at_receptions(std::uint32_t i, const Instruction& taken, Later&& later) {
        if (!chooses_sender(m, taken, configs_[i])) return;
        each_sibi_offence(m, configs_[i], taken, later,
                          [&](const Offence& offence) { note(Property::sibi, offence, i, round_of(i)); });
    }

    void take_in(const Arrival<W>& arrival, std::uint32_t from, bool only_silent) {
        const std::uint32_t number = add(arrival, from);
        if (!only_silent) log_.push_back({number, {arrival.source, arrival.instruction, from}});
    }

    std::uint32_t add(const Arrival<W>& arrival, std::uint32_t from) {
        if (2 * (configs_.size() + 1) > slots_.size()) grow();
        const std::uint64_t mask = slots_.size() - 1;
        std::uint64_t slot = hash_of(arrival.config) >> 32 & mask;
        for (; slots_[slot]; slot = (slot + 1) & mask)
            if (configs_[slots_[slot] - 1] == arrival.config) return slots_[slot] - 1;
        if (configs_.size() >= UINT32_MAX - 1) throw std::length_error("a part has more than 2^32 configurations");
        configs_.push_back(arrival.config);
        origins_.push_back({arrival.source, arrival.instruction, from});
        return (slots_[slot] = static_cast<std::uint32_t>(configs_.size())) - 1;
    }

    void grow() {
        std::vector<std::uint32_t>(2 * slots_.size(), 0).swap(slots_);
        const std::uint64_t mask = slots_.size() - 1;
        for (std::uint32_t i = 0; i < configs_.size(); ++i) {
            std::uint64_t slot = hash_of(configs_[i]) >> 32 & mask;
            while (slots_[slot]) slot = (slot + 1) & mask;
            slots_[slot] = i + 1;
        }
    }

    // By counting; the log is given back.
    void sort_steps() {
        first_step_.assign(configs_.size() + 1, 0);
        for (const Step& step : log_) ++first_step_[step.target + 1];
        for (std::size_t i = 0; i < configs_.size(); ++i) first_step_[i + 1] += first_step_[i];
        std::vector<std::uint64_t> next(first_step_.begin(), first_step_.end());
        from_.resize(log_.size());
        for (const Step& step : log_) from_[next[step.target]++] = step.from;
        std::vector<Step>().swap(log_);
    }

    void learn(std::uint32_t i, std::uint64_t goals) {
        if (!(goals & ~futures_[i])) return;
        if (futures_[i] == handed_[i]) waiting_.push_back(i);
        futures_[i] |= goals;
    }

    // What is reached after a step is reached before it; of k-sibi it may show that a reception must not be taken.
    void learn_from_step(const Future& future) {
        learn(future.source, future.goals);
        if (future.instruction == no_instruction || !needs_search(m, properties_, Property::sibi)) return;
        look_at_receptions(future.source, m.instructions[future.instruction], [&](std::uint32_t channel, std::uint32_t letter) {
            return future.goals & set_->sent_bit[channel][letter];
        });
    }

    void hand_on(std::uint64_t goals, const Predecessor& from, Outgoing& out) {
        if (from.instruction != no_instruction) goals &= set_->keeps[from.instruction];
        if (!goals) return;
        const Future future{goals, from.source, from.instruction};
        if (from.part == part_) {
            learn_from_step(future);
        } else {
            put(out[from.part], future);
        }
    }

    std::size_t round_of(std::uint64_t i) const {
        const auto after = std::partition_point(rounds_.begin(), rounds_.end(), [&](const auto& round) { return round.second <= i; });
        return static_cast<std::size_t>(after - rounds_.begin());
    }

    void note(Property property, Offence offence, std::uint32_t i, std::size_t round) {
        if (!properties_.has(property)) return;
        offence.id = i;
        offence.round = round;
        std::optional<Offence>& best = first_[property];
        if (!best || offence.round < best->round ||
            (offence.round == best->round && configs_[offence.id] < configs_[best->id]))
            best = offence;
    }

    // Keys are in the order of configurations.
    static std::string key(const Config<W>& c) {
        std::string out;
        for (unsigned i = 0; i < W; ++i)
            for (unsigned shift = 64; shift > 0; shift -= 8) out.push_back(static_cast<char>(c.w[i] >> (shift - 8)));
        return out;
    }
};

}  // namespace

std::unique_ptr<Partition> make_partition(const System& system, std::uint32_t k, const PropertySet& properties,
                                          std::uint32_t part, std::uint32_t parts) {
    Machine m = compile(system, k);
    const auto made = [&]<unsigned W>() -> std::unique_ptr<Partition> {
        return std::make_unique<PartitionOf<W>>(std::move(m), properties, part, parts);
    };
    return in_least_width(FewWidths{}, m.words, made);
}

}  // namespace stormproof
