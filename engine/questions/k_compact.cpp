#include "questions/k_compact.hpp"

#include "questions/k_stores.hpp"

namespace stormproof {

template <unsigned W>
Answer decide_in_store(const Machine& m, const Question& question, Monitor& monitor) {
    return CompactDecision<W>(m, question, monitor).run();
}
template Answer decide_in_store<STORMPROOF_WIDTH>(const Machine&, const Question&, Monitor&);

}  // namespace stormproof
