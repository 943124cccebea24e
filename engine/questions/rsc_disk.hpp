// The search of rsc.hpp on disk, when memory ends: in layers by the number of steps (disk_layers.hpp).
//
// Threads share the pieces of a layer, each with its own steps, and what they find is put together in order: verdicts,
// counts, runs and files do not depend on their number.
#pragma once

#include <string>
#include <vector>

#include "questions/rsc.hpp"
#include "steps/rendezvous_layout.hpp"

namespace stormproof {

// Do the options ask for it, and does a state fit?
bool fits_on_disk(const RscLayout& layout, const RscOptions& options);
// The name of the question.
std::string fingerprint(const System& system, const RscOptions& options);
// The violation is one of the fewest steps, and not the shortest.
RscResult search_rsc_on_disk(const RscLayout& layout, Monitor& monitor, const std::vector<Automorphism>& group,
                             const RscOptions& options, const std::string& name);

}  // namespace stormproof
