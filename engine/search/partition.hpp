// One part of an exploration that several processes share.
//
// Configurations are divided by their hash: each belongs to one part. The parts work in rounds. In a round each
// expands its own configurations and hands over the successors that belong to others, which take them in; who
// carries the bytes is none of its business (src/stormproof/search/engine/cluster.py). What a part must remember of a step
// is where it came from: futures (futures.hpp) flow from a configuration to its predecessors, in rounds too.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "questions/k_properties.hpp"

namespace stormproof {

class Partition {
  public:
    using Outgoing = std::vector<std::string>;  // for each part what it is to take in

    // Where a configuration was reached from first. No firing: by a silent step.
    struct Origin {
        std::uint32_t part = 0;
        std::uint64_t number = 0;
        std::optional<Firing> firing;
    };
    // The first violation of a property here. Of several, the smaller (round, key) is the one to show.
    struct Found {
        Property property = Property::exh;
        std::uint64_t round = 0, number = 0;
        std::string key;
        End end;
    };

    virtual ~Partition() = default;

    virtual bool silent() const = 0;  // has the system silent steps?
    virtual void seed() = 0;          // round 0: the initial configuration, if it belongs here
    // Expands configurations of a round from where the last call stopped, and says what others are to take in;
    // `only_silent`: by silent steps only, which are then not kept as steps.
    virtual Outgoing expand(std::uint64_t round, bool only_silent) = 0;
    virtual bool expanded() const = 0;  // was the last round expanded to its end?
    virtual void absorb(std::uint32_t from, std::string_view data, bool only_silent) = 0;
    virtual std::uint64_t fresh() const = 0;  // configurations since the last round was closed
    virtual void close_round() = 0;

    virtual std::uint64_t goal_groups() = 0;
    virtual void start_goals(std::uint64_t group) = 0;
    virtual Outgoing spread() = 0;  // hands new futures to predecessors
    virtual void take(std::string_view data) = 0;
    virtual bool spreading() const = 0;
    virtual void judge() = 0;       // notes the violations that the present group of goals shows

    virtual std::vector<Found> found() const = 0;
    virtual std::optional<Origin> origin(std::uint64_t number) const = 0;
    virtual std::uint64_t arrival_bytes() const = 0;  // of one successor in what `expand` hands over
    virtual std::uint64_t future_bytes() const = 0;   // of one future in what `spread` hands over
    virtual std::uint64_t size() const = 0;
    virtual std::uint64_t steps() const = 0;
    virtual std::uint64_t bytes() const = 0;
};

std::unique_ptr<Partition> make_partition(const System& system, std::uint32_t k, const PropertySet& properties,
                                          std::uint32_t part, std::uint32_t parts);

}  // namespace stormproof
