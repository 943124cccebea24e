// Proofs that no calm run leads to a goal, however long channels grow (definitions 10.10).
//
// The content of a channel is represented by its first few blocks of equal messages, each counted up to some number
// and "more" beyond it, and the set of messages that may follow in any order and number. The abstract configurations
// that calm runs reach are finitely many; where the goal may hold in none of them, no calm run leads to it.
#pragma once

#include <string>
#include <unordered_map>

#include "store/row_store.hpp"

namespace stormproof::survival {

struct Block {
    std::uint32_t message, count;  // a count above `counted` stands for that many or more
};

struct Blocks {
    std::vector<Block> blocks;
    std::vector<std::uint32_t> tail;  // sorted; follows only the largest number of blocks
};

struct AbstractView {
    const BlockSize size;
    std::vector<std::uint32_t> states;
    std::vector<Blocks> contents;

    std::uint32_t state(std::uint32_t p) const { return states[p]; }
    bool empty(std::uint32_t c) const { return contents[c].blocks.empty(); }
    std::uint32_t head(std::uint32_t c) const { return contents[c].blocks[0].message; }
    MayMust holds(std::uint32_t c, const std::vector<std::uint32_t>& word) const;
    MayMust contains(std::uint32_t c, std::uint32_t message) const;
    MayMust listed(const ListedConfigurations&) const { return {true, false}; }
};

void send(Blocks& content, std::uint32_t message, BlockSize size);
// Everything that may be left when the head is taken.
std::vector<Blocks> receive(const Blocks& content, BlockSize size);

// The abstract calm runs from some configurations, as far as they matter: what follows only configurations from which
// the goal may be reached is not explored.
class AbstractGraph {
  public:
    AbstractGraph(const Rules& rules, const Goal& goal, BlockSize size, Monitor& monitor)
        : rules_(rules), goal_(goal), size_(size), monitor_(monitor) {}

    std::uint32_t add_start(const AbstractView& at);
    // Finds from which starts the goal may be reached; what a limit cuts off may reach it. False: a limit was hit.
    bool explore(std::uint32_t most);
    bool reaches_goal(std::uint32_t id) const { return reaches_[id]; }
    std::size_t size() const { return codes_.size(); }
    const std::u16string& code(std::size_t id) const { return *codes_[id]; }

  private:
    const Rules& rules_;
    const Goal& goal_;
    const BlockSize size_;
    Monitor& monitor_;
    std::unordered_map<std::u16string, std::uint32_t> numbers_;
    std::vector<const std::u16string*> codes_;
    std::vector<std::vector<std::uint32_t>> before_;
    std::vector<std::uint8_t> reaches_, queued_, start_;
    std::vector<std::uint32_t> queue_;
    std::uint32_t open_starts_ = 0;  // those that are not known to reach the goal

    std::uint32_t add(const AbstractView& at);
    void connect(std::uint32_t from, std::uint32_t to);
    void mark(std::uint32_t id);
    bool matters(std::uint32_t id) const;
    AbstractView decode(const std::u16string& code) const;
    void expand(std::uint32_t id, AbstractView at);
    void step(std::uint32_t from, AbstractView& at, const Transition& t);
};

template <class Cell>
class BlockProver {
  public:
    BlockProver(const Rules& rules, const Layout& layout, const Store<Cell>& store, const Goal& goal, BlockSize size,
                Monitor& monitor)
        : rules_(rules), layout_(layout), store_(store), size_(size), graph_(rules, goal, size, monitor) {}

    // Those from which no calm run leads to the goal, as far as this abstraction sees within `most` configurations;
    // `whole` says whether a larger limit could give more.
    std::vector<std::uint32_t> prove(const std::vector<std::uint32_t>& hopeless, std::uint32_t most, bool& whole) {
        std::vector<std::uint32_t> numbers, proved;
        for (auto id : hopeless) {
            if (graph_.size() > most / 2) break;
            numbers.push_back(graph_.add_start(abstract(store_.row(id))));
        }
        whole = graph_.explore(most) && numbers.size() == hopeless.size();
        for (std::size_t i = 0; i < numbers.size(); ++i)
            if (!graph_.reaches_goal(numbers[i])) proved.push_back(hopeless[i]);
        return proved;
    }

    // All abstract configurations of calm runs from here, for a configuration that was proved.
    Certified certify(std::uint32_t id, std::uint32_t most) {
        Certified out;
        const std::uint32_t start = graph_.add_start(abstract(store_.row(id)));
        out.too_large = !graph_.explore(most) || graph_.reaches_goal(start);
        for (std::size_t i = 0; i < graph_.size() && !out.too_large; ++i)
            out.codes.insert(out.codes.end(), graph_.code(i).begin(), graph_.code(i).end());
        return out;
    }

  private:
    const Rules& rules_;
    const Layout& layout_;
    const Store<Cell>& store_;
    const BlockSize size_;
    AbstractGraph graph_;

    AbstractView abstract(const Cell* row) const {
        const RowView<Cell> view{layout_, row};
        AbstractView out{size_, {}, {}};
        for (std::uint32_t p = 0; p < rules_.system.processes.size(); ++p) out.states.push_back(view.state(p));
        for (std::uint32_t c = 0; c < rules_.system.channels.size(); ++c) {
            out.contents.emplace_back();
            for (std::uint32_t i = 0; i < view.length(c); ++i) send(out.contents.back(), view.word(c)[i], size_);
        }
        return out;
    }
};
extern template class BlockProver<std::uint8_t>;
extern template class BlockProver<std::uint16_t>;

// Tries every abstraction with little effort, on the first few configurations, before any with more.
template <class Cell>
std::vector<std::uint32_t> prove_by_blocks(const Rules& rules, const Layout& layout, const Store<Cell>& store,
                                           const Goal& goal, const std::vector<std::uint32_t>& hopeless,
                                           std::uint32_t most, Monitor& monitor, BlockSize& size) {
    const std::vector<BlockSize>& ladder = rules.question.ladder;
    std::vector<std::uint8_t> done(ladder.size(), false);
    for (const std::uint32_t share : {32, 4, 1}) {
        std::vector<std::uint32_t> chosen = hopeless;
        if (share > 1) chosen.resize(std::min<std::size_t>(hopeless.size(), 256 / share));
        for (std::size_t i = 0; i < ladder.size(); ++i) {
            if (done[i] || monitor.over() != Stop::none) continue;
            bool whole = false;
            size = ladder[i];
            auto proved = BlockProver<Cell>(rules, layout, store, goal, size, monitor).prove(chosen, most / share, whole);
            if (!proved.empty()) return proved;
            done[i] = whole && chosen.size() == hopeless.size();
        }
    }
    return {};
}

}  // namespace stormproof::survival
