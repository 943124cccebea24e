// Chooses in which store configurations are, and how many words each takes.
#include "questions/k_properties.hpp"

#include <stdexcept>

#include "questions/k_stores.hpp"
#include "store/disk_files.hpp"
#include "store/fingerprint.hpp"

namespace stormproof {
namespace {

Answer in_graph(const System& system, const Machine& m, const Question& q, Monitor& monitor) {
    return in_least_width(Widths{}, m.words, [&]<unsigned W>() { return decide_in_graph<W>(system, m, q, monitor); });
}

Answer in_store(const System& system, const Question& q, Monitor& monitor) {
    const Machine m = compile_for_store(system, q.k);
    if (m.words <= max_words)
        return in_least_width(FewWidths{}, m.words, [&]<unsigned W>() { return decide_in_store<W>(m, q, monitor); });
    Answer answer;
    answer.stop = Stop::memory;
    return answer;
}

// In the compact store when memory has run short; what was known before is not withheld.
Answer in_memory(const System& system, const Machine& m, const Question& q, bool sweeps, Monitor& monitor) {
    if (q.compact && sweeps) return in_store(system, q, monitor);
    Answer answer = in_graph(system, m, q, monitor);
    if (answer.stop != Stop::memory || !sweeps) return answer;
    Answer compact = in_store(system, q, monitor);
    if (!compact.decided.empty() || answer.decided.empty()) return compact;
    answer.stop = compact.stop;
    return answer;
}

Answer on_disk(const Machine& m, const Question& q, Monitor& monitor, const std::string& name) {
    try {
        return in_least_width(FewWidths{}, m.words, [&]<unsigned W>() { return decide_on_disk<W>(m, q, monitor, name); });
    } catch (const DiskError& problem) {
        Answer answer;
        answer.stop = Stop::disk;
        answer.problem = problem.what();
        return answer;
    }
}

std::string fingerprint(const System& system, const Question& q) {
    Fingerprint out;
    out.add("k-properties").add(q.disk.version).add(q.k);
    for (Property property : all_properties) out.add(q.properties.has(property));
    add_system(out, system);
    return out.name();
}

}  // namespace

// On disk, if that is wanted, once memory has ended; or at once where an earlier process has begun there.
Answer decide(const System& system, const Question& q, Monitor& monitor) {
    if (q.threads < 1 || q.threads > max_threads) throw std::invalid_argument("the number of threads is out of range");
    const Machine m = compile(system, q.k);
    const bool sweeps = !q.every_end && !q.properties.empty() && m.words <= max_words;
    const bool disk = sweeps && q.disk.wanted();
    const std::string name = disk ? fingerprint(system, q) : "";
    if (!disk || !(q.disk.at_once || begun_on_disk(q.disk, name))) {
        Answer answer = in_memory(system, m, q, sweeps, monitor);
        if (!disk || answer.stop != Stop::memory) return answer;
    }
    return on_disk(m, q, monitor, name);
}

}  // namespace stormproof
