#include "questions/survival_blocks.hpp"

#include <algorithm>

#include "steps/clocks.hpp"

namespace stormproof::survival {
namespace {

bool matches(const Blocks& content, std::size_t block, const std::vector<std::uint32_t>& word, std::size_t from,
             std::uint32_t counted) {
    if (block == content.blocks.size())
        return std::all_of(word.begin() + static_cast<std::ptrdiff_t>(from), word.end(), [&](std::uint32_t message) {
            return std::binary_search(content.tail.begin(), content.tail.end(), message);
        });
    const auto [message, count] = content.blocks[block];
    std::size_t run = 0;
    while (from + run < word.size() && word[from + run] == message) ++run;
    const std::size_t most = count > counted ? run : std::min<std::size_t>(run, count);
    for (std::size_t n = count; n <= most; ++n)
        if (matches(content, block + 1, word, from + n, counted)) return true;
    return false;
}

// The tail begins right behind the blocks: it is empty, or its first block is known from now on.
void refill(std::vector<Block> blocks, const std::vector<std::uint32_t>& tail, std::vector<Blocks>& out) {
    out.push_back({blocks, {}});
    for (auto message : tail) {
        if (!blocks.empty() && blocks.back().message == message) continue;
        blocks.push_back({message, 1});
        out.push_back({blocks, tail});
        blocks.pop_back();
    }
}

}  // namespace

MayMust AbstractView::holds(std::uint32_t c, const std::vector<std::uint32_t>& word) const {
    const Blocks& content = contents[c];
    const bool may = matches(content, 0, word, 0, size.counted);
    const bool exact = content.tail.empty() && std::all_of(content.blocks.begin(), content.blocks.end(),
                                                           [&](const Block& b) { return b.count <= size.counted; });
    return {may, may && exact};
}

MayMust AbstractView::contains(std::uint32_t c, std::uint32_t message) const {
    const Blocks& content = contents[c];
    const bool must = std::any_of(content.blocks.begin(), content.blocks.end(),
                                  [&](const Block& b) { return b.message == message; });
    return {must || std::binary_search(content.tail.begin(), content.tail.end(), message), must};
}

void send(Blocks& content, std::uint32_t message, BlockSize size) {
    if (!content.tail.empty() || (content.blocks.size() == size.blocks && content.blocks.back().message != message)) {
        const auto place = std::lower_bound(content.tail.begin(), content.tail.end(), message);
        if (place == content.tail.end() || *place != message) content.tail.insert(place, message);
    } else if (!content.blocks.empty() && content.blocks.back().message == message) {
        content.blocks.back().count = std::min(content.blocks.back().count + 1, size.counted + 1);
    } else {
        content.blocks.push_back({message, 1});
    }
}

std::vector<Blocks> receive(const Blocks& content, BlockSize size) {
    std::vector<Blocks> out;
    const std::uint32_t count = content.blocks[0].count;
    if (count > size.counted) out.push_back(content);
    if (count > 1) {
        out.push_back(content);
        --out.back().blocks[0].count;
        return out;
    }
    std::vector<Block> rest(content.blocks.begin() + 1, content.blocks.end());
    if (content.tail.empty()) {
        out.push_back({rest, {}});
        return out;
    }
    const auto& tail = content.tail;
    const bool grows = !rest.empty() && std::binary_search(tail.begin(), tail.end(), rest.back().message);
    refill(rest, content.tail, out);
    while (grows && rest.back().count <= size.counted) {
        ++rest.back().count;
        refill(rest, content.tail, out);
    }
    return out;
}

std::uint32_t AbstractGraph::add(const AbstractView& at) {
    std::u16string code;
    for (auto state : at.states) code.push_back(static_cast<char16_t>(state));
    for (const Blocks& content : at.contents) {
        code.push_back(static_cast<char16_t>(content.blocks.size()));
        for (const Block& b : content.blocks) {
            code.push_back(static_cast<char16_t>(b.message));
            code.push_back(static_cast<char16_t>(b.count));
        }
        code.push_back(static_cast<char16_t>(content.tail.size()));
        for (auto message : content.tail) code.push_back(static_cast<char16_t>(message));
    }
    const auto [place, fresh] = numbers_.try_emplace(std::move(code), static_cast<std::uint32_t>(codes_.size()));
    if (fresh) {
        codes_.push_back(&place->first);
        before_.emplace_back();
        reaches_.push_back(may_hold(rules_, goal_, at));
        queued_.push_back(false);
        start_.push_back(false);
    }
    return place->second;
}

std::uint32_t AbstractGraph::add_start(const AbstractView& at) {
    const std::uint32_t id = add(at);
    if (start_[id]) return id;
    start_[id] = true;
    if (reaches_[id]) return id;
    ++open_starts_;
    queued_[id] = true;
    queue_.push_back(id);
    return id;
}

AbstractView AbstractGraph::decode(const std::u16string& code) const {
    AbstractView at{size_, {}, {}};
    std::size_t i = 0;
    while (at.states.size() < rules_.system.processes.size()) at.states.push_back(code[i++]);
    for (std::size_t c = 0; c < rules_.system.channels.size(); ++c) {
        Blocks content;
        for (std::uint32_t n = code[i++]; n > 0; --n, i += 2) content.blocks.push_back({code[i], code[i + 1]});
        for (std::uint32_t n = code[i++]; n > 0; --n) content.tail.push_back(code[i++]);
        at.contents.push_back(std::move(content));
    }
    return at;
}

bool AbstractGraph::explore(std::uint32_t most) {
    for (std::size_t next = 0; next < queue_.size() && open_starts_ > 0; ++next) {
        const std::uint32_t id = queue_[next];
        if (codes_.size() > most || (next % 16 == 0 && monitor_.over() != Stop::none)) {
            for (; next < queue_.size(); ++next) mark(queue_[next]);
            return false;
        }
        if (reaches_[id]) continue;
        if (matters(id)) expand(id, decode(*codes_[id]));
        else queued_[id] = false;
    }
    return true;
}

bool AbstractGraph::matters(std::uint32_t id) const {
    return start_[id] || std::any_of(before_[id].begin(), before_[id].end(),
                                     [&](std::uint32_t earlier) { return !reaches_[earlier]; });
}

// A step from one to the other, found while the first was expanded.
void AbstractGraph::connect(std::uint32_t from, std::uint32_t to) {
    if (reaches_[to]) {
        mark(from);
        return;
    }
    before_[to].push_back(from);
    if (queued_[to]) return;
    queued_[to] = true;
    queue_.push_back(to);
}

// The goal may be reached from here, and so from everywhere before.
void AbstractGraph::mark(std::uint32_t id) {
    std::vector<std::uint32_t> work;
    const auto add = [&](std::uint32_t found) {
        if (reaches_[found]) return;
        reaches_[found] = true;
        open_starts_ -= start_[found];
        work.push_back(found);
    };
    add(id);
    while (!work.empty()) {
        const std::uint32_t found = work.back();
        work.pop_back();
        for (auto earlier : before_[found]) add(earlier);
    }
}

void AbstractGraph::expand(std::uint32_t id, AbstractView at) {
    std::vector<std::uint32_t> before;
    const AbstractView now = at;
    Moment<AbstractView> moment(rules_, now);
    for (std::uint32_t p = 0; p < rules_.system.processes.size(); ++p) {
        const std::uint32_t state = at.states[p];
        const auto& transitions = rules_.system.processes[p].transitions;
        for (std::uint32_t t = rules_.first[p][state]; t < rules_.first[p][state + 1]; ++t) {
            if (transitions[t].kind == TransitionKind::internal && rules_.question.marks[p][t] != unmarked) continue;
            if (transitions[t].kind == TransitionKind::internal && !moment.allows(p, t)) continue;
            if (reaches_[id]) return;
            const bool changes = rules_.question.extras.changes(p, t);
            if (changes) before = at.states;
            at.states[p] = transitions[t].target;
            move_components(rules_.question.extras, p, t, at.states.data());
            if (rules_.question.extras.links.goes_nowhere(p, t, at.states.data())) connect(id, add(at));
            else step(id, at, transitions[t]);
            at.states[p] = state;
            if (changes) at.states = before;
        }
    }
}

void AbstractGraph::step(std::uint32_t from, AbstractView& at, const Transition& t) {
    if (t.kind == TransitionKind::internal) {
        connect(from, add(at));
        return;
    }
    Blocks& content = at.contents[t.channel];
    const Blocks original = content;
    if (t.kind == TransitionKind::send) {
        const std::uint32_t receiver = rules_.system.channels[t.channel].receiver;
        if (content.blocks.empty() || !rules_.unseen(t.channel, at.states[receiver])) send(content, t.message, size_);
        connect(from, add(at));
    } else if (!content.blocks.empty() && content.blocks[0].message == t.message) {
        for (Blocks& left : receive(original, size_)) {
            content = std::move(left);
            connect(from, add(at));
        }
    }
    content = original;
}

}  // namespace stormproof::survival
