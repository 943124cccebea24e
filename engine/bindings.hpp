// One function per topic; bindings.cpp calls them all. Bindings convert types and release the lock, nothing else.
#pragma once

#include <nanobind/nanobind.h>

void bind_system(nanobind::module_& m);
void bind_kproperties(nanobind::module_& m);
void bind_rsc(nanobind::module_& m);
void bind_cover(nanobind::module_& m);
void bind_survival(nanobind::module_& m);
