// Reachability without a bound (definitions, chapter 6; Abdulla and Jonsson 1993, Finkel and Schnoebelen 2001).
//
// Three searches over the same configurations, a control part and one word per channel:
//   Controls  which control states can occur at all, channels reduced to the set of messages ever sent there;
//   cover     backward from a finite basis of an upward closed set, kept as an antichain of whole configurations;
//   forward   breadth first with at most k messages per channel, interference applied only when it is needed.
//
// A channel's content is kept in the coarsest form that loses nothing (definitions 2.7), always as a word:
// a multiset is its sorted word, a length is that many copies of one letter. The crash message is a bit of the
// control part. In `cover` a word channel is always lossy: for a channel that is not, this over-approximates.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "limits.hpp"
#include "system.hpp"

namespace stormproof {

enum class Shape : std::uint8_t { word = 0, bag = 1, count = 2 };

using Text = std::u16string;       // letters, or local states followed by crash marks
using Contents = std::vector<Text>;  // one word a channel

constexpr std::uint32_t nobody = UINT32_MAX;

// How one configuration came from another: transition `transition` of process `process`, or, with `process`
// nobody, a corruption on `channel` of `choice` into `becomes`. In forward search `choice` is the position in
// the channel that a reception took, or for a send 1 when its message was lost at once.
struct Via {
    std::uint32_t process = nobody, transition = 0, channel = no_channel, choice = 0, becomes = 0;
};

constexpr std::uint32_t kept = 1;  // `becomes` of a reception after which the message also stays

struct Configuration {
    Text control;
    Contents contents;
};

// A linear function of configurations that no step increases and that starts at `bound`.
struct Weights {
    std::vector<std::vector<std::int64_t>> states;    // process, local state
    std::vector<std::vector<std::int64_t>> messages;  // channel, message (0: the crash mark)
    std::int64_t bound = 0;
};

// May `sent` be received as `got` on this channel?
bool may_become(const Channel& channel, std::uint32_t sent, std::uint32_t got);

// The control states that can occur when a reception asks only that its message was ever sent.
class Controls {
  public:
    Controls(const System& system, Monitor& monitor);
    std::int64_t find(const Text& control) const;
    const std::vector<Text>& rows() const { return rows_; }
    Stop stop = Stop::none;

  private:
    void expand(std::uint32_t id);
    void visit(Text control);
    void offer(std::uint32_t channel, std::uint32_t message);
    const System& system_;
    std::vector<Text> rows_;
    std::unordered_map<Text, std::uint32_t> ids_;
    std::vector<std::uint32_t> queue_;
    std::vector<std::vector<std::uint8_t>> sent_;                   // channel, message: ever there?
    std::vector<std::vector<std::vector<std::uint32_t>>> waiting_;  // controls to look at again when it is
};

struct CoverResult {
    Stop stop = Stop::none;
    bool covered = false;
    std::uint64_t kept = 0, made = 0, pruned = 0;
    std::vector<Configuration> basis;  // not covered: the minimal elements; stopped: some of the latest ones
    std::vector<Configuration> path;   // when covered: from the initial configuration to a target
    std::vector<Via> steps;            // steps[i] leads from path[i] to something above path[i + 1]
};

CoverResult cover(const System& system, const std::vector<Shape>& shapes, const Controls& controls,
                  const std::vector<Configuration>& targets, const std::vector<Weights>& weights,
                  Monitor& monitor);

// What is asked of one channel: the word exactly, or a head and contained messages.
struct ChannelGoal {
    std::uint32_t channel = 0;
    int mark = -1;  // crash message there: 0 no, 1 yes, -1 either
    bool exact = false;
    Text word;      // the exact word, or, if not exact, the contained messages
    bool has_head = false;
    char16_t head = 0;
};

struct Cube {
    std::vector<std::vector<std::uint8_t>> states;  // per process: allowed local states; empty: any
    std::vector<ChannelGoal> channels;
    bool deadlock = false;  // nobody will ever move, whatever the faults
    bool stuck = false;     // no message at the head of a channel is taken by its receiver now
};

struct ForwardResult {
    Stop stop = Stop::none;
    bool found = false, saturated = false;
    std::uint32_t cube = 0;
    std::vector<Configuration> configurations;  // found: along the run; saturated: all of them
    std::vector<Via> steps;
    std::uint64_t states = 0;
    std::vector<std::uint32_t> longest;  // per channel, the most messages seen, the crash message included
};

// Between the first k messages of a word and the set of those behind them, in a summarised configuration.
constexpr char16_t behind = 0xFFFF;

// With `summarise` nothing is refused beyond k: of a word the first k messages are kept and then only which
// messages stand behind them, of a counter that it is k or more. The search is then finite, and complete.
ForwardResult forward(const System& system, const std::vector<Shape>& shapes, const std::vector<Cube>& goal,
                      std::uint32_t k, bool summarise, std::uint64_t most, Monitor& monitor);

}  // namespace stormproof
