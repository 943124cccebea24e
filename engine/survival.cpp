// Chooses how wide the cells of a configuration are.
#include "survival.hpp"

#include <stdexcept>

#include "survival_search.hpp"

namespace stormproof::survival {

// No configuration has more calm successors.
static std::uint64_t most_successors(const System& system) {
    std::uint64_t most = 0;
    for (const Process& process : system.processes) {
        std::vector<std::uint64_t> leaving(process.states, 0);
        for (const Transition& t : process.transitions) ++leaving[t.source];
        most += *std::max_element(leaving.begin(), leaving.end());
    }
    return most;
}

Result survive(const System& system, const Question& question, Monitor& monitor) {
    std::uint64_t most = std::max<std::uint64_t>(system.messages, std::uint64_t{question.k} + question.slack + 1);
    for (const Process& process : system.processes) most = std::max<std::uint64_t>(most, process.states);
    for (auto limit : question.most_of_kind)
        if (limit != nothing) most = std::max<std::uint64_t>(most, std::uint64_t{limit} + 1);
    if (most_successors(system) > UINT16_MAX) most = UINT64_MAX;
    if (most <= UINT8_MAX) return Search<std::uint8_t>(system, question, monitor).run();
    if (most <= UINT16_MAX) return Search<std::uint16_t>(system, question, monitor).run();
    throw std::length_error("the system is too large for this search");
}

}  // namespace stormproof::survival
