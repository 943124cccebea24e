// What there is for each width of the cells of a row, compiled once.
#include "questions/survival_search.hpp"
#include "questions/survival_stores.hpp"
#include "steps/calm_predecessors.hpp"
#include "steps/packing.hpp"

namespace stormproof::survival {

template class Packing<std::uint8_t>;
template class ClosedProcesses<std::uint8_t>;
template class RowSymmetry<std::uint8_t>;
template class CalmPredecessors<std::uint8_t>;
template class PrefetchedSteps<std::uint8_t>;
template class Ends<std::uint8_t>;
template class NearerEnds<std::uint8_t>;
template class BlockProver<std::uint8_t>;
template class Judge<std::uint8_t>;
template class Search<std::uint8_t>;
template class ClosedSet<std::uint8_t>;
template class Packing<std::uint16_t>;
template class ClosedProcesses<std::uint16_t>;
template class RowSymmetry<std::uint16_t>;
template class CalmPredecessors<std::uint16_t>;
template class PrefetchedSteps<std::uint16_t>;
template class Ends<std::uint16_t>;
template class NearerEnds<std::uint16_t>;
template class BlockProver<std::uint16_t>;
template class Judge<std::uint16_t>;
template class Search<std::uint16_t>;
template class ClosedSet<std::uint16_t>;

template <class Cell>
Result search_in_graph(const System& system, const Question& q, Monitor& monitor) {
    return Search<Cell>(system, q, monitor).run();
}
template Result search_in_graph<std::uint8_t>(const System&, const Question&, Monitor&);
template Result search_in_graph<std::uint16_t>(const System&, const Question&, Monitor&);

}  // namespace stormproof::survival
