// A system at a bound k, compiled for search: where each local state and channel lies in a configuration of
// 64-bit words, and what each transition does to those words.
//
// A channel is packed in the coarsest exact form (definitions 2.7):
//   length      corruption among all of its messages, or just one message: how many there are;
//   queue       the letters in order, the head in the lowest bits, a 1 above the last letter: so sending adds
//               a number, receiving shifts, and *full* is a comparison;
//   wide_queue  the same over several words of its own, where one is too narrow;
//   multiset    with reordering: how many of each letter.
// The letters of a channel are the messages that can be in it, numbered from 0. The crash message is a letter of
// a queue, and a flag of a length or a multiset: it is always the last message, and interference does not
// affect it (definitions 5.1). In a mailbox each sender has its own, which are letters in every form.
#pragma once

#include <cstdint>
#include <vector>

#include "core/fields.hpp"
#include "core/system.hpp"

namespace stormproof {

enum class PackedForm : std::uint8_t { length, queue, wide_queue, multiset };

constexpr std::uint32_t no_letter = UINT32_MAX;

struct ChannelLayout {
    PackedForm form = PackedForm::length;
    ChannelFaults faults;                             // in letters; without changes where only the length counts
    bool silent = false;                              // has explicit silent steps
    std::uint32_t bits = 0;                           // a letter's width in a queue
    std::uint32_t k = 0;
    std::uint64_t full = 0;                           // queue: values from here on are full
    Field field;                                      // length, multiset: how many messages; queue: its letters
    Field crash;                                      // length, multiset: is the crash message there?
    std::vector<Field> counts;                        // multiset: how many of each letter
    std::uint32_t first_word = 0, words = 0;          // wide_queue
    std::vector<std::uint32_t> letters;               // letter -> message
    std::vector<std::uint32_t> letter_of;             // message -> letter or no_letter
    std::uint32_t crash_letter = no_letter;
    std::vector<std::vector<std::uint32_t>> behind;   // of a mailbox: crash letter -> the other letters of its sender
    bool faithful = false;  // a message that may be received stays receivable until it is
};

enum class Op : std::uint8_t {
    internal,
    send_length, send_queue, send_wide, send_multiset,
    receive_length, receive_queue, receive_wide, receive_multiset,
    never
};

constexpr bool is_send(Op op) { return Op::send_length <= op && op <= Op::send_multiset; }
constexpr bool is_receive(Op op) { return Op::receive_length <= op && op <= Op::receive_multiset; }

// An instruction is enabled when (w & a) == b and (w & c) != d, for one word w of the configuration: two masked
// comparisons serve every form but the wide queues and the crash flags, which are `special`.
struct Guard {
    std::uint64_t a = 0, b = 0, c = 0, d = 1;
    std::uint32_t word = 0;
    bool special = false;
};

// What an action does to the field f of a channel, by the same arithmetic for every kind of action: f becomes
// (f >> taken) + (added << at), where `at` is the place of the 1 above the last letter of a queue, or 0. For wide
// queues, multisets and crash flags, which are `special`, there is more to do.
struct Effect {
    std::uint64_t mask = 0, added = 0;
    std::uint32_t word = 0, shift = 0;
    std::uint32_t at_top = 0;  // all bits: `at` is that place; none: it is 0
    std::uint32_t taken = 0;   // the bits of a letter that is received from a queue
};

// A compiled transition.
struct Instruction {
    Guard guard;
    Effect effect;
    Op op = Op::never;
    bool special = false;          // its effect is not all that it does
    bool crash = false;            // of the crash message
    bool keeps = false;            // a reception after which the message also stays (duplication)
    bool may_be_lost = false;      // a send into a full channel that may lose it at once
    bool fault = false;            // the process crashes, stops or restarts
    std::uint32_t process = 0;
    std::uint32_t transition = 0;  // its number within the process
    std::uint32_t target = 0;      // the local state that it leads to
    std::uint32_t channel = none;
    std::uint32_t letter = 0;
    std::uint32_t head = 0;        // a reception: the letter in the channel; another one if a copy is corrupted
    std::uint32_t state_word = 0;
    std::uint64_t state_delta = 0;  // what to add to that word
    std::uint32_t same_as = 0;      // the number of the instruction that is executed for it; its own as a rule
};

enum class StateKind : std::uint8_t { sending, receiving, mixed, final };

struct StateInfo {
    // Its part of Machine::instructions: up to `last` those that are executed, then up to `end` those with the same
    // effect as one of them: where a channel is a length, which message is sent or received makes no difference.
    std::uint32_t first = 0, last = 0, end = 0;
    StateKind kind = StateKind::final;
    bool crashed = false;
    bool directed = true;
    // Only sends to one peer, only receptions from channels whose heads no fault changes, or only internal actions,
    // and none of them crashes the process: it may be expanded before others (see stubborn.hpp).
    bool simple = false;
    std::vector<std::uint32_t> channels;  // into which it sends and from which it receives here
};

struct ProcessLayout {
    Field state;
    std::uint32_t initial = 0;
    std::vector<StateInfo> states;
};

struct Machine {
    std::uint32_t words = 1;
    std::vector<ProcessLayout> processes;
    std::vector<ChannelLayout> channels;
    std::vector<Instruction> instructions;
    std::vector<std::uint32_t> sender, receiver;  // of each channel
    bool silent = false;    // has explicit silent steps
    bool perfect = true;    // no interference at all
    bool reorders = false;  // some channel is a multiset
    bool one_receiver = true, one_sender = true;  // no state sends to several peers; receives from several
    bool mailboxes = false;  // several processes send into a channel
    std::uint32_t max_degree = 1;  // no configuration has more successors
};

Machine compile(const System& system, std::uint32_t k);
// The same with other places in a configuration: those of the compact store, see placement.hpp. All words are about
// equally full, so that each takes few different values.
Machine compile_for_store(const System& system, std::uint32_t k);

}  // namespace stormproof
