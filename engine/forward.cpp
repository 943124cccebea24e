// Forward search with at most k messages a channel. Interference is lazy: a channel keeps what was sent, and a
// reception takes any message that the channel's faults can bring to its head. So the search sees one
// configuration where the definition has all that silent steps may make of it.
#include <algorithm>
#include <deque>
#include <unordered_map>

#include "asked.hpp"
#include "cover.hpp"

namespace stormproof {

namespace {

struct Node {
    const Text* key;
    std::uint32_t parent;
    Via via;
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
            out_.longest[c] = std::max(out_.longest[c], static_cast<std::uint32_t>(
                at.contents[c].size() + at.control[system_.processes.size() + c]));
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
        if (cube.deadlock && !waits_for_good(at, accepted)) return false;
        if (cube.stuck) receptions(at, accepted);
        std::vector<const ChannelGoal*> goals(system_.channels.size(), nullptr);
        for (const auto& goal : cube.channels) goals[goal.channel] = &goal;
        for (std::uint32_t c = 0; c < goals.size(); ++c) {
            const auto* taken = cube.deadlock && !accepted[c].empty() ? &accepted[c] : nullptr;
            const auto* heads = cube.stuck && !accepted[c].empty() ? &accepted[c] : nullptr;
            if (!goals[c] && !taken && !heads) continue;
            Asked asked(system_, c, shapes_[c], at.contents[c], at.control[processes + c] != 0);
            if (heads) {
                if (!untaken(asked, c, goals[c], *heads, taken)) return false;
            } else if (!(summarise_ ? asked.may_satisfy(goals[c], taken, k_) : asked.satisfies(goals[c], taken))) return false;
        }
        return true;
    }

    // Is what is asked of the channel met with a head that is not taken, or with no message at all?
    bool untaken(Asked& asked, std::uint32_t c, const ChannelGoal* goal, const std::vector<std::uint8_t>& heads,
                 const std::vector<std::uint8_t>* taken) const {
        const auto meets = [&](const ChannelGoal& g) {
            return summarise_ ? asked.may_satisfy(&g, taken, k_) : asked.satisfies(&g, taken);
        };
        ChannelGoal wanted = goal ? *goal : ChannelGoal{};
        wanted.channel = c;
        if (wanted.exact) {
            const bool crash = wanted.word.empty() && wanted.mark == 1;
            const bool is_taken = crash ? heads[crash_message] : !wanted.word.empty() && heads[wanted.word.front()];
            return !is_taken && meets(wanted);
        }
        if (wanted.has_head) return !heads[wanted.head] && meets(wanted);
        if (wanted.word.empty()) {
            for (int mark : {0, 1}) {
                if ((wanted.mark >= 0 && wanted.mark != mark) || (mark && heads[crash_message])) continue;
                if (meets({c, mark, true, {}, false, 0})) return true;
            }
        }
        wanted.has_head = true;
        for (std::uint32_t m = 0; m < system_.messages; ++m) {
            if (m == crash_message || heads[m]) continue;
            wanted.head = static_cast<char16_t>(m);
            if (meets(wanted)) return true;
        }
        return false;
    }

    // What each channel's receiver takes now.
    void receptions(const Configuration& at, std::vector<std::vector<std::uint8_t>>& accepted) const {
        accepted.resize(system_.channels.size());
        for (std::size_t p = 0; p < system_.processes.size(); ++p)
            for (auto t : outgoing_[p][at.control[p]]) {
                const auto& step = system_.processes[p].transitions[t];
                if (step.kind != Kind::receive) continue;
                accepted[step.channel].resize(system_.messages, 0);
                accepted[step.channel][step.message] = 1;
            }
    }

    // Nobody can send or act internally, and somebody waits to receive; `accepted` tells for what.
    bool waits_for_good(const Configuration& at, std::vector<std::vector<std::uint8_t>>& accepted) const {
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
            if (channel.duplicate) {
                Configuration same = at;
                if (shape == Shape::word) same.contents[step.channel].erase(0, i);
                visit(same, id, {p, t, step.channel, i, kept});
            }
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
