// Chooses how many words a configuration takes.
#include "k_properties.hpp"

#include <stdexcept>

#include "decide.hpp"

namespace stormproof {

Answer decide(const System& system, const Question& question, Monitor& monitor) {
    if (question.threads < 1 || question.threads > max_threads)
        throw std::invalid_argument("the number of threads is out of range");
    const Machine m = compile(system, question.k);
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

}  // namespace stormproof
