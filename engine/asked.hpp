// Does a channel's content meet what a goal asks of it, now or after faults?
#pragma once

#include <algorithm>

#include "cover.hpp"

namespace stormproof {

// May faults alone bring this channel's content to what is asked? `accepted` (deadlock): the messages that the
// receiver takes now; then nothing of them may ever come to the head.
class Asked {
  public:
    Asked(const System& system, std::uint32_t c, Shape shape, const Text& word, bool mark)
        : channel_(system.channels[c]), shape_(shape), word_(word), mark_(mark) {}

    // The same of a summarised content: yes when some content that it stands for may satisfy the goal.
    bool may_satisfy(const ChannelGoal* goal, const std::vector<std::uint8_t>* accepted, std::uint32_t k) {
        if (!summarised(k)) return satisfies(goal, accepted);
        accepted_ = accepted;
        if (goal && goal->mark >= 0 && goal->mark != (mark_ ? 1 : 0)) return false;
        if (accepted && mark_ && (*accepted)[crash_message] && channel_.loss) return false;
        if (goal) {
            for (auto m : goal->word)
                if (!available(m)) return false;
            if (goal->exact && !channel_.loss && !may_be_exactly(goal->word, k)) return false;
            if (goal->has_head && !head_available(goal->head)) return false;
        }
        return !accepted || channel_.loss || may_be_blocked();
    }

    bool satisfies(const ChannelGoal* goal, const std::vector<std::uint8_t>* accepted) {
        accepted_ = accepted;
        if (goal && goal->mark >= 0 && goal->mark != (mark_ ? 1 : 0)) return false;
        if (accepted && mark_ && (*accepted)[crash_message] && !keeps_mark_back(goal)) return false;
        if (shape_ == Shape::count) return count_satisfies(goal);
        if (goal && goal->exact) return exact(goal->word);
        wanted_ = goal ? goal->word : Text();
        used_.assign(word_.size(), 0);
        outcome_.assign(word_.size(), 0);
        if (goal && goal->has_head) return with_head(goal->head);
        return place(0, 0);
    }

  private:
    bool summarised(std::uint32_t k) const {
        if (shape_ == Shape::word) return word_.find(behind) != Text::npos;
        if (shape_ == Shape::count) return word_.size() >= k;
        for (auto m : word_)
            if (static_cast<std::uint32_t>(std::count(word_.begin(), word_.end(), m)) >= k) return true;
        return false;
    }

    bool available(char16_t wanted) const {
        if (shape_ == Shape::count)
            return std::find(channel_.pool.begin(), channel_.pool.end(), wanted) != channel_.pool.end();
        return std::any_of(word_.begin(), word_.end(),
                           [&](auto m) { return m != behind && may_become(channel_, m, wanted); });
    }

    // A summary without loss stands for k messages or more, each of which must be asked for.
    bool may_be_exactly(const Text& wanted, std::uint32_t k) const {
        if (wanted.size() < k) return false;
        if (shape_ == Shape::count || channel_.corrupt()) return true;
        return std::all_of(word_.begin(), word_.end(),
                           [&](auto m) { return m == behind || wanted.find(m) != Text::npos; });
    }

    bool head_available(char16_t head) const {
        if (shape_ == Shape::word && !channel_.loss) return may_become(channel_, word_.front(), head);
        return available(head);
    }

    // Without loss: can what may come to the head be something that is not taken?
    bool may_be_blocked() const {
        if (shape_ == Shape::word) return may_turn_inert(word_.front());
        if (shape_ == Shape::bag)
            return std::all_of(word_.begin(), word_.end(), [&](auto m) { return may_turn_inert(m); });
        return std::none_of(channel_.pool.begin(), channel_.pool.end(), [&](auto m) { return (*accepted_)[m]; });
    }

    bool reorder() const { return channel_.reorder; }

    // The crash message must not come to the head, so something must stay before it.
    bool keeps_mark_back(const ChannelGoal* goal) const {
        if (channel_.loss) return false;
        return !(goal && goal->exact ? goal->word.empty() : word_.empty());
    }

    bool count_satisfies(const ChannelGoal* goal) const {
        Text wanted = goal ? goal->word : Text();
        if (goal && goal->has_head && wanted.find(goal->head) == Text::npos) wanted.push_back(goal->head);
        for (auto m : wanted)
            if (std::find(channel_.pool.begin(), channel_.pool.end(), m) == channel_.pool.end()) return false;
        if (wanted.size() > word_.size()) return false;
        bool same = wanted.size() == word_.size() || channel_.loss;
        if (goal && goal->exact && !same) return false;
        if (accepted_ && std::any_of(channel_.pool.begin(), channel_.pool.end(), [&](auto m) { return (*accepted_)[m]; }))
            return wanted.empty() && same;
        return true;
    }

    // Can this letter, or anything it may become, be taken?
    bool inert(std::uint32_t m) const {
        if (!accepted_) return true;
        if ((*accepted_)[m]) return false;
        for (auto other : channel_.becomes[m])
            if ((*accepted_)[other]) return false;
        return true;
    }

    bool may_turn_inert(std::uint32_t m) const {
        if (inert(m)) return true;
        for (auto other : channel_.becomes[m])
            if (inert(other)) return true;
        return false;
    }

    bool exact(const Text& target) {
        if (target.size() > word_.size() || (target.size() < word_.size() && !channel_.loss)) return false;
        for (std::size_t i = 0; i < target.size(); ++i)
            if ((i == 0 || channel_.loss || reorder()) && !inert(target[i])) return false;
        if (!reorder()) {
            std::size_t j = 0;
            for (auto m : word_)
                if (j < target.size() && may_become(channel_, m, target[j])) ++j;
            return j == target.size();
        }
        used_.assign(word_.size(), 0);
        return assign(target, 0);
    }

    bool assign(const Text& target, std::size_t j) {
        if (j == target.size()) return true;
        for (std::size_t i = 0; i < word_.size(); ++i) {
            if (used_[i] || !may_become(channel_, word_[i], target[j])) continue;
            used_[i] = 1;
            if (assign(target, j + 1)) return true;
            used_[i] = 0;
        }
        return false;
    }

    bool with_head(char16_t head) {
        auto at = wanted_.find(head);
        if (at != Text::npos) wanted_.erase(at, 1);
        for (std::size_t i = 0; i < word_.size(); ++i) {
            if (i > 0 && !channel_.loss && !reorder()) break;
            if (!may_become(channel_, word_[i], head)) continue;
            used_[i] = 1;
            outcome_[i] = head;
            if (place(0, reorder() ? 0 : i)) return true;
            used_[i] = 0;
        }
        return false;
    }

    bool place(std::size_t j, std::size_t from) {
        if (j == wanted_.size()) return blocked();
        for (std::size_t i = from; i < word_.size(); ++i) {
            if (used_[i] || !may_become(channel_, word_[i], wanted_[j])) continue;
            used_[i] = 1;
            outcome_[i] = wanted_[j];
            if (place(j + 1, from)) return true;
            used_[i] = 0;
        }
        return false;
    }

    bool blocked() const {
        if (!accepted_) return true;
        for (std::size_t i = 0; i < word_.size(); ++i) {
            if (!channel_.loss && !reorder() && i > 0) break;
            if (used_[i] ? !inert(outcome_[i]) : (!channel_.loss && !may_turn_inert(word_[i]))) return false;
        }
        return true;
    }

    const Channel& channel_;
    Shape shape_;
    const Text& word_;
    bool mark_;
    const std::vector<std::uint8_t>* accepted_ = nullptr;
    Text wanted_, outcome_;
    std::vector<std::uint8_t> used_;
};

}  // namespace stormproof
