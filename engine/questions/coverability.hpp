// Reachability without a bound (definitions, chapter 6; Abdulla and Jonsson 1993, Finkel and Schnoebelen 2001).
//
// Three searches over the same configurations, each a control part and one content per channel:
//   Controls  which control states can occur at all, channels reduced to the set of messages ever sent there;
//   cover     backward from a finite basis of an upward closed set, kept as an antichain of whole configurations;
//   forward   breadth first with at most k messages per channel, interference applied only when it is needed.
//
// A channel's content is kept in the coarsest form that loses nothing (definitions 2.7), always as a sequence
// of messages: a multiset is sorted, a length is that many copies of one message. The crash message is a bit of
// the control part. In `cover` a queue is always lossy: for a channel that is not, this over-approximates.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/limits.hpp"
#include "core/system.hpp"

namespace stormproof {

// In a summarised configuration: between the first k messages of a queue and the set of those behind them.
constexpr char16_t behind = 0xFFFF;

enum class ChannelForm : std::uint8_t { queue, multiset, length };

using Text = std::u16string;         // messages, or local states followed by crash marks: all below `behind`
using Contents = std::vector<Text>;  // one per channel


// The step from one configuration to the next: transition `transition` of process `process`, or, where `process`
// is none, a corruption on `channel` of `choice` into `becomes`. In forward search `choice` is the position in
// the channel that a reception took, or for a send 1 when its message was lost at once.
struct TakenStep {
    std::uint32_t process = none, transition = 0, channel = none, choice = 0, becomes = 0;
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

// The control states that can occur when a reception requires only that its message was ever sent.
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
    std::vector<TakenStep> steps;            // steps[i] leads from path[i] to something above path[i + 1]
};

CoverResult cover(const System& system, const std::vector<ChannelForm>& forms, const Controls& controls,
                  const std::vector<Configuration>& targets, const std::vector<Weights>& weights,
                  Monitor& monitor);

// What a goal demands of one channel: a content exactly, or a head and contained messages.
struct ChannelDemand {
    std::uint32_t channel = 0;
    std::optional<bool> crash;  // must the crash message be there?
    bool exact = false;
    Text messages;  // the exact content, or, if not exact, the contained messages
    std::optional<char16_t> head;
};

// A conjunction of demands.
struct Cube {
    std::vector<std::vector<std::uint8_t>> states;  // per process: allowed local states; empty: any
    std::vector<ChannelDemand> channels;
    bool deadlock = false;  // nobody will ever move, whatever the faults
    bool stuck = false;     // no receiver accepts the message at the head of its channel now
};

struct ForwardResult {
    Stop stop = Stop::none;
    bool found = false, saturated = false;
    std::uint32_t cube = 0;
    std::vector<Configuration> configurations;  // found: along the run; saturated: all of them
    std::vector<TakenStep> steps;
    std::uint64_t states = 0;
    std::vector<std::uint32_t> longest;  // per channel, the most messages seen, the crash message included
};

// With `summarise` nothing is refused beyond k: of a queue the first k messages are kept and then only which
// messages are behind them, of a counter that it is k or more. The search is then finite and complete.
ForwardResult forward(const System& system, const std::vector<ChannelForm>& forms, const std::vector<Cube>& goal,
                      std::uint32_t k, bool summarise, std::optional<std::uint64_t> max_states, Monitor& monitor);

}  // namespace stormproof
