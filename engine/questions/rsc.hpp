// Is every execution, with every communication that its failure model allows, equivalent to a synchronous one?
//
// Definitions 4.6, 4.7: a system is i-RSC unless it has a borderline violation, an execution made of matched
// pairs (a send and at once its reception), unmatched sends and internal actions, and one last reception that
// matches an earlier send and closes a cycle in the conflict graph. So only such prefixes are searched, with at
// most one *pending* send, the one that is guessed to be matched by the last reception. What a process does alone
// is delayed until it matters (alone.hpp), so a step of the search is a matched pair or the guess. A first
// search, which ignores lengths, finds the verdict, in many threads where it is large (rsc_wide.hpp); where it is a
// violation, a second search shortens it.
//
//   state      control states, blocked channels, pending: nothing or (channel, message, D), D the processes
//              that depend causally on the pending send
//   violation  pending (p->q, m, D), q in D, and q can receive on p->q a message that m may have become
//
// Reduction, while a send on p->q is pending. Let P be the smallest set of processes with q whose members interact only
// with each other, whatever their current states and what they can do alone from there allow. A matched pair
// of P commutes with one of others: no process, blocked channel or member of D is common to both. And q must act before
// there is a violation: only then can it come to depend on the pending send, or to where it receives. So of a run to a
// violation the first pair of P can be moved to the front, and the pairs of P are all that has to be explored; runs
// keep their actions, and so their lengths.
//
// The crash message (definitions 5.1) is the last of its channel and is never lost, corrupted, moved or
// forged. Where matching must keep the order, this adds nothing. On a reordering channel it means: when the
// crash message is received, every earlier message of the channel was received before it or, with loss, was
// lost. So there a matched or pending crash message needs the channel unblocked (on a channel without loss an
// unmatched send blocks it, for the crash message only), and no message that is pending can be overtaken by it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/disk_options.hpp"
#include "core/limits.hpp"
#include "core/system.hpp"

namespace stormproof {

struct RscResult {
    Stop stop = Stop::none;
    bool violated = false, shortest = true;
    std::uint64_t states = 0, transitions = 0, memory = 0;
    std::uint64_t symmetries = 1;  // permutations of processes that were used, the identity included
    std::string problem;           // with the disk
    std::uint64_t on_disk = 0;     // bytes of the layers, if it was searched there
    bool compact = false;          // the states were in the compact store
    // The shortest borderline violation, and its communication as (index of the reception, index of the send).
    std::vector<Firing> firings;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> communication;
};

struct RscOptions {
    bool symmetry = false;
    std::uint32_t threads = 1;
    std::uint64_t wide_from = 20000;     // smaller searches are made in depth, by one thread and without symmetry
    std::uint64_t parallel_from = 2048;  // rounds, blocks and pieces of fewer states are left to one thread
    DiskOptions disk = {};               // where to search when memory ends (rsc_layers.hpp)
    bool compact = false;                // begin in the compact store: for tests
};

RscResult search_rsc(const System& system, Monitor& monitor, const RscOptions& options);
// The same where several processes send into one queue (rsc_mailbox.cpp); `search_rsc` calls it.
RscResult search_rsc_mailboxes(const System& system, Monitor& monitor, const RscOptions& options);

}  // namespace stormproof
