#include "questions/survival_stores.hpp"
#include "store/fingerprint.hpp"

namespace stormproof::survival {
namespace {

void add_goal(Fingerprint& out, const Goal& goal) {
    out.add(goal.size());
    for (const GoalNode& node : goal)
        out.add(static_cast<unsigned>(node.kind)).add(node.negated).add(node.subject).add(node.details);
}

void add_extras(Fingerprint& out, const Extras& extras) {
    out.add(extras.first).add(extras.observed.size());
    for (const auto& transitions : extras.observed)
        for (const Moves& moves : transitions) {
            out.add(moves.size());
            for (const Move& move : moves) out.add(move.process).add(move.to);
        }
    const Clocks& clocks = extras.clocks;
    out.add(clocks.time).add(clocks.of);
    for (const auto& due : clocks.due) out.add(due);
    for (const auto& transitions : clocks.pace)
        for (const Pace pace : transitions) out.add(static_cast<unsigned>(pace));
    out.add(extras.links.network).add(extras.links.cuts.size());
    for (const auto& channels : extras.links.cuts) {
        out.add(channels.size());
        for (const CutChannel& cut : channels) out.add(cut.component).add(cut.channel).add(cut.receiver).add(cut.sender);
    }
    for (const auto& says : extras.links.says) out.add(says);
}

}  // namespace

std::string fingerprint(const System& system, const Question& q) {
    Fingerprint out;
    out.add("survival").add(q.disk.version).add(q.k).add(q.slack).add(q.reduction).add(q.group.size()).add(q.most_faults);
    add_system(out, system);
    out.add(q.most_of_kind).add(q.marks).add(q.rests).add(q.ended).add(q.observed).add(q.may_hit).add(q.asks.size());
    for (const Ask& ask : q.asks) {
        out.add(ask.always);
        add_goal(out, ask.goal);
    }
    out.add(q.pending.process).add(q.pending.state);
    add_goal(out, q.pending.begin);
    add_goal(out, q.pending.end);
    add_extras(out, q.extras);
    out.add(q.lists.size());
    for (const ListedConfigurations& list : q.lists) {
        out.add(list.heads).add(list.rows.size());
        for (const auto form : list.forms) out.add(static_cast<unsigned>(form));
        for (const auto& row : list.rows) out.add(row);
    }
    return out.name();
}

}  // namespace stormproof::survival
