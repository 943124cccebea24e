#include "bindings.hpp"

NB_MODULE(_engine, m) {
    m.doc() = "The native searches of stormproof. Only stormproof.engine imports this.";
    bind_system(m);
    bind_kproperties(m);
    bind_rsc(m);
    bind_cover(m);
    bind_survival(m);
}
