// Chooses how wide the cells of a configuration are.
#include "survival.hpp"

#include <stdexcept>

#include "survival_search.hpp"

namespace stormproof::survival {

Result survive(const System& system, const Question& question, Monitor& monitor) {
    std::uint64_t most = std::max<std::uint64_t>(system.messages, std::uint64_t{question.k} + question.slack + 1);
    for (const Process& process : system.processes) most = std::max<std::uint64_t>(most, process.states);
    for (auto limit : question.most_of_kind)
        if (limit != nothing) most = std::max<std::uint64_t>(most, std::uint64_t{limit} + 1);
    if (most <= UINT8_MAX) return Search<std::uint8_t>(system, question, monitor).run();
    if (most <= UINT16_MAX) return Search<std::uint16_t>(system, question, monitor).run();
    throw std::length_error("the system is too large for this search");
}

}  // namespace stormproof::survival
