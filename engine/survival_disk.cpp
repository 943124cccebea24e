#include "survival_disk.hpp"

#include "disk_fingerprint.hpp"

namespace stormproof::survival {
namespace {

// Cells of one width serve all systems: what counts is the disk, and each width would be compiled for every length below.
using Cell = std::uint16_t;

template <unsigned W>
Result searched(const System& system, const Question& q, Monitor& monitor, const std::string& name,
                const Packing<Cell>& packing) {
    DiskSearch<Cell, W> search(system, q, monitor, name, packing);
    try {
        return search.run();
    } catch (const DiskError& problem) {
        return search.known(problem.what());
    }
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

Result search_on_disk(const System& system, const Question& q, Monitor& monitor, const std::string& name) {
    const Layout layout(system, q);
    const Packing<Cell> packing(system, q, layout, q.k);
    const auto run = [&]<unsigned W>() { return searched<W>(system, q, monitor, name, packing); };
    if (packing.words() <= 1) return run.template operator()<1>();
    if (packing.words() <= 2) return run.template operator()<2>();
    if (packing.words() <= 4) return run.template operator()<4>();
    if (packing.words() <= 8) return run.template operator()<8>();
    if (packing.words() <= 64) return run.template operator()<64>();
    throw DiskError("configurations of more than 4096 bits are not explored on disk");
}

}  // namespace stormproof::survival
