// The control-state graph: a finite over-approximation that prunes the backward search.
#include "questions/coverability.hpp"

namespace stormproof {

Controls::Controls(const System& system, Monitor& monitor) : system_(system) {
    sent_.assign(system.channels.size(), std::vector<std::uint8_t>(system.messages, 0));
    waiting_.assign(system.channels.size(), std::vector<std::vector<std::uint32_t>>(system.messages));
    Text start;
    for (const auto& process : system.processes) start.push_back(static_cast<char16_t>(process.initial));
    start.append(system.channels.size(), 0);
    visit(std::move(start));
    for (std::uint64_t done = 0; !queue_.empty(); ++done) {
        if (done % 16 == 0) {  // one of many processes takes long, and makes many others
            monitor.states = rows_.size();
            monitor.memory = rows_.size() * (start.size() * 4 + 128);
            if ((stop = monitor.over()) != Stop::none) return;
        }
        auto id = queue_.back();
        queue_.pop_back();
        expand(id);
    }
}

std::int64_t Controls::find(const Text& control) const {
    auto at = ids_.find(control);
    return at == ids_.end() ? -1 : static_cast<std::int64_t>(at->second);
}

void Controls::visit(Text control) {
    auto id = static_cast<std::uint32_t>(rows_.size());
    if (!ids_.emplace(control, id).second) return;
    rows_.push_back(std::move(control));
    queue_.push_back(id);
}

void Controls::offer(std::uint32_t channel, std::uint32_t message) {
    if (sent_[channel][message]) return;
    sent_[channel][message] = 1;
    for (auto id : waiting_[channel][message]) queue_.push_back(id);
    waiting_[channel][message].clear();
}

void Controls::expand(std::uint32_t id) {
    const auto processes = system_.processes.size();
    for (std::size_t p = 0; p < processes; ++p) {
        for (const auto& t : system_.processes[p].transitions) {
            if (t.source != rows_[id][p]) continue;
            Text next = rows_[id];
            next[p] = static_cast<char16_t>(t.target);
            if (t.kind != ActionKind::internal && t.message == crash_message) {
                auto& mark = next[processes + t.channel];
                if (mark != (t.kind == ActionKind::receive ? 1 : 0)) continue;
                mark = t.kind == ActionKind::send ? 1 : 0;
            } else if (t.kind == ActionKind::send) {
                offer(t.channel, t.message);
                for (auto other : system_.channels[t.channel].faults.becomes[t.message]) offer(t.channel, other);
            } else if (t.kind == ActionKind::receive && !sent_[t.channel][t.message]) {
                waiting_[t.channel][t.message].push_back(id);
                continue;
            }
            visit(std::move(next));
        }
    }
}

}  // namespace stormproof
