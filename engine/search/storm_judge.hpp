// Judges what parts have explored (storm_part.hpp), in the process that asks: the runs to violations, and the calm futures of
// configurations from which no calm run within k leads to a goal.
#pragma once

#include <memory>

#include "questions/survival_judge.hpp"
#include "search/storm_part.hpp"

namespace stormproof::survival {

// The parts, wherever they are.
class StormParts {
  public:
    struct Stage {
        std::string words;
        LayerKey layer = 0;
        std::uint32_t process = 0;  // of the action that leads there
    };
    virtual ~StormParts() = default;
    // The configurations of a run to one that belongs to this part, the last one first.
    virtual std::vector<Stage> run_to(std::uint32_t part, const std::string& words) = 0;
    // StormPart::masks, and StormPart::full, of each part.
    virtual std::vector<std::string> masks(const std::vector<std::string>& rows) = 0;
    virtual std::vector<std::string> full(LayerKey until, std::uint64_t most) = 0;
};

class StormJudge : Judge<StormRows::Cell> {
  public:
    StormJudge(const System& system, const Question& question, Monitor& monitor, std::uint32_t parts)
        : StormJudge(std::make_unique<StormRows>(system, question), monitor, parts) {}

    // The asks that no violation was found for, a bit each.
    std::uint32_t open() const { return always_ | never_; }
    Stop stop() const { return result_.stop; }

    // Takes over what all parts have found in a layer.
    void add_layer(StormParts& parts, LayerKey layer, bool hit, const std::vector<StormPart::Found>& found);
    // Is there memory for so many incomplete configurations? Otherwise that limit is hit.
    bool make_room(std::uint64_t rows);
    // Judges a number of faults, once all its layers are explored. For each part what it listed as incomplete, and the masks
    // of that in the same order; `elsewhere`: how many configurations all parts have.
    std::vector<std::string> judge(StormParts& parts, std::uint32_t level, const std::vector<std::string>& incomplete,
                                   std::uint64_t elsewhere);
    // `finished`: no limit has ended the exploration.
    Result conclude(bool finished, std::uint64_t configurations, std::uint64_t stored);

  private:
    using Cell = StormRows::Cell;
    // Asked elsewhere: a bit of Node::flags beside those of row_store.hpp.
    static constexpr std::uint8_t asked = 64;
    // What is incomplete, and where it was listed.
    struct Left {
        std::uint32_t actions = 0;
        std::vector<std::uint64_t> words;
        std::uint32_t mask = 0, part = 0;
        std::size_t place = 0;
    };

    const std::unique_ptr<StormRows> rows_;
    const std::uint32_t parts_;
    StormParts* where_ = nullptr;  // while a call is on its way
    std::uint64_t elsewhere_ = 0;
    std::uint32_t since_check_ = 0;

    StormJudge(std::unique_ptr<StormRows> rows, Monitor& monitor, std::uint32_t parts)
        : Judge<Cell>(rows->system, rows->question, monitor), rows_(std::move(rows)), parts_(parts) {}

    bool over() override;
    void add_run_to(std::uint32_t id) override;
    void learn_elsewhere(const std::vector<std::uint32_t>& ids) override;

    void show(std::uint32_t ask, const std::vector<std::uint64_t>& words, LayerKey layer);
    void fill_full(LayerKey until);
    std::vector<Left> sorted(const std::vector<std::string>& incomplete) const;
    std::uint32_t node_of(const std::vector<std::uint64_t>& words, LayerKey layer);
    std::vector<std::uint64_t> words_of(const char* data) const;
    std::vector<std::uint64_t> words_of(std::uint32_t id) const;
    std::uint32_t owner(const std::vector<std::uint64_t>& words) const;
    std::string text(const std::vector<std::uint64_t>& words) const;
};

}  // namespace stormproof::survival
