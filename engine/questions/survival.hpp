// Survival: what storms do to a system, and whether calm runs repair it (definitions 9.1, 10.8 to 10.13).
//
// Channels are words, faults happen at the send or the reception, and a calm future has no fault. Storms are explored
// with at most k messages per channel in the order of (faults, actions); calm futures may use `slack` messages more.
// A violation is reported only with a proof for channels of any length, see survival_blocks.hpp.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/disk_options.hpp"
#include "core/limits.hpp"
#include "core/system.hpp"
#include "questions/survival_extras.hpp"
#include "reduce/symmetry.hpp"

namespace stormproof::survival {

constexpr std::uint32_t nothing = UINT32_MAX;
using TransitionKind = decltype(Transition::kind);

// Marks of internal actions: an ordinary action, the faults, and an action that cannot happen.
constexpr std::uint8_t unmarked = 255, disabled = 254;

// A goal in negation normal form, as a tree of nodes of which the last is the root.
enum class GoalKind : std::uint8_t { all, any, at, holds, contains, head, deadlock, at_rest, listed };
struct GoalNode {
    GoalKind kind = GoalKind::all;
    bool negated = false;
    std::uint32_t subject = 0;           // the process or the channel, or the number of a list
    std::vector<std::uint32_t> details;  // nodes; or a flag per state; or the word; or the message
};
using Goal = std::vector<GoalNode>;

// Configurations as they violate a k-property at a bound: the content of a channel is a word, or stands for all
// words with the same messages, or for all of the same length (definitions 2.7). A row has the states, and per channel
// its length and the word, the sorted word, or whether the crash message is in it; with `heads` also a channel and the
// message that must be its head.
enum class ContentForm : std::uint8_t { word, multiset, length };
struct ListedConfigurations {
    std::vector<ContentForm> forms;
    bool heads = false;
    std::set<std::vector<std::uint32_t>> rows;
};

struct Ask {
    bool always = true;  // from everywhere a calm run leads to the goal; otherwise: no storm leads to it
    Goal goal;
};

// For `G leads to H` (definitions 10.18): a process without transitions and with the states 0 and 1, of which one says
// that G held and H has not since then. It is set after each step where `end` holds and, otherwise, where `begin` does.
struct Pending {
    std::uint32_t process = nothing;  // nothing: nobody asks
    std::uint32_t state = 1;          // the one that says that it is pending
    Goal begin, end;

    std::uint32_t state_if(bool pending) const { return pending ? state : 1 - state; }
};

// At most `blocks` blocks of equal messages, counted up to `counted`: see survival_blocks.hpp.
struct BlockSize {
    std::uint32_t blocks = 1, counted = 1;
};

struct Question {
    std::uint32_t k = 1, slack = 2;
    std::vector<Ask> asks;                         // at most `most_asks`
    Pending pending;
    Extras extras;
    std::vector<ListedConfigurations> lists;       // for goals of the kind `listed`
    std::vector<std::vector<std::uint8_t>> marks;  // process -> transition -> mark
    std::vector<std::vector<std::uint8_t>> rests, ended;  // process -> state -> flag
    std::vector<std::uint8_t> observed;                   // channel -> flag
    std::uint32_t most_faults = nothing;
    // Storms with more actions are left out, and what is shown is the run to a violation with the fewest actions; not in the
    // compact store.
    std::uint32_t most_actions = nothing;
    std::vector<std::uint32_t> most_of_kind = std::vector<std::uint32_t>(fault_kinds, nothing);
    std::vector<BlockSize> ladder;                 // the abstractions to try, the cheapest first
    std::uint32_t most_abstract = 200000;          // abstract configurations per attempt
    std::uint32_t most_certified = 0;              // configurations of a certificate, which needs a single ask; 0: none
    bool reduction = false;
    std::uint64_t reduce_from = 20000;             // systems with fewer configurations are explored whole
    std::uint64_t witness_budget = 1000000;        // configurations for the whole search for what reduction found
    std::vector<std::uint8_t> may_hit;             // reduction: the channels that a send may find full
    bool symmetry = false;
    std::vector<Automorphism> group;               // symmetry: permutations that leave all of this as it is
    DiskOptions disk;                              // where to go on when memory ends
    std::uint32_t threads = 1;
    std::uint64_t parallel_from = 8192;            // layers of fewer configurations are left to one thread
    bool compact = false;                          // begin in the compact store: for tests
};
constexpr std::size_t most_asks = 30;

// Can it be answered in the compact store? A certificate lists configurations that are judged one by one.
inline bool fits_compact(const Question& q) { return q.most_certified == 0 && q.most_actions == nothing; }

// A transition and what went wrong while it was taken.
struct FaultyStep : MessageOutcome {
    std::uint32_t process = 0, transition = 0;
    std::uint8_t mark = unmarked;
};

enum class Outcome : std::uint8_t { unknown, holds, violated, undecided };
enum class EndKind : std::uint8_t { none, deadlock, rest, livelock, divergence };

struct Finding {
    Outcome outcome = Outcome::unknown;
    std::uint32_t faults = 0;
    std::vector<FaultyStep> run;
    std::uint32_t calm_from = 0;  // the steps of the run from here on are the calm path to where it is stuck
    std::vector<FaultyStep> cycle;  // livelock: once around it
    EndKind end = EndKind::none;
    std::uint32_t undecided_faults = nothing;  // the fewest faults of a configuration that could not be judged
    BlockSize proof;
    std::uint32_t hit_faults = nothing;  // the fewest faults with which a send hits the bound
    bool reduced = false;                // the run was found by reduction: it need not have the fewest faults and actions
};

// What a certificate lists, see survival_certificate.hpp.
struct Certified {
    bool too_large = false;
    std::vector<std::uint16_t> codes;   // one configuration after the other
    std::vector<std::uint32_t> ranks;   // of each, in increasing order: the actions of a calm run to the goal
    std::vector<std::uint32_t> faults;  // of each: the fewest of a storm, or `nothing`: only calm runs lead there
};

struct Result {
    Stop stop = Stop::none;
    std::string problem;  // with the disk
    std::uint64_t configurations = 0, stored = 0, memory = 0;
    std::uint64_t on_disk = 0;             // bytes of the layers, if it was explored there
    std::uint32_t hit_faults = nothing;    // the fewest faults with which a send hits the bound
    std::uint32_t faults_explored = 0;     // all storms with fewer faults than this were explored and judged
    std::uint64_t symmetries = 1;  // permutations of processes that were used, the identity included
    bool compact = false;          // the configurations were in the compact store
    std::vector<Finding> findings;
    Certified certified;
};

Result survive(const System& system, const Question& question, Monitor& monitor);

// The slack is for calm runs to what must stay possible: the question without it where nothing must.
Question without_needless_slack(Question question);
// The largest number in a row of cells (faulty.hpp).
std::uint64_t largest_cell(const System& system, const Question& question);

}  // namespace stormproof::survival
