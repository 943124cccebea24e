// Chooses how many words a configuration takes, and in which store configurations are.
#include "k_properties.hpp"

#include <stdexcept>

#include "decide.hpp"
#include "decide_by_sweeps.hpp"
#include "disk_files.hpp"

namespace stormproof {
namespace {

Answer decide_in_words(const System& system, const Machine& m, const Question& question, Monitor& monitor) {
    const auto run = [&]<unsigned W>() { return decide_up_to_symmetry<W>(system, m, question, monitor); };
    if (m.words <= 1) return run.template operator()<1>();
    if (m.words <= 2) return run.template operator()<2>();
    if (m.words <= 3) return run.template operator()<3>();
    if (m.words <= 4) return run.template operator()<4>();
    if (m.words <= 8) return run.template operator()<8>();
    if (m.words <= 16) return run.template operator()<16>();
    if (m.words <= max_words) return run.template operator()<max_words>();
    throw std::length_error("a configuration is too long");
}

// In the compact store when memory has run short; what was known before is not withheld.
Answer decide_in_memory(const System& system, const Machine& m, const Question& q, bool sweeps, Monitor& monitor) {
    if (q.compact && sweeps) return decide_in_store(system, q, monitor);
    Answer answer = decide_in_words(system, m, q, monitor);
    if (answer.stop != Stop::memory || !sweeps) return answer;
    Answer compact = decide_in_store(system, q, monitor);
    if (!compact.decided.empty() || answer.decided.empty()) return compact;
    answer.stop = compact.stop;
    return answer;
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
        Answer answer = decide_in_memory(system, m, q, sweeps, monitor);
        if (!disk || answer.stop != Stop::memory) return answer;
    }
    return decide_on_disk(m, q, monitor, name);
}

}  // namespace stormproof
