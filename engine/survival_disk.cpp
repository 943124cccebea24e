#include "survival_disk.hpp"

namespace stormproof::survival {
namespace {

void add_system(Fingerprint& out, const System& system) {
    out.add(system.messages).add(system.crashes).add(system.sender_of);
    for (const Process& process : system.processes) {
        out.add(process.states).add(process.initial).add(process.crashed).add(process.transitions.size());
        for (const Transition& t : process.transitions)
            out.add(t.source).add(static_cast<unsigned>(t.kind)).add(t.channel).add(t.message).add(t.target).add(t.fault);
    }
    for (const Channel& channel : system.channels) {
        const ChannelFaults& faults = channel.faults;
        out.add(channel.sender).add(channel.receiver).add(channel.pool).add(faults.becomes).add(faults.may_overtake());
        for (std::uint32_t m = 0; m < system.messages; ++m) out.add(faults.may_vanish(m)).add(faults.may_stay(m));
    }
}

template <class Cell, unsigned W>
Result searched(const System& system, const Question& q, Monitor& monitor, const std::string& name, const RowFields& fields) {
    DiskSearch<Cell, W> search(system, q, monitor, name, fields);
    try {
        return search.run();
    } catch (const DiskError& problem) {
        return search.known(problem.what());
    }
}

template <class Cell>
Result in_cells(const System& system, const Question& q, Monitor& monitor, const std::string& name) {
    const RowFields fields(system, q, Layout(system, q));
    const auto run = [&]<unsigned W>() { return searched<Cell, W>(system, q, monitor, name, fields); };
    if (fields.words() <= 1) return run.template operator()<1>();
    if (fields.words() <= 2) return run.template operator()<2>();
    if (fields.words() <= 3) return run.template operator()<3>();
    if (fields.words() <= 4) return run.template operator()<4>();
    if (fields.words() <= 8) return run.template operator()<8>();
    if (fields.words() <= 16) return run.template operator()<16>();
    if (fields.words() <= 64) return run.template operator()<64>();
    throw DiskError("configurations of more than 4096 bits are not explored on disk");
}

}  // namespace

std::string fingerprint(const System& system, const Question& q) {
    Fingerprint out;
    out.add("survival").add(q.disk.version).add(q.k).add(q.slack).add(q.reduction).add(q.group.size()).add(q.most_faults);
    add_system(out, system);
    out.add(q.most_of_kind).add(q.marks).add(q.rests).add(q.ended).add(q.observed).add(q.may_hit).add(q.asks.size());
    for (const Ask& ask : q.asks) {
        out.add(ask.always).add(ask.goal.size());
        for (const GoalNode& node : ask.goal)
            out.add(static_cast<unsigned>(node.kind)).add(node.negated).add(node.subject).add(node.details);
    }
    out.add(q.lists.size());
    for (const ListedConfigurations& list : q.lists) {
        out.add(list.heads).add(list.rows.size());
        for (const auto form : list.forms) out.add(static_cast<unsigned>(form));
        for (const auto& row : list.rows) out.add(row);
    }
    return out.name();
}

Result search_on_disk(const System& system, const Question& q, Monitor& monitor, const std::string& name, bool wide) {
    return wide ? in_cells<std::uint16_t>(system, q, monitor, name) : in_cells<std::uint8_t>(system, q, monitor, name);
}

}  // namespace stormproof::survival
