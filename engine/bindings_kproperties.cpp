#include "bindings.hpp"

void bind_kproperties(nanobind::module_&) {}
