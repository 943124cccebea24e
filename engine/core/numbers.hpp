// Numbers with a meaning of their own.
#pragma once

#include <cstdint>

namespace stormproof {

constexpr std::uint32_t crash_message = 0;
// Where a number may be absent: no process, channel, transition, state or message. The bindings turn it into None.
constexpr std::uint32_t none = UINT32_MAX;

}  // namespace stormproof
