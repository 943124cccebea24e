// Configurations as rows of cells, and their steps. A row has a cell per process, a cell per kind of fault that the
// budget limits, and per channel its length and its messages, the head first; unused cells are zero.
#pragma once

#include <cstring>

#include "survival_rules.hpp"

namespace stormproof::survival {

struct Layout {
    std::uint32_t bound = 0;                 // cells for messages per channel
    std::vector<std::uint32_t> channel;      // where each channel's cells begin
    std::uint32_t counters = 0, contents = 0;  // where the counts of faults begin, and the contents of channels
    std::vector<std::uint32_t> counter_of;   // fault kind -> its counter, or nothing
    std::uint32_t cells = 0;

    Layout(const System& system, const Question& question) : bound(question.k + question.slack) {
        cells = counters = static_cast<std::uint32_t>(system.processes.size());
        for (auto most : question.most_of_kind) counter_of.push_back(most == nothing ? nothing : cells++);
        contents = cells;
        for (std::size_t c = 0; c < system.channels.size(); ++c) {
            channel.push_back(cells);
            cells += bound + 1;
        }
        cells = (cells + 7) / 8 * 8;
    }
};

template <class Cell>
struct RowView {
    const Layout& layout;
    const Cell* row;

    std::uint32_t state(std::uint32_t p) const { return row[p]; }
    std::uint32_t length(std::uint32_t c) const { return row[layout.channel[c]]; }
    bool empty(std::uint32_t c) const { return length(c) == 0; }
    const Cell* word(std::uint32_t c) const { return row + layout.channel[c] + 1; }
    std::uint32_t head(std::uint32_t c) const { return *word(c); }
    MayMust holds(std::uint32_t c, const std::vector<std::uint32_t>& wanted) const {
        const bool same = length(c) == wanted.size() && std::equal(wanted.begin(), wanted.end(), word(c));
        return {same, same};
    }
    MayMust contains(std::uint32_t c, std::uint32_t message) const {
        const Cell* end = word(c) + length(c);
        const bool there = std::find(word(c), end, static_cast<Cell>(message)) != end;
        return {there, there};
    }
    MayMust listed(const ListedConfigurations& list) const {
        std::vector<std::uint32_t> key(row, row + layout.counters);
        for (std::uint32_t c = 0; c < list.forms.size(); ++c) add_content(key, c, list.forms[c]);
        bool there = !list.heads && list.rows.contains(key);
        for (std::uint32_t c = 0; list.heads && !there && c < list.forms.size(); ++c) {
            if (empty(c)) continue;
            std::vector<std::uint32_t> with_head = key;
            with_head.insert(with_head.end(), {c, head(c)});
            there = list.rows.contains(with_head);
        }
        return {there, there};
    }
    void add_content(std::vector<std::uint32_t>& key, std::uint32_t c, ContentForm form) const {
        key.push_back(length(c));
        if (form == ContentForm::length) {
            key.push_back(contains(c, crash_message).must);
            return;
        }
        key.insert(key.end(), word(c), word(c) + length(c));
        if (form == ContentForm::multiset) std::sort(key.end() - length(c), key.end());
    }
};

// Enumerates steps: visit(strike, faults, row) with the row after the step, or null for a send that hits the bound.
template <class Cell>
class Steps {
  public:
    Steps(const Rules& rules, const Layout& layout) : rules_(rules), layout_(layout), next_(layout.cells) {}

    // `only`: a flag per process whose steps are wanted, or null for all.
    template <class Visit>
    void each(const Cell* row, std::uint32_t bound, bool calm_only, Visit&& visit,
              const std::vector<std::uint8_t>* only = nullptr) {
        for (std::uint32_t p = 0; p < rules_.system.processes.size(); ++p) {
            if (only && !(*only)[p]) continue;
            const auto& transitions = rules_.system.processes[p].transitions;
            const std::uint32_t state = row[p];
            for (std::uint32_t t = rules_.first[p][state]; t < rules_.first[p][state + 1]; ++t) {
                Strike strike;
                strike.process = p;
                strike.transition = t;
                const Transition& tr = transitions[t];
                if (tr.kind == TransitionKind::internal) internal(row, strike, tr, calm_only, visit);
                else if (tr.kind == TransitionKind::send) send(row, strike, tr, bound, calm_only, visit);
                else receive(row, strike, tr, calm_only, visit);
            }
        }
    }

  private:
    const Rules& rules_;
    const Layout& layout_;
    std::vector<Cell> next_;

    void begin(const Cell* row, const Strike& strike, const Transition& t) {
        std::memcpy(next_.data(), row, layout_.cells * sizeof(Cell));
        next_[strike.process] = static_cast<Cell>(t.target);
    }

    // Counts a fault; false when the budget does not allow it.
    bool count(Fault fault, std::uint32_t times) {
        const auto kind = static_cast<std::size_t>(fault);
        if (layout_.counter_of[kind] == nothing) return true;
        Cell& counter = next_[layout_.counter_of[kind]];
        if (counter + times > rules_.question.most_of_kind[kind]) return false;
        counter = static_cast<Cell>(counter + times);
        return true;
    }

    template <class Visit>
    void internal(const Cell* row, Strike strike, const Transition& t, bool calm_only, Visit&& visit) {
        strike.mark = rules_.question.marks[strike.process][strike.transition];
        if (strike.mark == disabled || (calm_only && strike.mark != unmarked)) return;
        begin(row, strike, t);
        if (strike.mark == unmarked) visit(strike, 0u, next_.data());
        else if (count(static_cast<Fault>(strike.mark), 1)) visit(strike, 1u, next_.data());
    }

    void insert(std::uint32_t channel, std::uint32_t place, std::uint32_t message) {
        Cell* length = next_.data() + layout_.channel[channel];
        Cell* word = length + 1;
        std::memmove(word + place + 1, word + place, (*length - place) * sizeof(Cell));
        word[place] = static_cast<Cell>(message);
        ++*length;
    }
    void remove_head(std::uint32_t channel) {
        Cell* length = next_.data() + layout_.channel[channel];
        Cell* word = length + 1;
        --*length;
        std::memmove(word, word + 1, *length * sizeof(Cell));
        word[*length] = 0;
    }

    template <class Visit>
    void send(const Cell* row, const Strike& strike, const Transition& t, std::uint32_t bound, bool calm_only,
              Visit&& visit) {
        const Channel& channel = rules_.system.channels[t.channel];
        const std::uint32_t length = row[layout_.channel[t.channel]];
        const bool faults = !calm_only && !rules_.system.is_crash(t.message);
        if (faults)
            each_vanishing_send(channel.faults, t.message, [&](const MessageOutcome& outcome) {
                begin(row, strike, t);
                strike_with(strike, outcome, visit);
            });
        begin(row, strike, t);
        if (length > 0 && rules_.unseen(t.channel, row[channel.receiver])) {
            visit(strike, 0u, next_.data());
            return;
        }
        if (length >= bound) {
            visit(strike, 0u, static_cast<const Cell*>(nullptr));
            return;
        }
        insert(t.channel, length, t.message);
        visit(strike, 0u, next_.data());
        if (calm_only || (!faults && !rules_.system.mailboxes())) return;
        const std::uint32_t passes = faults ? length : others_at_end(row, t);
        each_faulty_send(channel.faults, t.message, passes, [&](const MessageOutcome& outcome) {
            begin(row, strike, t);
            insert(t.channel, length - outcome.overtakes, outcome.becomes == nothing ? t.message : outcome.becomes);
            strike_with(strike, outcome, visit);
        });
    }

    // How many messages of other senders stand at the end of a mailbox: a crash message may overtake those.
    std::uint32_t others_at_end(const Cell* row, const Transition& t) const {
        const Cell* word = row + layout_.channel[t.channel] + 1;
        std::uint32_t n = 0;
        while (n < word[-1] && !rules_.system.same_sender(word[word[-1] - 1 - n], t.message)) ++n;
        return n;
    }

    // In how many places of what is left the head may stay: before the crash message of its sender.
    std::uint32_t places_for_head(const Cell* word, std::uint32_t length) const {
        const System& system = rules_.system;
        for (std::uint32_t i = 1; i < length; ++i)
            if (system.is_crash(word[i]) && (!system.mailboxes() || system.same_sender(word[i], word[0]))) return i;
        return length;
    }

    template <class Visit>
    void receive(const Cell* row, const Strike& strike, const Transition& t, bool calm_only, Visit&& visit) {
        const Cell* word = row + layout_.channel[t.channel] + 1;
        const std::uint32_t length = word[-1];
        if (length == 0) return;
        if (word[0] == t.message) {
            begin(row, strike, t);
            remove_head(t.channel);
            visit(strike, 0u, next_.data());
        }
        if (calm_only || rules_.system.is_crash(word[0])) return;
        const ChannelFaults& faults = rules_.system.channels[t.channel].faults;
        each_faulty_reception(faults, word[0], places_for_head(word, length), t.message, [&](const MessageOutcome& outcome) {
            begin(row, strike, t);
            remove_head(t.channel);
            insert(t.channel, outcome.kept, outcome.kept_as == nothing ? word[0] : outcome.kept_as);
            strike_with(strike, outcome, visit);
        });
    }

    // Visits the row that was made, unless the budget does not allow its faults.
    template <class Visit>
    void strike_with(Strike strike, const MessageOutcome& outcome, Visit&& visit) {
        std::uint32_t faults = 0;
        bool allowed = true;
        each_fault(outcome, [&](Fault fault, std::uint32_t times) {
            faults += times;
            allowed = allowed && count(fault, times);
        });
        static_cast<MessageOutcome&>(strike) = outcome;
        if (allowed) visit(strike, faults, next_.data());
    }
};

}  // namespace stormproof::survival
