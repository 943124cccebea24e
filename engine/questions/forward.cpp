// Forward search with at most k messages per channel. Interference is applied lazily: a channel keeps what was
// sent, and a reception takes any message that the channel's faults can bring to its head. So the search stores
// one configuration where the definition has all that silent steps may make of it.
#include <algorithm>
#include <deque>
#include <unordered_map>

#include "questions/channel_demand.hpp"
#include "questions/coverability.hpp"

namespace stormproof {

namespace {

struct Node {
    const Text* key;
    std::uint32_t parent;
    TakenStep via;
};

class Forward {
  public:
    Forward(const System& system, const std::vector<ChannelForm>& forms, const std::vector<Cube>& goal, std::uint32_t k,
            bool summarise, std::optional<std::uint64_t> max_states, Monitor& monitor)
        : system_(system), forms_(forms), goal_(goal), k_(k), summarise_(summarise), max_states_(max_states), monitor_(monitor) {
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
        visit(start, none, {});
        for (std::uint32_t at = 0; at < nodes_.size() && !out_.found; ++at) {
            if (((at & 255) == 0 || monitor_.must_end()) && stopped(at)) break;
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
        if (out_.stop == Stop::none && max_states_ && nodes_.size() > *max_states_) out_.stop = Stop::states;
        return out_.stop != Stop::none;
    }

    Text pack(const Configuration& at) const {
        Text key = at.control;
        for (const auto& content : at.contents) {
            key.push_back(static_cast<char16_t>(content.size()));
            key += content;
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

    void visit(const Configuration& at, std::uint32_t parent, TakenStep via) {
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
        for (; at != none; at = nodes_[at].parent) {
            out_.configurations.push_back(unpack(*nodes_[at].key));
            if (nodes_[at].parent != none) out_.steps.push_back(nodes_[at].via);
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
        std::vector<const ChannelDemand*> demands(system_.channels.size(), nullptr);
        for (const auto& demand : cube.channels) demands[demand.channel] = &demand;
        for (std::uint32_t c = 0; c < demands.size(); ++c) {
            const auto* taken = cube.deadlock && !accepted[c].empty() ? &accepted[c] : nullptr;
            const auto* heads = cube.stuck && !accepted[c].empty() ? &accepted[c] : nullptr;
            if (!demands[c] && !taken && !heads) continue;
            DemandCheck check(system_, c, forms_[c], at.contents[c], at.control[processes + c] != 0);
            if (heads ? !untaken(check, c, demands[c], *heads, taken) : !meets(check, demands[c], taken)) return false;
        }
        return true;
    }

    bool meets(DemandCheck& check, const ChannelDemand* demand, const std::vector<std::uint8_t>* taken) const {
        return summarise_ ? check.may_satisfy(demand, taken, k_) : check.satisfies(demand, taken);
    }

    // Is the demand met with a head that is not accepted, or with no message at all?
    bool untaken(DemandCheck& check, std::uint32_t c, const ChannelDemand* demand,
                 const std::vector<std::uint8_t>& heads, const std::vector<std::uint8_t>* taken) const {
        ChannelDemand wanted = demand ? *demand : ChannelDemand{};
        wanted.channel = c;
        if (wanted.exact) {
            const bool crash = wanted.messages.empty() && wanted.crash == true;
            const bool is_taken = crash ? heads[crash_message]
                                        : !wanted.messages.empty() && heads[wanted.messages.front()];
            return !is_taken && meets(check, &wanted, taken);
        }
        if (wanted.head) return !heads[*wanted.head] && meets(check, &wanted, taken);
        if (wanted.messages.empty()) {
            for (bool crash : {false, true}) {
                if ((wanted.crash && *wanted.crash != crash) || (crash && heads[crash_message])) continue;
                const ChannelDemand empty{c, crash, true, {}, {}};
                if (meets(check, &empty, taken)) return true;
            }
        }
        for (std::uint32_t m = crash_message + 1; m < system_.messages; ++m) {
            if (heads[m]) continue;
            wanted.head = static_cast<char16_t>(m);
            if (meets(check, &wanted, taken)) return true;
        }
        return false;
    }

    // What each channel's receiver accepts now.
    void receptions(const Configuration& at, std::vector<std::vector<std::uint8_t>>& accepted) const {
        accepted.resize(system_.channels.size());
        for (std::size_t p = 0; p < system_.processes.size(); ++p)
            for (auto t : outgoing_[p][at.control[p]]) {
                const auto& transition = system_.processes[p].transitions[t];
                if (transition.kind != ActionKind::receive) continue;
                accepted[transition.channel].resize(system_.messages, 0);
                accepted[transition.channel][transition.message] = 1;
            }
    }

    // Nobody can send or act internally, and somebody waits to receive; `accepted` gets the messages that are waited for.
    bool waits_for_good(const Configuration& at, std::vector<std::vector<std::uint8_t>>& accepted) const {
        accepted.resize(system_.channels.size());
        bool waits = false;
        for (std::size_t p = 0; p < system_.processes.size(); ++p)
            for (auto t : outgoing_[p][at.control[p]]) {
                const auto& transition = system_.processes[p].transitions[t];
                if (transition.kind != ActionKind::receive) return false;
                waits = true;
                accepted[transition.channel].resize(system_.messages, 0);
                accepted[transition.channel][transition.message] = 1;
            }
        return waits;
    }

    void expand(std::uint32_t id) {
        const Configuration at = unpack(*nodes_[id].key);
        for (std::uint32_t p = 0; p < system_.processes.size(); ++p)
            for (auto t : outgoing_[p][at.control[p]]) {
                const auto& transition = system_.processes[p].transitions[t];
                Configuration next = at;
                next.control[p] = static_cast<char16_t>(transition.target);
                if (transition.kind == ActionKind::internal) visit(next, id, {p, t, none, 0, 0});
                else if (transition.kind == ActionKind::send) send(id, next, p, t, transition);
                else receive(id, next, p, t, transition);
                if (out_.found) return;
            }
    }

    void send(std::uint32_t id, Configuration& next, std::uint32_t p, std::uint32_t t, const Transition& transition) {
        auto& content = next.contents[transition.channel];
        TakenStep via{p, t, transition.channel, 0, 0};
        if (transition.message == crash_message) {
            next.control[system_.processes.size() + transition.channel] = 1;
        } else if (summarise_ && summary_holds(transition, content)) {
            // nothing more is kept
        } else if (content.size() >= k_ && !(summarise_ && forms_[transition.channel] == ChannelForm::multiset)) {
            cut_ = true;
            if (!system_.channels[transition.channel].faults.may_vanish()) return;
            via.choice = 1;  // lost at once
        } else if (forms_[transition.channel] == ChannelForm::length) {
            content.push_back(static_cast<char16_t>(system_.channels[transition.channel].pool.front()));
        } else {
            auto message = static_cast<char16_t>(transition.message);
            bool bag = forms_[transition.channel] == ChannelForm::multiset;
            content.insert(bag ? std::lower_bound(content.begin(), content.end(), message) : content.end(), message);
        }
        visit(next, id, via);
    }

    // Into a full summary: a counter stays, a message goes behind a content. False when there is room.
    bool summary_holds(const Transition& transition, Text& content) const {
        auto message = static_cast<char16_t>(transition.message);
        if (forms_[transition.channel] == ChannelForm::length) return content.size() >= k_;
        if (forms_[transition.channel] == ChannelForm::multiset)
            return static_cast<std::uint32_t>(std::count(content.begin(), content.end(), message)) >= k_;
        auto bar = content.find(behind);
        if (bar == Text::npos) {
            if (content.size() < k_) return false;
            content.push_back(behind);
            bar = content.size() - 1;
        }
        auto at = std::lower_bound(content.begin() + bar + 1, content.end(), message);
        if (at == content.end() || *at != message) content.insert(at, message);
        return true;
    }

    // What a summarised content may be once the message at `i` is taken from it.
    void take_from_summary(std::uint32_t id, const Configuration& at, std::uint32_t p, std::uint32_t t,
                           const Transition& transition, std::uint32_t i) {
        const auto& content = at.contents[transition.channel];
        TakenStep via{p, t, transition.channel, i, 0};
        Configuration next = at;
        auto& left = next.contents[transition.channel];
        if (forms_[transition.channel] != ChannelForm::queue) {
            if (static_cast<std::uint32_t>(std::count(content.begin(), content.end(), content[i])) >= k_) visit(next, id, via);
            left.erase(i, 1);
            return visit(next, id, via);
        }
        auto bar = content.find(behind);
        if (system_.channels[transition.channel].faults.may_vanish()) {
            left.erase(0, i > bar ? bar : i + 1);
            return visit(next, id, via);
        }
        Text first = content.substr(1, bar == Text::npos ? Text::npos : bar - 1);
        Text rest = bar == Text::npos ? Text() : content.substr(bar + 1);
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

    void receive(std::uint32_t id, const Configuration& at, std::uint32_t p, std::uint32_t t, const Transition& transition) {
        const auto& channel = system_.channels[transition.channel];
        const auto& content = at.contents[transition.channel];
        if (transition.message == crash_message) {
            auto mark = system_.processes.size() + transition.channel;
            if (!at.control[mark] || (!content.empty() && !channel.faults.may_vanish())) return;
            Configuration next = at;
            next.control[mark] = 0;
            next.contents[transition.channel].clear();
            return visit(next, id, {p, t, transition.channel, 0, 0});
        }
        ChannelForm shape = forms_[transition.channel];
        for (std::uint32_t i = 0; i < content.size(); ++i) {
            if (summarise_) {
                if (content[i] == behind) continue;
                if (shape == ChannelForm::length || channel.faults.may_become(content[i], transition.message))
                    take_from_summary(id, at, p, t, transition, i);
                if (shape == ChannelForm::length || (shape == ChannelForm::queue && !channel.faults.may_vanish())) return;
                continue;
            }
            if (shape != ChannelForm::length && !channel.faults.may_become(content[i], transition.message)) {
                if (shape == ChannelForm::queue && !channel.faults.may_vanish()) return;
                continue;
            }
            if (shape == ChannelForm::multiset && i > 0 && content[i] == content[i - 1]) continue;
            Configuration next = at;
            next.contents[transition.channel].erase(shape == ChannelForm::queue ? 0 : i, shape == ChannelForm::queue ? i + 1 : 1);
            visit(next, id, {p, t, transition.channel, i, 0});
            if (channel.faults.may_stay()) {
                Configuration same = at;
                if (shape == ChannelForm::queue) same.contents[transition.channel].erase(0, i);
                visit(same, id, {p, t, transition.channel, i, kept});
            }
            if (shape != ChannelForm::multiset) return;  // what is left after the first fit has all later ones below it
        }
    }

    const System& system_;
    const std::vector<ChannelForm>& forms_;
    const std::vector<Cube>& goal_;
    std::uint32_t k_;
    bool summarise_;
    std::optional<std::uint64_t> max_states_;
    Monitor& monitor_;
    std::vector<std::vector<std::vector<std::uint32_t>>> outgoing_;
    std::unordered_map<Text, std::uint32_t> ids_;
    std::vector<Node> nodes_;
    std::uint64_t bytes_ = 0;
    bool cut_ = false;
    ForwardResult out_;
};

}  // namespace

ForwardResult forward(const System& system, const std::vector<ChannelForm>& forms, const std::vector<Cube>& goal,
                      std::uint32_t k, bool summarise, std::optional<std::uint64_t> max_states, Monitor& monitor) {
    return Forward(system, forms, goal, k, summarise, max_states, monitor).run();
}

}  // namespace stormproof
