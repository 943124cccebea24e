#include "store/disk_layers.hpp"

#include "store/perfect_hash.hpp"

namespace stormproof {

template class DiskQueue<STORMPROOF_WIDTH>;
template class DiskLayers<STORMPROOF_WIDTH>;
template class PerfectHash<STORMPROOF_WIDTH>;

}  // namespace stormproof
