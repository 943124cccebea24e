// The k-properties on disk, as they are asked: see k_disk.hpp.
#pragma once

#include <string>

#include "k_properties.hpp"
#include "machine.hpp"

namespace stormproof {

// All that are asked for but k-obi and k-sibi, where those need a search.
PropertySet served_on_disk(const Machine& m, const Question& question);
std::string fingerprint(const System& system, const Machine& m, const Question& question);
Answer decide_on_disk(const Machine& m, const Question& question, Monitor& monitor, const std::string& name);

}  // namespace stormproof
