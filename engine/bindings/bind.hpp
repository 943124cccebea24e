// One function per search; module.cpp calls them all. Bindings convert types and release the lock, nothing else.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>

#include "core/system.hpp"

void bind_system(nanobind::module_& m);
void bind_k_properties(nanobind::module_& m);
void bind_rsc(nanobind::module_& m);
void bind_coverability(nanobind::module_& m);
void bind_survival(nanobind::module_& m);
void bind_partition(nanobind::module_& m);
void bind_storm_parts(nanobind::module_& m);

namespace stormproof {

// An absent number is `none` in the engine and None in Python.
inline std::optional<std::uint32_t> optional_number(std::uint32_t number) {
    return number == none ? std::nullopt : std::optional(number);
}

}  // namespace stormproof
