#include "bindings/bind.hpp"

NB_MODULE(_engine, m) {
    m.doc() = "The native searches of stormproof. Only stormproof.search.engine imports this.";
    bind_system(m);
    bind_k_properties(m);
    bind_rsc(m);
    bind_coverability(m);
    bind_survival(m);
    bind_partition(m);
    bind_storm_parts(m);
}
