// Where, and how, an exploration goes on when memory ends.
#pragma once

#include <cstdint>
#include <string>

namespace stormproof {

struct DiskOptions {
    std::string directory;      // empty: nothing is explored on disk
    std::string version;        // files of another version are not read
    bool at_once = false;       // without trying in memory first: for tests
    std::uint64_t records = 0;  // configurations that a piece or the queue's part in memory has; 0: by the memory limit
    double every = 5;           // seconds between manifests
    std::uint32_t block_bytes = 1 << 15;

    bool wanted() const { return !directory.empty(); }
};

}  // namespace stormproof
