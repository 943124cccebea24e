// One part of the storms that several processes explore: how parts work together, partition.hpp says.
//
// A layer of (faults, actions) is a round: a configuration belongs to the first layer that reaches it. Calm steps are
// remembered until the number of faults is judged (definitions 10.8): what stays possible is handed to predecessors, in rounds
// too. What is left without a path to some goal within k is listed, to be judged elsewhere (storm_judge.hpp).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/layer_key.hpp"
#include "steps/packing.hpp"

namespace stormproof::survival {

// Rows as words, and to which part they belong. Parts and the judge must agree on it.
class StormRows {
  public:
    using Cell = std::uint16_t;
    StormRows(const System& system, const Question& question);

    const System system;
    const Question question;
    const Rules rules;
    const Layout layout;
    const Packing<Cell> packing;

    std::size_t bytes() const { return packing.words() * sizeof(std::uint64_t); }
    std::uint64_t hash(const std::uint64_t* words) const;
    // The upper bits of a hash choose its slot, so the part is chosen by the lower ones.
    static std::uint32_t owner(std::uint64_t hash, std::uint32_t parts) {
        return static_cast<std::uint32_t>((hash & UINT32_MAX) % parts);
    }
};

class StormPart {
  public:
    using Outgoing = std::vector<std::string>;  // for each part what it is to take in
    using Cell = StormRows::Cell;

    // From where and by whose action a configuration was reached first.
    struct Origin {
        std::uint32_t number = 0;
        std::uint16_t part = 0, process = 0;
    };
    // An ask that the configuration with these words violates.
    struct Found {
        std::uint32_t ask = 0;
        std::string words;
    };

    StormPart(const System& system, const Question& question, std::uint32_t part, std::uint32_t parts);
    StormPart(const StormPart&) = delete;
    StormPart& operator=(const StormPart&) = delete;

    void seed();                     // the initial configuration, if it belongs here
    std::optional<LayerKey> next();  // the first layer that waits here
    // Expands configurations of a layer from where the last call stopped, for the asks that are open.
    Outgoing expand(LayerKey layer, std::uint32_t open);
    bool expanded() const { return cursor_ >= current().size(); }
    void absorb(std::uint32_t from, std::string_view data);
    std::vector<Found> found() const;  // in the last layer, for each ask the least configuration
    bool hit() const { return hit_; }  // did a send of the last layer hit the bound?

    Outgoing spread();  // hands what is possible to predecessors
    void take(std::string_view data);
    bool spreading() const;
    // The configurations of this number of faults that lack some goal: how many they are; and their words, 32 bits each for
    // actions and mask.
    std::uint64_t lacking() const;
    std::string incomplete();
    void close_level(std::string_view masks);  // of what was listed last, in its order; all masks are final then

    // Whatever number of faults they have; 32 bits for each, 0 where it is not here.
    std::string masks(std::string_view rows) const;
    // The configurations with as many faults as the layer and fewer actions where a send hits the bound, at most so many:
    // their words, and 32 bits for the actions.
    std::string full(LayerKey until, std::size_t most);
    std::optional<std::uint32_t> find(std::string_view words) const;
    Origin origin(std::uint32_t number) const { return origins_.at(number); }
    LayerKey layer(std::uint32_t number) const { return keys_.at(number); }
    std::string words(std::uint32_t number) const { return {reinterpret_cast<const char*>(at(number)), rows_.bytes()}; }

    std::uint64_t arrival_bytes() const { return rows_.bytes() + sizeof(Arrival); }
    std::uint64_t future_bytes() const { return sizeof(Future); }
    std::uint64_t size() const { return keys_.size(); }
    std::uint64_t expansions() const { return expansions_; }
    std::uint64_t steps() const { return step_count_; }
    std::uint64_t bytes() const;

  private:
    // Behind the words of a successor on its way to the part that it belongs to.
    struct Arrival {
        std::uint32_t source = 0;
        std::uint16_t process = 0, faults = 0;
    };
    // Goals that stay possible, on their way to a predecessor.
    struct Future {
        std::uint32_t bits = 0, source = 0;
    };
    struct Edge {
        std::uint32_t source = 0, next = 0;
        std::uint32_t part = 0;
    };
    static constexpr std::uint32_t waits = 1u << 31;  // of a mask: predecessors have to be told

    const StormRows rows_;
    const std::uint32_t part_, parts_;
    std::uint32_t always_asks_ = 0;
    Steps<Cell> steps_;
    std::vector<std::uint64_t> configs_;  // words after words
    std::vector<std::uint32_t> slots_;    // open addressing: a number and 1 more, 0 where there is none
    std::vector<LayerKey> keys_;
    std::vector<Origin> origins_;
    std::vector<std::uint32_t> masks_;
    std::vector<std::uint32_t> last_edge_;  // into each configuration, and 1 more
    std::vector<Edge> edges_;               // calm steps to configurations that are not judged
    std::map<LayerKey, std::vector<std::uint32_t>> layers_;
    std::optional<LayerKey> now_;
    std::uint32_t open_ = 0;
    std::size_t cursor_ = 0;
    std::uint64_t expansions_ = 0, step_count_ = 0;
    bool hit_ = false;
    std::vector<std::optional<std::uint32_t>> found_;  // ask -> number
    std::vector<std::uint32_t> waiting_, listed_;
    Outgoing replies_;  // futures of configurations that were judged before
    std::vector<Cell> row_;
    std::vector<std::uint64_t> next_;

    const std::uint64_t* at(std::uint32_t number) const { return configs_.data() + std::size_t{number} * rows_.packing.words(); }
    std::uint32_t always() const { return open_ & always_asks_; }
    const std::vector<std::uint32_t>& current() const;
    template <class Visit>
    void each_incomplete(Visit&& visit) const;
    bool leads(const std::vector<std::uint32_t>& layer, LayerKey key) const;

    void expand(std::uint32_t number, Outgoing& out);
    std::uint32_t holding(std::uint32_t number);
    void reach(std::uint32_t number, const FaultyStep& step, std::uint32_t faults, const Cell* row, Outgoing& out);
    void take_in(const std::uint64_t* words, const Arrival& arrival, std::uint32_t from);
    void note_step(std::uint32_t target, std::uint32_t source, std::uint32_t from);
    void note_violation(std::uint32_t ask, std::uint32_t number);
    void tell(std::uint32_t bits, std::uint32_t source, std::uint32_t part, Outgoing& out);
    void learn(std::uint32_t number, std::uint32_t bits);

    std::size_t slot_of(const std::uint64_t* words) const;
    std::uint32_t find_or_add(const std::uint64_t* words);
    void grow();
};

}  // namespace stormproof::survival
