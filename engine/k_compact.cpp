#include "k_compact.hpp"

#include "decide_by_sweeps.hpp"

namespace stormproof {

Answer decide_in_store(const System& system, const Question& q, Monitor& monitor) {
    const Machine m = compile_for_store(system, q.k);
    const auto run = [&]<unsigned W>() { return CompactDecision<W>(m, q, monitor).run(); };
    if (m.words <= 1) return run.template operator()<1>();
    if (m.words <= 2) return run.template operator()<2>();
    if (m.words <= 4) return run.template operator()<4>();
    if (m.words <= 8) return run.template operator()<8>();
    if (m.words <= max_words) return run.template operator()<max_words>();
    Answer answer;
    answer.stop = Stop::memory;
    return answer;
}

}  // namespace stormproof
