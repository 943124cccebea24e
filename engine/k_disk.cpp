#include "k_disk.hpp"

#include <stdexcept>

#include "decide_by_sweeps.hpp"
#include "disk_fingerprint.hpp"

namespace stormproof {
namespace {

template <unsigned W>
Answer decided(const Machine& m, const Question& q, Monitor& monitor, const std::string& name) {
    DiskDecision<W> decision(m, q, monitor, name);
    try {
        return decision.run();
    } catch (const DiskError& problem) {
        return decision.known(problem.what());
    }
}

Answer in_words(const Machine& m, const Question& q, Monitor& monitor, const std::string& name) {
    const auto run = [&]<unsigned W>() { return decided<W>(m, q, monitor, name); };
    if (m.words <= 1) return run.template operator()<1>();
    if (m.words <= 2) return run.template operator()<2>();
    if (m.words <= 4) return run.template operator()<4>();
    if (m.words <= 8) return run.template operator()<8>();
    return run.template operator()<max_words>();
}

}  // namespace

std::string fingerprint(const System& system, const Question& q) {
    Fingerprint out;
    out.add("k-properties").add(q.disk.version).add(q.k);
    for (Property property : all_properties) out.add(q.properties.has(property));
    add_system(out, system);
    return out.name();
}

Answer decide_on_disk(const Machine& m, const Question& q, Monitor& monitor, const std::string& name) {
    try {
        return in_words(m, q, monitor, name);
    } catch (const DiskError& problem) {
        Answer answer;
        answer.stop = Stop::disk;
        answer.problem = problem.what();
        return answer;
    }
}

}  // namespace stormproof
