// Backward search: predecessors of upward closed sets, from the targets to a fixed point or to the start.
#include "questions/coverability.hpp"

#include <algorithm>
#include <deque>
#include <map>

namespace stormproof {

namespace {

constexpr std::size_t sample = 32;  // minimal configurations reported when the search was stopped

struct Item {
    std::uint32_t control, parent;
    TakenStep via;
    Contents contents;
    bool alive;
};

class Backward {
  public:
    Backward(const System& system, const std::vector<ChannelForm>& forms, const Controls& controls,
             const std::vector<Weights>& weights, Monitor& monitor)
        : system_(system), forms_(forms), controls_(controls), weights_(weights), monitor_(monitor) {
        chains_.resize(controls.rows().size());
        incoming_.resize(system.processes.size());
        for (std::size_t p = 0; p < system.processes.size(); ++p) {
            incoming_[p].resize(system.processes[p].states);
            for (std::uint32_t t = 0; t < system.processes[p].transitions.size(); ++t)
                incoming_[p][system.processes[p].transitions[t].target].push_back(t);
        }
        for (const auto& channel : system.channels) pairs_.push_back(channel.faults.may_change());
    }

    CoverResult run(const std::vector<Configuration>& targets) {
        for (const auto& target : targets) {
            auto id = controls_.find(target.control);
            if (id >= 0) insert(static_cast<std::uint32_t>(id), target.contents, none, {});
            if (found_ != none) break;
        }
        while (found_ == none && !queue_.empty()) {
            if (((++popped_ & 63) == 0 || monitor_.must_end()) && stopped()) return result();
            auto bucket = queue_.begin();
            auto next = bucket->second.front();
            bucket->second.pop_front();
            if (bucket->second.empty()) queue_.erase(bucket);
            if (items_[next].alive) predecessors(next);
        }
        return result();
    }

  private:
    bool stopped() {
        monitor_.states = items_.size();
        monitor_.frontier = queue_.size();
        monitor_.memory = bytes_;
        return (stop_ = monitor_.over()) != Stop::none;
    }

    // ↑b ⊆ ↑a: what interference may make of b includes a.
    bool below(const Contents& a, const Contents& b) const {
        for (std::size_t c = 0; c < a.size(); ++c)
            if (a[c].size() > b[c].size()) return false;
        for (std::size_t c = 0; c < a.size(); ++c)
            if (!a[c].empty() && !embeds(c, a[c], b[c])) return false;
        return true;
    }

    bool embeds(std::size_t c, const Text& small, const Text& large) const {
        if (forms_[c] == ChannelForm::length) return true;  // lengths were compared
        if (forms_[c] == ChannelForm::multiset) return std::includes(large.begin(), large.end(), small.begin(), small.end());
        std::size_t j = 0;
        for (std::size_t i = 0; i < large.size() && j < small.size(); ++i)
            if (matches(c, large[i], small[j])) ++j;
        return j == small.size();
    }

    bool matches(std::size_t c, char16_t sent, char16_t got) const {
        return sent == got || (pairs_[c] && system_.channels[c].faults.may_become(sent, got));
    }

    // Is everything above this configuration excluded by an invariant? Weights of messages must not be negative.
    bool excluded(const Text& control, const Contents& contents) const {
        const auto processes = system_.processes.size();
        for (const auto& w : weights_) {
            std::int64_t sum = 0;
            for (std::size_t p = 0; p < processes; ++p) sum += w.states[p][control[p]];
            for (std::size_t c = 0; c < contents.size(); ++c) {
                sum += control[processes + c] ? w.messages[c][crash_message] : 0;
                for (auto m : contents[c]) sum += w.messages[c][m];
            }
            if (sum > w.bound) return true;
        }
        return false;
    }

    void insert(std::uint32_t control, const Contents& contents, std::uint32_t parent, TakenStep via) {
        ++made_;
        auto& chain = chains_[control];
        for (auto i : chain)
            if (below(items_[i].contents, contents)) return;
        if (excluded(controls_.rows()[control], contents)) {
            ++pruned_;
            return;
        }
        std::erase_if(chain, [&](std::uint32_t i) {
            if (!below(contents, items_[i].contents)) return false;
            items_[i].alive = false;
            return true;
        });
        add(control, contents, parent, via);
    }

    void add(std::uint32_t control, const Contents& contents, std::uint32_t parent, TakenStep via) {
        auto id = static_cast<std::uint32_t>(items_.size());
        std::size_t size = 0;
        for (const auto& content : contents) size += content.size();
        items_.push_back({control, parent, via, contents, true});
        bytes_ += sizeof(Item) + contents.size() * sizeof(Text) + 4 * size + 64;
        chains_[control].push_back(id);
        queue_[size].push_back(id);  // small ones first: they subsume most
        if (control == 0 && size == 0) found_ = id;
    }

    void predecessors(std::uint32_t id) {
        const Text post = controls_.rows()[items_[id].control];
        const Contents contents = items_[id].contents;
        for (std::size_t p = 0; p < system_.processes.size(); ++p)
            for (auto t : incoming_[p][post[p]]) {
                if (found_ != none || monitor_.must_end()) return;
                before(id, post, contents, static_cast<std::uint32_t>(p), t);
            }
        for (std::size_t c = 0; c < contents.size(); ++c)
            if (forms_[c] == ChannelForm::multiset && pairs_[c]) uncorrupt(id, contents, c);
    }

    void before(std::uint32_t id, const Text& post, const Contents& contents, std::uint32_t p, std::uint32_t t) {
        const auto& transition = system_.processes[p].transitions[t];
        Text control = post;
        control[p] = static_cast<char16_t>(transition.source);
        Contents previous = contents;
        if (transition.kind != ActionKind::internal && !undo(transition, control, previous)) return;
        auto pre = controls_.find(control);
        if (pre < 0) return;
        insert(static_cast<std::uint32_t>(pre), previous, id, {p, t, transition.channel, 0, 0});
        const bool receives = transition.kind == ActionKind::receive && transition.message != crash_message;
        if (receives && system_.channels[transition.channel].faults.may_stay())
            before_keeping(id, static_cast<std::uint32_t>(pre), contents, {p, t, transition.channel, 0, kept});
    }

    // A reception after which the message also stays. An ordinary reception demands that it is put before the
    // content; smaller is a content that has it already, as what it is or as what it was before.
    void before_keeping(std::uint32_t id, std::uint32_t control, const Contents& contents, TakenStep step) {
        const auto& content = contents[step.channel];
        const auto message = static_cast<char16_t>(system_.processes[step.process].transitions[step.transition].message);
        const auto serves = [&](char16_t sent) { return matches(step.channel, sent, message); };
        if (content.empty()) return;
        if (forms_[step.channel] != ChannelForm::queue) {
            if (forms_[step.channel] == ChannelForm::length || std::any_of(content.begin(), content.end(), serves))
                insert(control, contents, id, step);
            return;
        }
        if (serves(content.front())) return insert(control, contents, id, step);
        for (auto sent : system_.channels[step.channel].pool) {
            const auto head = static_cast<char16_t>(sent);
            if (!serves(head) || !matches(step.channel, head, content.front())) continue;
            Contents previous = contents;
            previous[step.channel].front() = head;
            insert(control, previous, id, step);
        }
    }

    // The minimal configuration from which the action leads above this one; false when there is none.
    bool undo(const Transition& transition, Text& control, Contents& contents) const {
        auto& mark = control[system_.processes.size() + transition.channel];
        auto& content = contents[transition.channel];
        if (transition.message == crash_message) {
            // The crash message is the last of its channel: when it is taken, nothing else is there.
            if (transition.kind == ActionKind::receive && !content.empty()) return false;
            if (mark != (transition.kind == ActionKind::send ? 1 : 0)) return false;
            mark = transition.kind == ActionKind::send ? 0 : 1;
            return true;
        }
        if (transition.kind == ActionKind::send && mark) return false;
        const auto message = static_cast<char16_t>(transition.message);
        switch (forms_[transition.channel]) {
            case ChannelForm::length:
                if (transition.kind == ActionKind::receive) content.push_back(any_message(transition.channel));
                else if (!content.empty()) content.pop_back();
                break;
            case ChannelForm::multiset: {
                auto at = std::lower_bound(content.begin(), content.end(), message);
                if (transition.kind == ActionKind::receive) content.insert(at, message);
                else if (at != content.end() && *at == message) content.erase(at);
                break;
            }
            case ChannelForm::queue:
                if (transition.kind == ActionKind::receive) content.insert(content.begin(), message);
                else if (!content.empty() && matches(transition.channel, message, content.back())) content.pop_back();
                break;
        }
        return true;
    }

    char16_t any_message(std::uint32_t c) const {
        const auto& pool = system_.channels[c].pool;
        return pool.empty() ? 0 : static_cast<char16_t>(pool.front());
    }

    void uncorrupt(std::uint32_t id, const Contents& contents, std::size_t c) {
        const auto& channel = system_.channels[c];
        for (auto from : channel.pool)
            for (auto to : channel.faults.becomes[from]) {
                Contents previous = contents;
                auto& content = previous[c];
                auto at = content.find(static_cast<char16_t>(to));
                if (at == Text::npos) continue;
                content[at] = static_cast<char16_t>(from);
                std::sort(content.begin(), content.end());
                insert(items_[id].control, previous, id, {none, 0, static_cast<std::uint32_t>(c), from, to});
            }
    }

    CoverResult result() {
        CoverResult out;
        out.stop = stop_;
        out.covered = found_ != none;
        out.made = made_;
        out.pruned = pruned_;
        for (const auto& chain : chains_) out.kept += chain.size();
        if (out.covered) {
            for (auto at = found_; at != none; at = items_[at].parent) {
                out.path.push_back({controls_.rows()[items_[at].control], items_[at].contents});
                if (items_[at].parent != none) out.steps.push_back(items_[at].via);
            }
        } else {
            const std::size_t most = stop_ == Stop::none ? SIZE_MAX : sample;
            for (auto i = items_.size(); i-- > 0 && out.basis.size() < most;)
                if (items_[i].alive) out.basis.push_back({controls_.rows()[items_[i].control], items_[i].contents});
        }
        monitor_.states = items_.size();
        return out;
    }

    const System& system_;
    const std::vector<ChannelForm>& forms_;
    const Controls& controls_;
    const std::vector<Weights>& weights_;
    Monitor& monitor_;
    std::vector<Item> items_;
    std::vector<std::vector<std::uint32_t>> chains_;                   // per control: the antichain
    std::vector<std::vector<std::vector<std::uint32_t>>> incoming_;    // process, target: transitions
    std::vector<bool> pairs_;
    std::map<std::size_t, std::deque<std::uint32_t>> queue_;
    std::uint64_t made_ = 0, pruned_ = 0, popped_ = 0, bytes_ = 0;
    std::uint32_t found_ = none;
    Stop stop_ = Stop::none;
};

}  // namespace

CoverResult cover(const System& system, const std::vector<ChannelForm>& forms, const Controls& controls,
                  const std::vector<Configuration>& targets, const std::vector<Weights>& weights,
                  Monitor& monitor) {
    return Backward(system, forms, controls, weights, monitor).run(targets);
}

}  // namespace stormproof
