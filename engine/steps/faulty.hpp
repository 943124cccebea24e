// Configurations as rows of cells, and their steps. A row has a cell per process, a cell per kind of fault that the
// budget limits, and per channel its length and its messages, the head first; unused cells are zero.
#pragma once

#include <cstring>

#include "core/function_ref.hpp"
#include "steps/rules.hpp"

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

// Enumerates steps.
template <class Cell>
class Steps {
  public:
    // visit(step, faults, row) with the row after the step, or null for a send that hits the bound.
    using Visit = FunctionRef<void(const FaultyStep&, std::uint32_t, const Cell*)>;

    Steps(const Rules& rules, const Layout& layout) : rules_(rules), layout_(layout), next_(layout.cells) {}

    // `only`: a flag per process whose steps are wanted, or null for all.
    void each(const Cell* row, std::uint32_t bound, bool calm_only, Visit visit, const std::vector<std::uint8_t>* only = nullptr);

  private:
    const Rules& rules_;
    const Layout& layout_;
    std::vector<Cell> next_;

    void begin(const Cell* row, const FaultyStep& step, const Transition& t);
    bool count(Fault fault, std::uint32_t times);
    void insert(std::uint32_t channel, std::uint32_t place, std::uint32_t message);
    void remove_head(std::uint32_t channel);
    std::uint32_t others_at_end(const Cell* row, const Transition& t) const;
    std::uint32_t places_for_head(const Cell* word, std::uint32_t length) const;
    void cut(const Cell* row, const FaultyStep& step, Visit visit);
    void internal(const Cell* row, FaultyStep step, const Transition& t, bool calm_only, Visit visit);
    void send(const Cell* row, const FaultyStep& step, const Transition& t, std::uint32_t bound, bool calm_only, Visit visit);
    void receive(const Cell* row, const FaultyStep& step, const Transition& t, bool calm_only, Visit visit);
    void apply(FaultyStep step, const MessageOutcome& outcome, Visit visit);
    void show(const FaultyStep& step, std::uint32_t faults, Visit visit);
};

}  // namespace stormproof::survival
