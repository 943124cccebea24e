// Configurations are arrays of a fixed number of words, for speed: of these widths the least one is taken that is enough.
//
// What is compiled for each width is a unit by itself (STORMPROOF_WIDTH, see CMakeLists.txt), so that no compiler takes much
// memory. Where configurations are packed or counted anyway, in the compact store and on disk, fewer widths do.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "core/configuration.hpp"

namespace stormproof {

template <unsigned... Widths>
struct WidthsOf {};
using Widths = WidthsOf<1, 2, 4, 8, max_words>;
using FewWidths = WidthsOf<1, 4, max_words>;

// run.operator()<W>() for the least width that holds so many words.
template <unsigned W, unsigned... Wider, class Run>
auto in_least_width(WidthsOf<W, Wider...>, std::uint32_t words, Run&& run) {
    if constexpr (sizeof...(Wider) > 0)
        if (words > W) return in_least_width(WidthsOf<Wider...>{}, words, run);
    if (words > W) throw std::length_error("a configuration is too long");
    return run.template operator()<W>();
}

}  // namespace stormproof
