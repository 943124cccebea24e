// The k-properties where memory ends, by sweeps that make steps again: in the compact store, and on disk.
#pragma once

#include <string>

#include "k_properties.hpp"
#include "machine.hpp"

namespace stormproof {

// See k_compact.hpp.
Answer decide_in_store(const System& system, const Question& question, Monitor& monitor);

// See k_disk.hpp.
std::string fingerprint(const System& system, const Question& question);
Answer decide_on_disk(const Machine& m, const Question& question, Monitor& monitor, const std::string& name);

}  // namespace stormproof
