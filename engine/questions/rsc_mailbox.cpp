// RSC with mailboxes: one queue per receiver, into which several processes put messages (definitions 12.5, 12.6).
//
// The borderline violations of rsc.hpp, searched without its shortcut: what a process does alone does not commute with
// what the others put into the same mailbox. Two sends into one mailbox conflict, so the set D of what depends on the
// pending send has processes and queues. Where messages overtake each other the order of sends does not matter, and
// they do not conflict.
//
//   state      control states, blocked queues, pending: nothing or (queue, message, sender, D)
//   violation  the owner of the pending message's mailbox is in D and can receive what the message may have become
//
// States are visited in the order of their length, so that the first violation is a shortest one. In a mailbox that
// reorders, a crash message is the last of its sender: an unmatched send that is not lost blocks the crash message of
// the same sender only.
//
// Any number of threads: every step has a length of at least 1, so the states of one length are all known before the
// first of them is visited. A block of them is divided among the threads in order. Each thread lays out the successors
// of its slice; then each of 64 shards, to which states belong by their hash, adds its own in the order of the slices; at
// last one thread lines up what was new, in that order again. So all is as if one state were visited after the other.
#include <algorithm>
#include <array>
#include <atomic>
#include <memory>

#include "core/parallel.hpp"
#include "questions/rsc_layers.hpp"
#include "store/antichain.hpp"

namespace stormproof {
namespace {

constexpr std::uint32_t shard_count = 64;

// Of one thread: what it found in its slice of the block.
struct alignas(cache_line) MailboxSlice {
    struct Successor {
        std::uint64_t parent, added = no_parent;  // the number of the new state, if it is one
        std::uint32_t length;
    };

    explicit MailboxSlice(const MailboxLayout& layout) : steps(layout) {}

    MailboxSteps steps;
    std::uint64_t states = 0, transitions = 0;
    std::vector<Successor> successors;
    std::vector<std::uint64_t> words;                            // of all successors
    std::array<std::vector<std::uint32_t>, shard_count> of_shard;  // their places
    std::uint64_t violation = no_parent;                         // the first state that is one; it ends the slice

    void clear() {
        states = transitions = 0;
        successors.clear();
        words.clear();
        for (auto& places : of_shard) places.clear();
    }
};

class MailboxSearch {
  public:
    MailboxSearch(const MailboxLayout& layout, Monitor& monitor, const RscOptions& options)
        : layout_(layout), monitor_(monitor), parallel_from_(std::max<std::uint64_t>(1, options.parallel_from)),
          usage_(monitor) {
        for (std::uint32_t s = 0; s < shard_count; ++s)
            shards_.push_back(std::make_unique<Antichain>(layout_.words(), 0, usage_));  // keys, and no payloads
        for (std::uint32_t i = 0; i < std::max(1u, options.threads); ++i)
            slices_.push_back(std::make_unique<MailboxSlice>(layout_));
    }

    RscResult run() {
        start();
        for (length_ = 0; length_ < waiting_.size() && going(); ++length_) {
            const std::vector<std::uint64_t> now = std::move(waiting_[length_]);
            for (std::size_t begin = 0, end = 0; begin < now.size() && going(); begin = end) {
                end = begin + block_size(now.size() - begin);
                if (begin < end) visit(&now[begin], end - begin);
                else if (any_alive(now, begin)) result_.stop = Stop::states;
                else break;
            }
            usage_.give_back(now.capacity() * sizeof(now[0]));
        }
        report();
        result_.memory = usage_.bytes();
        return std::move(result_);
    }

  private:
    // Blocks are small against the states so far, and so are their successors against what memory holds anyway.
    static constexpr std::uint64_t least_block = 64, most_block = 65536, most_successors = 1 << 18;

    bool going() const { return result_.stop == Stop::none && !result_.violated; }

    void start() {
        const auto words = layout_.initial();
        const std::uint32_t s = shard_of(words.data());
        wait(0, numbered(s, shards_[s]->add(words.data(), words.data(), no_parent)));
        update_stop();
    }

    // A state is numbered by its place in its shard, and the shard.
    static std::uint64_t numbered(std::uint32_t shard, std::uint32_t place) {
        return place == none ? no_parent : std::uint64_t{place} * shard_count + shard;
    }
    const Antichain& home(std::uint64_t number) const { return *shards_[number % shard_count]; }
    static std::uint32_t place(std::uint64_t number) { return static_cast<std::uint32_t>(number / shard_count); }
    const RscState& state(std::uint64_t number) const { return home(number).state(place(number)); }
    const std::uint64_t* words(std::uint64_t number) const { return home(number).key(place(number)); }
    std::uint32_t shard_of(const std::uint64_t* words) const {
        return static_cast<std::uint32_t>(Antichain::hash(words, layout_.words()) >> 32) % shard_count;
    }

    void wait(std::uint32_t length, std::uint64_t number) {
        if (number == no_parent) return;
        if (waiting_.size() <= length) waiting_.resize(length + 1);
        if (!usage_.room(waiting_[length], 1)) return;
        waiting_[length].push_back(number);
        ++lined_up_;
    }

    // 0: no more states are allowed.
    std::size_t block_size(std::size_t left) const {
        const std::uint64_t each = 1 + result_.transitions / (result_.states + 1);
        std::uint64_t size = std::clamp(result_.states / 16, least_block, most_block);
        size = std::min<std::uint64_t>({size, std::max<std::uint64_t>(1, most_successors / each), left});
        if (const std::uint64_t most = monitor_.max_states()) size = std::min(size, most - result_.states);
        return static_cast<std::size_t>(size);
    }

    bool any_alive(const std::vector<std::uint64_t>& list, std::size_t begin) const {
        return std::any_of(list.begin() + static_cast<std::ptrdiff_t>(begin), list.end(),
                           [&](std::uint64_t number) { return !state(number).dead; });
    }

    void visit(const std::uint64_t* numbers, std::size_t size) {
        active_ = static_cast<unsigned>(std::clamp<std::uint64_t>(2 * size / parallel_from_, 1, slices_.size()));
        in_slices(size, active_, [&](unsigned who, std::size_t begin, std::size_t end) {
            expand(*slices_[who], numbers + begin, numbers + end);
        });
        count();
        if (!going()) return;
        next_shard_ = 0;
        in_parallel(active_, [&](unsigned) {
            for (std::uint32_t s = next_shard_++; s < shard_count; s = next_shard_++) add_own(s);
        });
        line_up();
        update_stop();
    }

    void expand(MailboxSlice& slice, const std::uint64_t* begin, const std::uint64_t* end) {
        slice.clear();
        for (; begin < end && slice.violation == no_parent && stop_ == Stop::none; ++begin) {
            if (state(*begin).dead) continue;
            if (++slice.states % 256 == 0 || monitor_.must_end()) stop_if_over();
            if (slice.steps.closing(words(*begin)).first != none) slice.violation = *begin;
            else slice.steps.expand(words(*begin), [&](std::uint32_t length, const MailboxStep&, const std::uint64_t* next) {
                ++slice.transitions;
                lay_out(slice, {*begin, no_parent, length_ + length}, next);
            });
        }
    }

    void lay_out(MailboxSlice& slice, const MailboxSlice::Successor& successor, const std::uint64_t* next) {
        auto& places = slice.of_shard[shard_of(next)];
        if (!usage_.room(slice.successors, 1) || !usage_.room(slice.words, layout_.words()) || !usage_.room(places, 1)) return;
        places.push_back(static_cast<std::uint32_t>(slice.successors.size()));
        slice.successors.push_back(successor);
        slice.words.insert(slice.words.end(), next, next + layout_.words());
    }

    void add_own(std::uint32_t s) {
        for (unsigned who = 0; who < active_; ++who)
            for (const std::uint32_t i : slices_[who]->of_shard[s]) {
                auto& successor = slices_[who]->successors[i];
                const std::uint64_t* words = &slices_[who]->words[i * layout_.words()];
                const std::uint32_t at = shards_[s]->add(words, words, successor.parent, successor.length, length_ + 1);
                successor.added = numbered(s, at);
            }
    }

    void line_up() {
        for (unsigned who = 0; who < active_; ++who)
            for (const auto& successor : slices_[who]->successors) wait(successor.length, successor.added);
    }

    // What comes after the first violation does not count.
    void count() {
        for (unsigned who = 0; who < active_ && !result_.violated; ++who) {
            result_.states += slices_[who]->states;
            result_.transitions += slices_[who]->transitions;
            if (slices_[who]->violation != no_parent) build_run(slices_[who]->violation);
        }
        if (!result_.violated) result_.stop = stop_;
    }

    void update_stop() {
        report();
        stop_if_over();
        if (usage_.full()) stop_ = Stop::memory;
        result_.stop = stop_;
    }

    void stop_if_over() {
        const Stop why = monitor_.over();
        if (why != Stop::none) stop_ = why;
    }

    void report() {
        monitor_.states = result_.states;
        monitor_.frontier = lined_up_ - result_.states;
        monitor_.memory = usage_.bytes();
    }

    // ---- the run to a violation ---------------------------------------------------------------------------------

    void build_run(std::uint64_t end) {
        std::vector<std::vector<std::uint64_t>> path;
        for (std::uint64_t at = end; at != no_parent; at = state(at).parent) path.emplace_back(words(at), words(at) + layout_.words());
        std::reverse(path.begin(), path.end());
        MailboxRun(layout_, result_).build(path);
    }

    const MailboxLayout& layout_;
    Monitor& monitor_;
    const std::uint64_t parallel_from_;
    Usage usage_;
    std::vector<std::unique_ptr<Antichain>> shards_;
    std::vector<std::unique_ptr<MailboxSlice>> slices_;
    std::vector<std::vector<std::uint64_t>> waiting_;  // states by length
    std::uint64_t lined_up_ = 0;                       // so many, those that were visited included
    std::uint32_t length_ = 0;
    unsigned active_ = 1;
    alignas(cache_line) std::atomic<std::uint32_t> next_shard_{0};
    alignas(cache_line) std::atomic<Stop> stop_{Stop::none};
    RscResult result_;
};

}  // namespace

RscResult search_rsc_mailboxes(const System& system, Monitor& monitor, const RscOptions& options) {
    const MailboxLayout layout(system);
    const auto whole = [&] { return MailboxSearch(layout, monitor, options).run(); };
    return search_everywhere(system, layout.words(), monitor, options, whole, [&] { return Mailboxes{layout}; });
}

}  // namespace stormproof
