#include "reduce/symmetry.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_map>

namespace stormproof {
namespace {

// Labels of links, and the first colours of nodes.
enum Label : std::uint32_t { has_state, has_transition, leads_to, sends, receives, from, to, carries, becomes };
enum Kind : std::uint64_t { process_node = 1, state_node, transition_node, channel_node, letter_node };

// How many refinements a search for one permutation may take: hard graphs are left alone.
constexpr std::uint32_t most_refinements = 200;
// So many processes that are alike, the last ones, may move: more permutations than they have are not used.
constexpr std::size_t most_moving = 16;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    std::uint64_t h = (a ^ 0x9e3779b97f4a7c15) * 0xa0761d6478bd642f + b;
    h ^= h >> 29;
    h *= 0x9fb21c651e98df25;
    return h ^ (h >> 32);
}

std::size_t classes(std::vector<std::uint64_t> colours) {
    std::sort(colours.begin(), colours.end());
    return static_cast<std::size_t>(std::unique(colours.begin(), colours.end()) - colours.begin());
}

}  // namespace

Automorphism identity_of(const System& system) {
    Automorphism g;
    const auto count = [](std::size_t n) {
        std::vector<std::uint32_t> out(n);
        std::iota(out.begin(), out.end(), 0u);
        return out;
    };
    g.process = count(system.processes.size());
    g.channel = count(system.channels.size());
    for (const Process& p : system.processes) {
        g.state.push_back(count(p.states));
        g.transition.push_back(count(p.transitions.size()));
    }
    g.message.resize(system.channels.size());
    return g;
}

Automorphism inverse(const Automorphism& g) {
    Automorphism out = g;
    const auto inverted = [](const std::vector<std::uint32_t>& there) {
        std::vector<std::uint32_t> back(there.size());
        for (std::uint32_t i = 0; i < there.size(); ++i) back[there[i]] = i;
        return back;
    };
    out.process = inverted(g.process);
    out.channel = inverted(g.channel);
    for (std::size_t p = 0; p < g.process.size(); ++p) {
        out.state[g.process[p]] = inverted(g.state[p]);
        out.transition[g.process[p]] = inverted(g.transition[p]);
    }
    for (std::size_t c = 0; c < g.channel.size(); ++c) {
        out.message[g.channel[c]].clear();
        for (const auto& [m, image] : g.message[c]) out.message[g.channel[c]][image] = m;
    }
    return out;
}

Automorphism compose(const Automorphism& first, const Automorphism& second) {
    Automorphism out = second;
    for (std::size_t p = 0; p < out.process.size(); ++p) {
        const std::uint32_t between = second.process[p];
        out.process[p] = first.process[between];
        for (auto& x : out.state[p]) x = first.state[between][x];
        for (auto& t : out.transition[p]) t = first.transition[between][t];
    }
    for (std::size_t c = 0; c < out.channel.size(); ++c) {
        const std::uint32_t between = second.channel[c];
        out.channel[c] = first.channel[between];
        if (out.message[c].empty()) {
            out.message[c] = first.message[between];
            continue;
        }
        for (auto& [m, image] : out.message[c]) image = first.message_on(between, image);
    }
    return out;
}

// ---- the graph -----------------------------------------------------------------------------------------------

Shape::Shape(const System& system, const Monitor& monitor) : system_(system), monitor_(monitor) {
    for (std::size_t p = 0; p < system.processes.size(); ++p) add(process_node);
    for (std::uint32_t p = 0; p < system.processes.size(); ++p) {
        const Process& process = system.processes[p];
        states_.push_back(static_cast<std::uint32_t>(colours_.size()));
        for (std::uint32_t x = 0; x < process.states; ++x) {
            const std::uint32_t node = add(state_node);
            colour(node, 2 * process.crashed[x] + (x == process.initial));
            link(p, node, has_state);
        }
    }
    channels_ = static_cast<std::uint32_t>(colours_.size());
    for (const Channel& ch : system.channels) {
        const std::uint32_t node = add(channel_node);
        colour(node, 4 * ch.faults.may_vanish() + 2 * ch.faults.may_overtake() + ch.faults.may_stay());
        link(node, ch.sender, from);
        link(node, ch.receiver, to);
    }
    for (std::uint32_t p = 0; p < system.processes.size(); ++p) add_transitions(p);
    for (std::uint32_t c = 0; c < system.channels.size(); ++c) {
        const auto& changes = system.channels[c].faults.becomes;
        for (std::uint32_t m = 0; m < changes.size(); ++m)
            for (auto other : changes[m]) link(letter(c, m), letter(c, other), becomes);
    }
}

void Shape::add_transitions(std::uint32_t p) {
    transitions_.push_back(static_cast<std::uint32_t>(colours_.size()));
    for (const Transition& t : system_.processes[p].transitions) {
        const std::uint32_t node = add(transition_node);
        colour(node, 2 * static_cast<std::uint64_t>(t.kind) + t.fault);
        link(state(p, t.source), node, has_transition);
        link(node, state(p, t.target), leads_to);
    }
    for (std::uint32_t t = 0; t < system_.processes[p].transitions.size(); ++t) {
        const Transition& tr = system_.processes[p].transitions[t];
        if (tr.kind != ActionKind::internal)
            link(transition(p, t), letter(tr.channel, tr.message), tr.kind == ActionKind::send ? sends : receives);
    }
}

std::uint32_t Shape::letter(std::uint32_t c, std::uint32_t m) {
    const auto [at, fresh] = letters_.try_emplace({c, m}, static_cast<std::uint32_t>(colours_.size()));
    if (fresh) {
        add(letter_node);
        colour(at->second, m == crash_message);
        link(channel(c), at->second, carries);
    }
    return at->second;
}

std::uint32_t Shape::add(std::uint64_t colour) {
    colours_.push_back(colour);
    links_.emplace_back();
    back_.emplace_back();
    return static_cast<std::uint32_t>(colours_.size() - 1);
}

void Shape::colour(std::uint32_t node, std::uint64_t more) { colours_[node] = mix(colours_[node], more); }

void Shape::link(std::uint32_t from, std::uint32_t to, std::uint32_t label) {
    links_[from].push_back({to, label});
    back_[to].push_back({from, label});
}

// ---- the search ----------------------------------------------------------------------------------------------

// Nodes keep the same colour only while no link distinguishes them. A colour is a hash of everything that it stands
// for, so that two refinements can be compared; equal hashes by chance are caught by `verify`.
void Shape::refine(Colours& colours) const {
    for (std::size_t before = 0, now = classes(colours); now > before; before = now, now = classes(colours)) {
        if (monitor_.must_end()) return;  // what comes of it is not used
        Colours next(colours.size());
        for (std::size_t n = 0; n < colours.size(); ++n) {
            std::uint64_t around = 0;
            for (const Link& link : links_[n]) around += mix(2 * link.label, colours[link.to]);
            for (const Link& link : back_[n]) around += mix(2 * link.label + 1, colours[link.to]);
            next[n] = mix(colours[n], around);
        }
        colours = std::move(next);
    }
}

// Continues two refined colourings to an automorphism that takes the left one to the right one.
bool Shape::complete(Colours left, Colours right, std::uint32_t& budget, std::vector<std::uint32_t>& image) const {
    std::multimap<std::uint64_t, std::uint32_t> places;
    for (std::uint32_t n = 0; n < right.size(); ++n) places.emplace(right[n], n);
    Colours a = left, b = right;
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    if (a != b) return false;
    std::uint32_t open = none;
    for (std::uint32_t n = 0; n < left.size() && open == none; ++n)
        if (places.count(left[n]) > 1) open = n;
    if (open == none) {
        image.resize(left.size());
        for (std::uint32_t n = 0; n < left.size(); ++n) image[n] = places.find(left[n])->second;
        return verify(image);
    }
    const std::uint64_t shade = left[open];
    left[open] = mix(shade, budget);
    const std::uint64_t fresh = left[open];
    refine(left);
    const auto [begin, end] = places.equal_range(shade);
    for (auto at = begin; at != end && budget > 0 && !monitor_.must_end(); ++at) {
        --budget;
        Colours other = right;
        other[at->second] = fresh;
        refine(other);
        if (complete(left, other, budget, image)) return true;
    }
    return false;
}

bool Shape::verify(const std::vector<std::uint32_t>& image) const {
    for (std::uint32_t n = 0; n < image.size(); ++n) {
        if (colours_[n] != colours_[image[n]] || links_[n].size() != links_[image[n]].size()) return false;
        std::multiset<std::pair<std::uint32_t, std::uint32_t>> mapped, there;
        for (const Link& link : links_[n]) mapped.insert({image[link.to], link.label});
        for (const Link& link : links_[image[n]]) there.insert({link.to, link.label});
        if (mapped != there) return false;
    }
    return true;
}

Automorphism Shape::read(const std::vector<std::uint32_t>& image) const {
    Automorphism g = identity_of(system_);
    for (std::uint32_t p = 0; p < g.process.size(); ++p) {
        const std::uint32_t q = g.process[p] = image[p];
        for (std::uint32_t x = 0; x < g.state[p].size(); ++x) g.state[p][x] = image[state(p, x)] - states_[q];
        for (std::uint32_t t = 0; t < g.transition[p].size(); ++t)
            g.transition[p][t] = image[transition(p, t)] - transitions_[q];
    }
    std::vector<std::uint32_t> message_of(colours_.size(), 0);
    for (const auto& [key, node] : letters_) message_of[node] = key.second;
    for (std::uint32_t c = 0; c < g.channel.size(); ++c) g.channel[c] = image[channel(c)] - channels_;
    for (const auto& [key, node] : letters_) g.message[key.first][key.second] = message_of[image[node]];
    return g;
}

// The process stays where it is.
void Shape::fix(std::uint32_t p, Colours& colours) const {
    colours[p] = mix(colours[p], p + 1);
    refine(colours);
}

// For each place to which a process can move while those before it stay, one permutation that does it; only the
// first where there are more than `most`.
std::vector<Automorphism> Shape::moves_of(std::uint32_t p, const Colours& fixed, std::size_t most) const {
    std::vector<Automorphism> found{identity_of(system_)};
    Colours left = fixed;
    fix(p, left);
    for (std::uint32_t q = p + 1; q < system_.processes.size() && found.size() <= most; ++q) {
        if (fixed[q] != fixed[p]) continue;
        Colours right = fixed;
        right[q] = mix(fixed[p], p + 1);
        refine(right);
        std::uint32_t budget = most_refinements;
        std::vector<std::uint32_t> image;
        if (complete(left, right, budget, image)) found.push_back(read(image));
        if (monitor_.must_end()) break;
    }
    return found;
}

std::vector<Automorphism> Shape::automorphisms(std::size_t most) const {
    struct Level {
        std::uint32_t process;
        Colours fixed;  // with all processes before it
    };
    std::vector<Level> levels;
    Colours fixed = colours_;
    refine(fixed);
    const auto alike = [&](std::uint32_t p) {
        return std::count(fixed.begin(), fixed.begin() + static_cast<std::ptrdiff_t>(system_.processes.size()), fixed[p]) > 1;
    };
    std::vector<std::uint32_t> moving;
    for (std::uint32_t p = 0; p < system_.processes.size(); ++p)
        if (alike(p)) moving.push_back(p);
    const auto last = moving.end() - static_cast<std::ptrdiff_t>(std::min(moving.size(), most_moving));
    for (auto p = moving.begin(); p != last; ++p) fixed[*p] = mix(fixed[*p], *p + 1);
    refine(fixed);
    for (auto p = last; p != moving.end(); ++p) {
        if (!alike(*p)) continue;
        levels.push_back({*p, fixed});
        fix(*p, fixed);
    }
    const std::vector<Automorphism> identity{identity_of(system_)};
    std::vector<Automorphism> group = identity;
    for (; !levels.empty(); levels.pop_back()) {
        const std::vector<Automorphism> moves = moves_of(levels.back().process, levels.back().fixed, most / group.size());
        if (monitor_.must_end()) return identity;
        if (group.size() * moves.size() > most) break;
        std::vector<Automorphism> larger;
        for (const Automorphism& move : moves)
            for (const Automorphism& g : group) larger.push_back(compose(move, g));
        group = std::move(larger);
    }
    return group;
}

}  // namespace stormproof
