// The search for violations in each store: each in units of their own.
#pragma once

#include <string>

#include "core/widths.hpp"
#include "steps/packing.hpp"

namespace stormproof::survival {

// In memory, with cells of 8 or of 16 bits: see survival_search.hpp.
template <class Cell>
Result search_in_graph(const System& system, const Question& question, Monitor& monitor);

// In the stores that follow, rows are packed: there, cells of one width serve all systems.
using PackedCell = std::uint16_t;
// See survival_compact.hpp.
Result search_in_store(const System& system, const Question& question, Monitor& monitor);
// See survival_disk.hpp: of any of `FewWidths`; DiskError when that fails.
template <unsigned W>
Result search_on_disk(const System& system, const Question& question, Monitor& monitor, const std::string& name,
                      const Packing<PackedCell>& packing);
// The name of the question.
std::string fingerprint(const System& system, const Question& question);

}  // namespace stormproof::survival
