#include "questions/survival_compact.hpp"

#include "questions/survival_stores.hpp"

namespace stormproof::survival {

Result search_in_store(const System& system, const Question& q, Monitor& monitor) {
    return CompactSearch<PackedCell>(system, q, monitor).run();
}

}  // namespace stormproof::survival
