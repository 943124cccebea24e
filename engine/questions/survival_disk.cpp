#include "questions/survival_disk.hpp"

#include "questions/survival_stores.hpp"

namespace stormproof::survival {

template <unsigned W>
Result search_on_disk(const System& system, const Question& q, Monitor& monitor, const std::string& name,
                      const Packing<PackedCell>& packing) {
    DiskSearch<PackedCell, W> search(system, q, monitor, name, packing);
    try {
        return search.run();
    } catch (const DiskError& problem) {
        return search.known(problem.what());
    }
}
template Result search_on_disk<STORMPROOF_WIDTH>(const System&, const Question&, Monitor&, const std::string&,
                                                 const Packing<PackedCell>&);

}  // namespace stormproof::survival
