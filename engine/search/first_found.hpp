// The first violation of each property that a search by sweeps has found, in the order of rounds and of configurations.
#pragma once

#include <mutex>
#include <optional>

#include "questions/goals.hpp"
#include "questions/offence.hpp"
#include "steps/silent.hpp"

namespace stormproof {

template <unsigned W>
struct Found {
    std::size_t round = 0;
    Config<W> config{};
    Offence offence;

    // Does this round, or this configuration of it, come before?
    bool is_after(std::size_t other, const Config<W>* c) const {
        return other < round || (other == round && (!c || *c < config));
    }
};

// Several threads may note what they find.
template <unsigned W>
class FirstFound {
  public:
    explicit FirstFound(const Machine& machine) : m(machine) {}

    PropertySet asked;  // now; nothing is noted of others

    const std::optional<Found<W>>& operator[](Property property) const { return first_[property]; }

    // Would a violation of the goal in this round, at the earliest by this configuration, be the first of a property?
    bool matters(const Goal& goal, std::size_t round, const Config<W>* c) const {
        for (Property property : all_properties) {
            if (!asked.has(property) || !properties_of(goal).has(property)) continue;
            if (!first_[property] || first_[property]->is_after(round, c)) return true;
        }
        return false;
    }

    void note_unmet(const GoalSet& set, std::uint64_t unmet, std::size_t round, const Config<W>& c) {
        each_offence(m, set, unmet, c, [&](Property property, const Offence& offence) { note(property, round, c, offence); });
    }

    // k-obi, and of k-sibi what needs no goals.
    bool has_choices() const { return needs_search(m, asked, Property::obi) || needs_search(m, asked, Property::sibi); }
    void note_choices(std::size_t round, const Config<W>& c) {
        if (asked.has(Property::obi))
            each_obi_offence(m, c, [&](const Offence& offence) { note(Property::obi, round, c, offence); });
        if (asked.has(Property::sibi)) note_receptions(round, c, nullptr, [](const Config<W>&) { return 0; });
    }

    // k-sibi: after(successor) is which of these goals, sends, it reaches.
    template <class After>
    void note_receptions(std::size_t round, const Config<W>& c, const GoalSet* sends, After&& after) {
        each_enabled(m, c, [&](std::uint32_t, const Instruction& taken) {
            if (!chooses_sender(m, taken, c)) return;
            const std::uint64_t reached = sends ? after(perform(m, taken, c)) : 0;
            const auto later = [&](std::uint32_t channel, std::uint32_t letter) {
                return reached && (reached & sends->sent_bit[channel][letter]);
            };
            each_sibi_offence(m, c, taken, later, [&](const Offence& offence) { note(Property::sibi, round, c, offence); });
        });
    }

  private:
    const Machine& m;
    PerProperty<std::optional<Found<W>>> first_;
    std::mutex noting_;

    void note(Property property, std::size_t round, const Config<W>& c, const Offence& offence) {
        if (!asked.has(property)) return;
        const std::lock_guard<std::mutex> lock(noting_);
        std::optional<Found<W>>& best = first_[property];
        if (!best || best->is_after(round, &c)) best = Found<W>{round, c, offence};
    }
};

}  // namespace stormproof
