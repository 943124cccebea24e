// Does a channel's content meet a demand, now or after faults?
#pragma once

#include <algorithm>

#include "questions/coverability.hpp"

namespace stormproof {

// May faults alone turn this content into one that meets a demand? `accepted` (deadlock): the messages that the
// receiver accepts now; then none of them may ever come to the head.
class DemandCheck {
  public:
    DemandCheck(const System& system, std::uint32_t c, ChannelForm form, const Text& content, bool crash)
        : channel_(system.channels[c]), faults_(channel_.faults), form_(form), content_(content), crash_(crash) {}

    // The same for a summarised content: true when some content that it stands for may satisfy the demand.
    bool may_satisfy(const ChannelDemand* demand, const std::vector<std::uint8_t>* accepted, std::uint32_t k) {
        if (!summarised(k)) return satisfies(demand, accepted);
        accepted_ = accepted;
        if (demand && demand->crash && *demand->crash != crash_) return false;
        if (accepted && crash_ && (*accepted)[crash_message] && faults_.may_vanish()) return false;
        if (demand) {
            for (auto m : demand->messages)
                if (!available(m)) return false;
            if (demand->exact && !faults_.may_vanish() && !may_be_exactly(demand->messages, k)) return false;
            if (demand->head && !head_available(*demand->head)) return false;
        }
        return !accepted || faults_.may_vanish() || may_be_blocked();
    }

    bool satisfies(const ChannelDemand* demand, const std::vector<std::uint8_t>* accepted) {
        accepted_ = accepted;
        if (demand && demand->crash && *demand->crash != crash_) return false;
        if (accepted && crash_ && (*accepted)[crash_message] && !keeps_crash_back(demand)) return false;
        if (form_ == ChannelForm::length) return count_satisfies(demand);
        if (demand && demand->exact) return exact(demand->messages);
        wanted_ = demand ? demand->messages : Text();
        used_.assign(content_.size(), 0);
        outcome_.assign(content_.size(), 0);
        if (demand && demand->head) return with_head(*demand->head);
        return place(0, 0);
    }

  private:
    bool summarised(std::uint32_t k) const {
        if (form_ == ChannelForm::queue) return content_.find(behind) != Text::npos;
        if (form_ == ChannelForm::length) return content_.size() >= k;
        for (auto m : content_)
            if (static_cast<std::uint32_t>(std::count(content_.begin(), content_.end(), m)) >= k) return true;
        return false;
    }

    bool available(char16_t wanted) const {
        if (form_ == ChannelForm::length)
            return std::find(channel_.pool.begin(), channel_.pool.end(), wanted) != channel_.pool.end();
        return std::any_of(content_.begin(), content_.end(),
                           [&](auto m) { return m != behind && faults_.may_become(m, wanted); });
    }

    // A summary without loss stands for k messages or more, and the demand must contain each of them.
    bool may_be_exactly(const Text& wanted, std::uint32_t k) const {
        if (wanted.size() < k) return false;
        if (form_ == ChannelForm::length || faults_.may_change()) return true;
        return std::all_of(content_.begin(), content_.end(),
                           [&](auto m) { return m == behind || wanted.find(m) != Text::npos; });
    }

    bool head_available(char16_t head) const {
        if (form_ == ChannelForm::queue && !faults_.may_vanish()) return faults_.may_become(content_.front(), head);
        return available(head);
    }

    // Without loss: can what may come to the head be something that is not accepted?
    bool may_be_blocked() const {
        if (form_ == ChannelForm::queue) return may_become_inert(content_.front());
        if (form_ == ChannelForm::multiset)
            return std::all_of(content_.begin(), content_.end(), [&](auto m) { return may_become_inert(m); });
        return std::none_of(channel_.pool.begin(), channel_.pool.end(), [&](auto m) { return (*accepted_)[m]; });
    }

    // The crash message must not come to the head, so something must stay ahead of it.
    bool keeps_crash_back(const ChannelDemand* demand) const {
        if (faults_.may_vanish()) return false;
        return !(demand && demand->exact ? demand->messages.empty() : content_.empty());
    }

    bool count_satisfies(const ChannelDemand* demand) const {
        Text wanted = demand ? demand->messages : Text();
        if (demand && demand->head && wanted.find(*demand->head) == Text::npos) wanted.push_back(*demand->head);
        for (auto m : wanted)
            if (std::find(channel_.pool.begin(), channel_.pool.end(), m) == channel_.pool.end()) return false;
        if (wanted.size() > content_.size()) return false;
        bool same = wanted.size() == content_.size() || faults_.may_vanish();
        if (demand && demand->exact && !same) return false;
        if (accepted_ && std::any_of(channel_.pool.begin(), channel_.pool.end(), [&](auto m) { return (*accepted_)[m]; }))
            return wanted.empty() && same;
        return true;
    }

    // Can neither this message nor anything it may become be accepted?
    bool inert(std::uint32_t m) const {
        if (!accepted_) return true;
        if ((*accepted_)[m]) return false;
        for (auto other : faults_.becomes[m])
            if ((*accepted_)[other]) return false;
        return true;
    }

    bool may_become_inert(std::uint32_t m) const {
        if (inert(m)) return true;
        for (auto other : faults_.becomes[m])
            if (inert(other)) return true;
        return false;
    }

    bool exact(const Text& target) {
        if (target.size() > content_.size() || (target.size() < content_.size() && !faults_.may_vanish())) return false;
        for (std::size_t i = 0; i < target.size(); ++i)
            if ((i == 0 || faults_.may_vanish() || faults_.may_overtake()) && !inert(target[i])) return false;
        if (!faults_.may_overtake()) {
            std::size_t j = 0;
            for (auto m : content_)
                if (j < target.size() && faults_.may_become(m, target[j])) ++j;
            return j == target.size();
        }
        used_.assign(content_.size(), 0);
        return assign(target, 0);
    }

    bool assign(const Text& target, std::size_t j) {
        if (j == target.size()) return true;
        for (std::size_t i = 0; i < content_.size(); ++i) {
            if (used_[i] || !faults_.may_become(content_[i], target[j])) continue;
            used_[i] = 1;
            if (assign(target, j + 1)) return true;
            used_[i] = 0;
        }
        return false;
    }

    bool with_head(char16_t head) {
        auto at = wanted_.find(head);
        if (at != Text::npos) wanted_.erase(at, 1);
        for (std::size_t i = 0; i < content_.size(); ++i) {
            if (i > 0 && !faults_.may_vanish() && !faults_.may_overtake()) break;
            if (!faults_.may_become(content_[i], head)) continue;
            used_[i] = 1;
            outcome_[i] = head;
            if (place(0, faults_.may_overtake() ? 0 : i)) return true;
            used_[i] = 0;
        }
        return false;
    }

    bool place(std::size_t j, std::size_t from) {
        if (j == wanted_.size()) return blocked();
        for (std::size_t i = from; i < content_.size(); ++i) {
            if (used_[i] || !faults_.may_become(content_[i], wanted_[j])) continue;
            used_[i] = 1;
            outcome_[i] = wanted_[j];
            if (place(j + 1, from)) return true;
            used_[i] = 0;
        }
        return false;
    }

    bool blocked() const {
        if (!accepted_) return true;
        for (std::size_t i = 0; i < content_.size(); ++i) {
            if (!faults_.may_vanish() && !faults_.may_overtake() && i > 0) break;
            if (used_[i] ? !inert(outcome_[i]) : (!faults_.may_vanish() && !may_become_inert(content_[i]))) return false;
        }
        return true;
    }

    const Channel& channel_;
    const ChannelFaults& faults_;
    ChannelForm form_;
    const Text& content_;
    bool crash_;
    const std::vector<std::uint8_t>* accepted_ = nullptr;
    Text wanted_, outcome_;
    std::vector<std::uint8_t> used_;
};

}  // namespace stormproof
