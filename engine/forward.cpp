// Forward search with at most k messages a channel. Interference is lazy: a channel keeps what was sent, and a
// reception takes any message that the channel's faults can bring to its head. So the search sees one
// configuration where the definition has all that silent steps may make of it.
#include <algorithm>
#include <deque>
#include <unordered_map>

#include "cover.hpp"

namespace stormproof {

namespace {

struct Node {
    const Text* key;
    std::uint32_t parent;
    Via via;
};

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

class Forward {
  public:
    Forward(const System& system, const std::vector<Shape>& shapes, const std::vector<Cube>& goal, std::uint32_t k,
            bool summarise, std::uint64_t most, Monitor& monitor)
        : system_(system), shapes_(shapes), goal_(goal), k_(k), summarise_(summarise), most_(most), monitor_(monitor) {
        outgoing_.resize(system.processes.size());
        for (std::size_t p = 0; p < system.processes.size(); ++p) {
            outgoing_[p].resize(system.processes[p].states);
            for (std::uint32_t t = 0; t < system.processes[p].transitions.size(); ++t)
                outgoing_[p][system.processes[p].transitions[t].source].push_back(t);
        }
        out_.longest.assign(system.channels.size(), 0);
    }

    ForwardResult run() {
        Configuration start;
        for (const auto& process : system_.processes) start.control.push_back(static_cast<char16_t>(process.initial));
        start.control.append(system_.channels.size(), 0);
        start.contents.resize(system_.channels.size());
        visit(start, nobody, {});
        for (std::uint32_t at = 0; at < nodes_.size() && !out_.found; ++at) {
            if ((at & 255) == 0 && stopped(at)) break;
            expand(at);
        }
        out_.states = nodes_.size();
        out_.saturated = !out_.found && !cut_ && out_.stop == Stop::none;
        if (out_.saturated)
            for (const auto& node : nodes_) out_.configurations.push_back(unpack(*node.key));
        return std::move(out_);
    }

  private:
    bool stopped(std::uint32_t at) {
        monitor_.states = nodes_.size();
        monitor_.frontier = nodes_.size() - at;
        monitor_.memory = bytes_;
        out_.stop = monitor_.over();
        if (out_.stop == Stop::none && most_ && nodes_.size() > most_) out_.stop = Stop::states;
        return out_.stop != Stop::none;
    }

    Text pack(const Configuration& at) const {
        Text key = at.control;
        for (const auto& word : at.contents) {
            key.push_back(static_cast<char16_t>(word.size()));
            key += word;
        }
        return key;
    }

    Configuration unpack(const Text& key) const {
        Configuration at;
        std::size_t i = system_.processes.size() + system_.channels.size();
        at.control = key.substr(0, i);
        for (std::size_t c = 0; c < system_.channels.size(); ++c) {
            std::size_t n = key[i++];
            at.contents.push_back(key.substr(i, n));
            i += n;
        }
        return at;
    }

    void visit(const Configuration& at, std::uint32_t parent, Via via) {
        if (out_.found) return;
        auto [place, fresh] = ids_.emplace(pack(at), static_cast<std::uint32_t>(nodes_.size()));
        if (!fresh) return;
        nodes_.push_back({&place->first, parent, via});
        bytes_ += sizeof(Node) + 2 * place->first.size() + 96;
        for (std::size_t c = 0; c < at.contents.size(); ++c)
            out_.longest[c] = std::max(out_.longest[c], static_cast<std::uint32_t>(at.contents[c].size()));
        for (std::uint32_t i = 0; i < goal_.size(); ++i)
            if (satisfies(at, goal_[i])) return found(static_cast<std::uint32_t>(nodes_.size()) - 1, i);
    }

    void found(std::uint32_t at, std::uint32_t cube) {
        out_.found = true;
        out_.cube = cube;
        for (; at != nobody; at = nodes_[at].parent) {
            out_.configurations.push_back(unpack(*nodes_[at].key));
            if (nodes_[at].parent != nobody) out_.steps.push_back(nodes_[at].via);
        }
        std::reverse(out_.configurations.begin(), out_.configurations.end());
        std::reverse(out_.steps.begin(), out_.steps.end());
    }

    bool satisfies(const Configuration& at, const Cube& cube) const {
        const auto processes = system_.processes.size();
        for (std::size_t p = 0; p < processes; ++p)
            if (!cube.states[p].empty() && !cube.states[p][at.control[p]]) return false;
        std::vector<std::vector<std::uint8_t>> accepted;
        if (cube.deadlock && !stuck(at, accepted)) return false;
        std::vector<const ChannelGoal*> goals(system_.channels.size(), nullptr);
        for (const auto& goal : cube.channels) goals[goal.channel] = &goal;
        for (std::uint32_t c = 0; c < goals.size(); ++c) {
            const auto* taken = cube.deadlock && !accepted[c].empty() ? &accepted[c] : nullptr;
            if (!goals[c] && !taken) continue;
            Asked asked(system_, c, shapes_[c], at.contents[c], at.control[processes + c] != 0);
            if (!(summarise_ ? asked.may_satisfy(goals[c], taken, k_) : asked.satisfies(goals[c], taken))) return false;
        }
        return true;
    }

    // Nobody can send or act internally, and somebody waits to receive; `accepted` tells for what.
    bool stuck(const Configuration& at, std::vector<std::vector<std::uint8_t>>& accepted) const {
        accepted.resize(system_.channels.size());
        bool waits = false;
        for (std::size_t p = 0; p < system_.processes.size(); ++p)
            for (auto t : outgoing_[p][at.control[p]]) {
                const auto& step = system_.processes[p].transitions[t];
                if (step.kind != Kind::receive) return false;
                waits = true;
                accepted[step.channel].resize(system_.messages, 0);
                accepted[step.channel][step.message] = 1;
            }
        return waits;
    }

    void expand(std::uint32_t id) {
        const Configuration at = unpack(*nodes_[id].key);
        for (std::uint32_t p = 0; p < system_.processes.size(); ++p)
            for (auto t : outgoing_[p][at.control[p]]) {
                const auto& step = system_.processes[p].transitions[t];
                Configuration next = at;
                next.control[p] = static_cast<char16_t>(step.target);
                if (step.kind == Kind::internal) visit(next, id, {p, t, no_channel, 0, 0});
                else if (step.kind == Kind::send) send(id, next, p, t, step);
                else receive(id, next, p, t, step);
                if (out_.found) return;
            }
    }

    void send(std::uint32_t id, Configuration& next, std::uint32_t p, std::uint32_t t, const Transition& step) {
        auto& word = next.contents[step.channel];
        Via via{p, t, step.channel, 0, 0};
        if (step.message == crash_message) {
            next.control[system_.processes.size() + step.channel] = 1;
        } else if (summarise_ && summary_holds(step, word)) {
            // nothing more is kept
        } else if (word.size() >= k_ && !(summarise_ && shapes_[step.channel] == Shape::bag)) {
            cut_ = true;
            if (!system_.channels[step.channel].loss) return;
            via.choice = 1;  // lost at once
        } else if (shapes_[step.channel] == Shape::count) {
            word.push_back(static_cast<char16_t>(system_.channels[step.channel].pool.front()));
        } else {
            auto message = static_cast<char16_t>(step.message);
            bool bag = shapes_[step.channel] == Shape::bag;
            word.insert(bag ? std::lower_bound(word.begin(), word.end(), message) : word.end(), message);
        }
        visit(next, id, via);
    }

    // Into a full summary: a counter stays, a message goes behind a word. False when there is room.
    bool summary_holds(const Transition& step, Text& word) const {
        auto message = static_cast<char16_t>(step.message);
        if (shapes_[step.channel] == Shape::count) return word.size() >= k_;
        if (shapes_[step.channel] == Shape::bag)
            return static_cast<std::uint32_t>(std::count(word.begin(), word.end(), message)) >= k_;
        auto bar = word.find(behind);
        if (bar == Text::npos) {
            if (word.size() < k_) return false;
            word.push_back(behind);
            bar = word.size() - 1;
        }
        auto at = std::lower_bound(word.begin() + bar + 1, word.end(), message);
        if (at == word.end() || *at != message) word.insert(at, message);
        return true;
    }

    // What a summarised content may be once the message at `i` is taken from it.
    void take_from_summary(std::uint32_t id, const Configuration& at, std::uint32_t p, std::uint32_t t,
                           const Transition& step, std::uint32_t i) {
        const auto& word = at.contents[step.channel];
        Via via{p, t, step.channel, i, 0};
        Configuration next = at;
        auto& left = next.contents[step.channel];
        if (shapes_[step.channel] != Shape::word) {
            if (static_cast<std::uint32_t>(std::count(word.begin(), word.end(), word[i])) >= k_) visit(next, id, via);
            left.erase(i, 1);
            return visit(next, id, via);
        }
        auto bar = word.find(behind);
        if (system_.channels[step.channel].loss) {
            left.erase(0, i > bar ? bar : i + 1);
            return visit(next, id, via);
        }
        Text first = word.substr(1, bar == Text::npos ? Text::npos : bar - 1);
        Text rest = bar == Text::npos ? Text() : word.substr(bar + 1);
        if (rest.empty()) {
            left = first;
            return visit(next, id, via);
        }
        for (std::size_t j = 0; j < rest.size(); ++j) {
            left = first + rest[j] + Text(1, behind) + rest;
            visit(next, id, via);
            Text fewer = rest;
            fewer.erase(j, 1);
            left = first + rest[j] + (fewer.empty() ? Text() : Text(1, behind) + fewer);
            visit(next, id, via);
        }
    }

    void receive(std::uint32_t id, const Configuration& at, std::uint32_t p, std::uint32_t t, const Transition& step) {
        const auto& channel = system_.channels[step.channel];
        const auto& word = at.contents[step.channel];
        if (step.message == crash_message) {
            auto mark = system_.processes.size() + step.channel;
            if (!at.control[mark] || (!word.empty() && !channel.loss)) return;
            Configuration next = at;
            next.control[mark] = 0;
            next.contents[step.channel].clear();
            return visit(next, id, {p, t, step.channel, 0, 0});
        }
        Shape shape = shapes_[step.channel];
        for (std::uint32_t i = 0; i < word.size(); ++i) {
            if (summarise_) {
                if (word[i] == behind) continue;
                if (shape == Shape::count || may_become(channel, word[i], step.message))
                    take_from_summary(id, at, p, t, step, i);
                if (shape == Shape::count || (shape == Shape::word && !channel.loss)) return;
                continue;
            }
            if (shape != Shape::count && !may_become(channel, word[i], step.message)) {
                if (shape == Shape::word && !channel.loss) return;
                continue;
            }
            if (shape == Shape::bag && i > 0 && word[i] == word[i - 1]) continue;
            Configuration next = at;
            next.contents[step.channel].erase(shape == Shape::word ? 0 : i, shape == Shape::word ? i + 1 : 1);
            visit(next, id, {p, t, step.channel, i, 0});
            if (shape != Shape::bag) return;  // what is left after the first fit has all later ones below it
        }
    }

    const System& system_;
    const std::vector<Shape>& shapes_;
    const std::vector<Cube>& goal_;
    std::uint32_t k_;
    bool summarise_;
    std::uint64_t most_;
    Monitor& monitor_;
    std::vector<std::vector<std::vector<std::uint32_t>>> outgoing_;
    std::unordered_map<Text, std::uint32_t> ids_;
    std::vector<Node> nodes_;
    std::uint64_t bytes_ = 0;
    bool cut_ = false;
    ForwardResult out_;
};

}  // namespace

ForwardResult forward(const System& system, const std::vector<Shape>& shapes, const std::vector<Cube>& goal,
                      std::uint32_t k, bool summarise, std::uint64_t most, Monitor& monitor) {
    return Forward(system, shapes, goal, k, summarise, most, monitor).run();
}

}  // namespace stormproof
