#include "questions/k_disk.hpp"

#include "questions/k_stores.hpp"

namespace stormproof {

template <unsigned W>
Answer decide_on_disk(const Machine& m, const Question& question, Monitor& monitor, const std::string& name) {
    DiskDecision<W> decision(m, question, monitor, name);
    try {
        return decision.run();
    } catch (const DiskError& problem) {
        return decision.known(problem.what());
    }
}
template Answer decide_on_disk<STORMPROOF_WIDTH>(const Machine&, const Question&, Monitor&, const std::string&);

}  // namespace stormproof
