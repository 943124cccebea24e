#include "bindings.hpp"

void bind_cover(nanobind::module_&) {}
