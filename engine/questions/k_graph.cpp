#include "questions/decide.hpp"
#include "questions/k_stores.hpp"

namespace stormproof {

template <unsigned W>
Answer decide_in_graph(const System& system, const Machine& m, const Question& question, Monitor& monitor) {
    return decide_up_to_symmetry<W>(system, m, question, monitor);
}
template Answer decide_in_graph<STORMPROOF_WIDTH>(const System&, const Machine&, const Question&, Monitor&);

}  // namespace stormproof
