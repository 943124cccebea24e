// The k-properties (definitions, chapter 3) of one system under one failure model at one bound.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "core/configuration.hpp"
#include "core/disk_options.hpp"
#include "core/limits.hpp"
#include "core/system.hpp"

namespace stormproof {

enum class Property : std::uint8_t { exh, exh_literal, exh_up_to_crash, er, wer, er_up_to_crash, pg, obi, sibi };

constexpr std::array all_properties{Property::exh,  Property::exh_literal,    Property::exh_up_to_crash,
                                    Property::er,   Property::wer,            Property::er_up_to_crash,
                                    Property::pg,   Property::obi,            Property::sibi};

class PropertySet {
  public:
    PropertySet() = default;
    PropertySet(std::initializer_list<Property> properties) {
        for (Property property : properties) add(property);
    }
    void add(Property property) { bits_ |= bit(property); }
    bool has(Property property) const { return bits_ & bit(property); }
    bool has_any(std::initializer_list<Property> properties) const {
        for (Property property : properties)
            if (has(property)) return true;
        return false;
    }
    bool empty() const { return bits_ == 0; }
    PropertySet with(const PropertySet& others) const { return PropertySet(bits_ | others.bits_); }
    PropertySet without(const PropertySet& others) const { return PropertySet(bits_ & ~others.bits_); }
    bool operator==(const PropertySet&) const = default;

  private:
    explicit PropertySet(std::uint32_t bits) : bits_(bits) {}
    static std::uint32_t bit(Property property) { return std::uint32_t{1} << static_cast<unsigned>(property); }
    std::uint32_t bits_ = 0;
};

// A value for each property.
template <class T>
class PerProperty {
  public:
    T& operator[](Property property) { return values_[static_cast<std::size_t>(property)]; }
    const T& operator[](Property property) const { return values_[static_cast<std::size_t>(property)]; }

  private:
    std::array<T, all_properties.size()> values_{};
};

// An offending configuration, and what is wrong there.
struct End {
    std::vector<std::uint32_t> states;
    std::vector<std::vector<std::uint32_t>> contents;  // one content that the channel's packed form stands for
    std::optional<std::uint32_t> process, transition, channel, message;
    bool operator==(const End&) const = default;
};

// A run to an offending configuration and, on request, all offending configurations, one more than `max_ends` if there
// are too many.
struct Violation {
    Property property = Property::exh;
    std::vector<Firing> firings;
    End end;
    std::vector<End> ends;
    bool shortest = true;
};

constexpr std::uint32_t max_threads = 256;

struct Question {
    std::uint32_t k = 1;
    PropertySet properties;
    std::uint32_t threads = 1;
    bool reduction = false;
    bool symmetry = false;
    std::uint64_t symmetry_from = 20000;     // smaller systems are explored without symmetry
    bool components = false;  // decide by components at once, without sweeps first: for tests
    std::uint64_t parallel_from = 8192;      // rounds of fewer configurations are left to one thread
    std::uint64_t witness_budget = 1000000;  // configurations for the shortest run to what reduction found
    PropertySet optional;                    // decided if k-exh is not violated; fully explored within that budget
    std::uint64_t reduce_from = 20000;       // under faults smaller systems are explored whole
    std::size_t max_ends = 2000;
    bool compact = false;                   // begin in the compact store: for tests
    DiskOptions disk;                       // where to go on when memory ends
    bool every_end = false;                 // the ends are all offending configurations, the nearest first
};

struct Answer {
    Stop stop = Stop::none;
    std::string problem;        // with the disk
    std::uint64_t on_disk = 0;  // bytes of the layers, if it was explored there
    std::uint64_t states = 0, transitions = 0, peak_bytes = 0;
    std::uint32_t words = 0;
    bool reduced = false;
    bool compact = false;       // the configurations were in the compact store
    std::uint64_t symmetries = 1;  // permutations of processes that were used, the identity included
    double explored_seconds = 0, explored_cpu = 0;
    PropertySet decided;   // properties whose answer is known
    PropertySet violated;  // of those
    std::vector<Violation> violations;

    void decide(const PropertySet& properties, std::vector<Violation> found) {
        decided = decided.with(properties);
        for (Violation& violation : found) {
            violated.add(violation.property);
            violations.push_back(std::move(violation));
        }
    }
    bool has_all(const PropertySet& properties) const { return !decided.empty() && properties.without(decided).empty(); }
};

// Throws std::length_error when a configuration needs more than `max_words` words.
Answer decide(const System& system, const Question& question, Monitor& monitor);

}  // namespace stormproof
