// The k-properties (definitions, chapter 3) of one system under one failure model at one bound.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "limits.hpp"
#include "system.hpp"

namespace stormproof {

// The numbers are those of PROPERTIES in src/stormproof/engine/kproperties.py.
enum Property : std::uint32_t {
    exh, exh_literal, exh_up_to_crash, er, wer, er_up_to_crash, pg, obi, sibi, property_count
};

constexpr std::uint32_t nobody = UINT32_MAX;

// An offending configuration, and what is wrong there.
struct End {
    std::vector<std::uint32_t> states;
    std::vector<std::vector<std::uint32_t>> words;  // one word that the channel's form stands for
    std::uint32_t process = nobody;
    std::uint32_t transition = nobody;
    std::uint32_t channel = nobody;
    std::uint32_t message = nobody;
};

// A run to an offending configuration; where it is a shortest one, all ends of equally short runs and the control
// states that those runs pass through, level by level, unless there are too many.
struct Violation {
    std::uint32_t property = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> moves;  // (process, number of its transition)
    End end;
    std::vector<End> ends;
    std::vector<std::vector<std::vector<std::uint32_t>>> controls;
    bool shortest = true;
};

struct Question {
    std::uint32_t k = 1;
    std::uint32_t properties = 0;  // a bit for each property that is asked
    std::uint32_t threads = 1;
    bool reduction = false;
    bool components = false;  // decide by components at once, without sweeps first: for tests
    bool explore_only = false;
    std::uint64_t parallel_from = 8192;      // rounds of fewer configurations are left to one thread
    std::uint64_t witness_budget = 1000000;  // configurations for the shortest run to what reduction found
    std::uint64_t slice_budget = 300000;     // configurations up to the ends of all shortest runs
    std::size_t most_ends = 2000;            // of such runs
};

struct Answer {
    Stop stop = Stop::none;
    std::uint64_t states = 0, transitions = 0, peak_bytes = 0;
    std::uint32_t words = 0, sweeps = 0, components = 0;
    bool reduced = false;
    double explored_seconds = 0, explored_cpu = 0;
    std::uint32_t decided = 0;   // properties whose answer is known
    std::uint32_t violated = 0;  // of those
    std::vector<Violation> violations;
};

// Throws std::length_error when a configuration needs more than `most_words` words.
constexpr std::uint32_t most_words = 64;
Answer decide(const System& system, const Question& question, Monitor& monitor);

}  // namespace stormproof
