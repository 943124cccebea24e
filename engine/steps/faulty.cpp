#include "steps/faulty.hpp"

#include "steps/clocks.hpp"

namespace stormproof::survival {

template <class Cell>
void Steps<Cell>::each(const Cell* row, std::uint32_t bound, bool calm_only, Visit visit, const std::vector<std::uint8_t>* only) {
    const RowView<Cell> view{layout_, row};
    Moment<RowView<Cell>> moment(rules_, view);
    for (std::uint32_t p = 0; p < rules_.system.processes.size(); ++p) {
        if (only && !(*only)[p]) continue;
        const auto& transitions = rules_.system.processes[p].transitions;
        const std::uint32_t state = row[p];
        for (std::uint32_t t = rules_.first[p][state]; t < rules_.first[p][state + 1]; ++t) {
            FaultyStep step;
            step.process = p;
            step.transition = t;
            const Transition& tr = transitions[t];
            if (tr.kind == TransitionKind::internal) {
                if (moment.allows(p, t)) internal(row, step, tr, calm_only, visit);
            } else if (tr.kind == TransitionKind::send) send(row, step, tr, bound, calm_only, visit);
            else receive(row, step, tr, calm_only, visit);
        }
    }
}

template <class Cell>
void Steps<Cell>::begin(const Cell* row, const FaultyStep& step, const Transition& t) {
    std::memcpy(next_.data(), row, layout_.cells * sizeof(Cell));
    next_[step.process] = static_cast<Cell>(t.target);
    move_components(rules_.question.extras, step.process, step.transition, next_.data());
}

// Counts a fault; false when the budget does not allow it.
template <class Cell>
bool Steps<Cell>::count(Fault fault, std::uint32_t times) {
    const auto kind = static_cast<std::size_t>(fault);
    if (layout_.counter_of[kind] == nothing) return true;
    Cell& counter = next_[layout_.counter_of[kind]];
    if (counter + times > rules_.question.most_of_kind[kind]) return false;
    counter = static_cast<Cell>(counter + times);
    return true;
}

template <class Cell>
void Steps<Cell>::internal(const Cell* row, FaultyStep step, const Transition& t, bool calm_only, Visit visit) {
    step.mark = rules_.question.marks[step.process][step.transition];
    if (step.mark == disabled || (calm_only && step.mark != unmarked)) return;
    if (step.process == rules_.question.extras.links.network) return cut(row, step, visit);
    begin(row, step, t);
    if (step.mark == unmarked) show(step, 0u, visit);
    else if (count(static_cast<Fault>(step.mark), 1)) show(step, 1u, visit);
}

// Of the channels those fall that are not down and whose receiver has not ended; where there are none, it is no step.
template <class Cell>
void Steps<Cell>::cut(const Cell* row, const FaultyStep& step, Visit visit) {
    std::memcpy(next_.data(), row, layout_.cells * sizeof(Cell));
    bool falls = false;
    for (const CutChannel& c : rules_.question.extras.links.cuts[step.transition]) {
        if (row[c.component] != 0 || rules_.question.ended[c.receiver][row[c.receiver]]) continue;
        falls = true;
        next_[c.component] = 1;
        Cell* word = next_.data() + layout_.channel[c.channel] + 1;
        Cell* end = word + word[-1];
        Cell* left = std::remove_if(word, end, [&](Cell message) {
            return c.sender == UINT32_MAX || rules_.system.sender_of[message] == c.sender;
        });
        std::fill(left, end, Cell{0});
        word[-1] = static_cast<Cell>(left - word);
    }
    if (falls && count(Fault::cut, 1)) show(step, 1u, visit);
}

template <class Cell>
void Steps<Cell>::insert(std::uint32_t channel, std::uint32_t place, std::uint32_t message) {
    Cell* length = next_.data() + layout_.channel[channel];
    Cell* word = length + 1;
    std::memmove(word + place + 1, word + place, (*length - place) * sizeof(Cell));
    word[place] = static_cast<Cell>(message);
    ++*length;
}
template <class Cell>
void Steps<Cell>::remove_head(std::uint32_t channel) {
    Cell* length = next_.data() + layout_.channel[channel];
    Cell* word = length + 1;
    --*length;
    std::memmove(word, word + 1, *length * sizeof(Cell));
    word[*length] = 0;
}

template <class Cell>
void Steps<Cell>::send(const Cell* row, const FaultyStep& step, const Transition& t, std::uint32_t bound, bool calm_only,
                       Visit visit) {
    if (rules_.question.extras.links.goes_nowhere(step.process, step.transition, row)) {
        begin(row, step, t);
        show(step, 0u, visit);
        return;
    }
    const Channel& channel = rules_.system.channels[t.channel];
    const std::uint32_t length = row[layout_.channel[t.channel]];
    const bool faults = !calm_only && !rules_.system.is_crash(t.message);
    if (faults)
        each_vanishing_send(channel.faults, t.message, [&](const MessageOutcome& outcome) {
            begin(row, step, t);
            apply(step, outcome, visit);
        });
    begin(row, step, t);
    if (length > 0 && rules_.unseen(t.channel, row[channel.receiver])) {
        show(step, 0u, visit);
        return;
    }
    if (length >= bound) {
        visit(step, 0u, static_cast<const Cell*>(nullptr));
        return;
    }
    insert(t.channel, length, t.message);
    show(step, 0u, visit);
    if (calm_only || (!faults && !rules_.system.mailboxes())) return;
    const std::uint32_t passes = faults ? length : others_at_end(row, t);
    each_faulty_send(channel.faults, t.message, passes, [&](const MessageOutcome& outcome) {
        begin(row, step, t);
        insert(t.channel, length - outcome.overtakes, outcome.becomes == nothing ? t.message : outcome.becomes);
        apply(step, outcome, visit);
    });
}

// How many messages of other senders stand at the end of a mailbox: a crash message may overtake those.
template <class Cell>
std::uint32_t Steps<Cell>::others_at_end(const Cell* row, const Transition& t) const {
    const Cell* word = row + layout_.channel[t.channel] + 1;
    std::uint32_t n = 0;
    while (n < word[-1] && !rules_.system.same_sender(word[word[-1] - 1 - n], t.message)) ++n;
    return n;
}

// In how many places of what is left the head may stay: before the crash message of its sender.
template <class Cell>
std::uint32_t Steps<Cell>::places_for_head(const Cell* word, std::uint32_t length) const {
    const System& system = rules_.system;
    for (std::uint32_t i = 1; i < length; ++i)
        if (system.is_crash(word[i]) && (!system.mailboxes() || system.same_sender(word[i], word[0]))) return i;
    return length;
}

template <class Cell>
void Steps<Cell>::receive(const Cell* row, const FaultyStep& step, const Transition& t, bool calm_only, Visit visit) {
    const Cell* word = row + layout_.channel[t.channel] + 1;
    const std::uint32_t length = word[-1];
    if (length == 0) return;
    if (word[0] == t.message) {
        begin(row, step, t);
        remove_head(t.channel);
        show(step, 0u, visit);
    }
    if (calm_only || rules_.system.is_crash(word[0])) return;
    const ChannelFaults& faults = rules_.system.channels[t.channel].faults;
    each_faulty_reception(faults, word[0], places_for_head(word, length), t.message, [&](const MessageOutcome& outcome) {
        begin(row, step, t);
        remove_head(t.channel);
        insert(t.channel, outcome.kept, outcome.kept_as == nothing ? word[0] : outcome.kept_as);
        apply(step, outcome, visit);
    });
}

// Visits the row that was made, unless the budget does not allow its faults.
template <class Cell>
void Steps<Cell>::apply(FaultyStep step, const MessageOutcome& outcome, Visit visit) {
    std::uint32_t faults = 0;
    bool allowed = true;
    each_fault(outcome, [&](Fault fault, std::uint32_t times) {
        faults += times;
        allowed = allowed && count(fault, times);
    });
    static_cast<MessageOutcome&>(step) = outcome;
    if (allowed) show(step, faults, visit);
}

// Visits the row that was made, which says whether an answer is pending.
template <class Cell>
void Steps<Cell>::show(const FaultyStep& step, std::uint32_t faults, Visit visit) {
    const Pending& pending = rules_.question.pending;
    if (pending.process != nothing) {
        const Sets sets = sets_pending(rules_, RowView<Cell>{layout_, next_.data()});
        if (sets != Sets::nothing) next_[pending.process] = static_cast<Cell>(pending.state_if(sets == Sets::pending));
    }
    visit(step, faults, next_.data());
}

template class Steps<std::uint8_t>;
template class Steps<std::uint16_t>;

}  // namespace stormproof::survival
