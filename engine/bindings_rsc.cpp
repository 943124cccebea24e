#include "bindings.hpp"

void bind_rsc(nanobind::module_&) {}
