// The k-properties in each store, with configurations of W words: for the widths of widths.hpp, each in a unit of its own.
#pragma once

#include <string>

#include "core/machine.hpp"
#include "core/widths.hpp"
#include "questions/k_properties.hpp"

namespace stormproof {

// In a graph in memory, see decide.hpp; of any of `Widths`.
template <unsigned W>
Answer decide_in_graph(const System& system, const Machine& m, const Question& question, Monitor& monitor);

// By sweeps that make steps again, of any of `FewWidths`: see k_compact.hpp and, with the name of the question, k_disk.hpp.
template <unsigned W>
Answer decide_in_store(const Machine& m, const Question& question, Monitor& monitor);
template <unsigned W>
Answer decide_on_disk(const Machine& m, const Question& question, Monitor& monitor, const std::string& name);

}  // namespace stormproof
