#include "search/storm_part.hpp"

#include <cstring>
#include <new>
#include <stdexcept>

#include "core/platform.hpp"

namespace stormproof::survival {
namespace {

constexpr std::size_t batch = 1 << 16;  // configurations expanded, or told of, in one call

template <class T>
void put(std::string& out, const T& value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

// visit(p) for each record of so many bytes.
template <class Visit>
void each(std::string_view data, std::size_t bytes, Visit&& visit) {
    if (data.size() % bytes != 0) throw std::invalid_argument("a message between parts was cut off");
    for (std::size_t at = 0; at < data.size(); at += bytes) visit(data.data() + at);
}

template <class T>
T read(const char* from) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
}

}  // namespace

StormRows::StormRows(const System& s, const Question& q)
    : system(s), question(without_needless_slack(q)), rules(system, question), layout(system, question),
      packing(system, question, layout, question.k) {
    if (largest_cell(system, question) > UINT16_MAX) throw std::length_error("the system is too large for this search");
}

std::uint64_t StormRows::hash(const std::uint64_t* words) const {
    std::uint64_t h = 0x9e3779b97f4a7c15;
    for (std::uint32_t i = 0; i < packing.words(); ++i)
        h = multiply_fold(words[i] ^ 0xa0761d6478bd642f, h ^ 0xe7037ed1a0b428db);
    return h * 0x9fb21c651e98df25;
}

StormPart::StormPart(const System& system, const Question& question, std::uint32_t part, std::uint32_t parts)
    : rows_(system, question), part_(part), parts_(parts), steps_(rows_.rules, rows_.layout), slots_(1024, 0),
      replies_(parts), row_(rows_.layout.cells), next_(rows_.packing.words()) {
    if (parts > UINT16_MAX) throw std::length_error("more than 65,535 parts");
    const auto& asks = rows_.question.asks;
    for (std::uint32_t a = 0; a < asks.size(); ++a) always_asks_ |= std::uint32_t{asks[a].always} << a;
}

// ---- storms ----------------------------------------------------------------------------------------------

void StormPart::seed() {
    for (std::size_t p = 0; p < rows_.system.processes.size(); ++p)
        row_[p] = static_cast<Cell>(rows_.system.processes[p].initial);
    rows_.packing.pack(row_.data(), next_.data());
    if (StormRows::owner(rows_.hash(next_.data()), parts_) != part_) return;
    keys_[find_or_add(next_.data())] = layer_key(0, 0);
    layers_[layer_key(0, 0)] = {0};
}

// A configuration may have moved on to a layer with less.
bool StormPart::leads(const std::vector<std::uint32_t>& layer, LayerKey key) const {
    return std::any_of(layer.begin(), layer.end(), [&](std::uint32_t number) { return keys_[number] == key; });
}

std::optional<LayerKey> StormPart::next() {
    auto layer = now_ ? layers_.upper_bound(*now_) : layers_.begin();
    while (layer != layers_.end() && !leads(layer->second, layer->first)) layer = layers_.erase(layer);
    return layer == layers_.end() ? std::nullopt : std::optional(layer->first);
}

const std::vector<std::uint32_t>& StormPart::current() const {
    static const std::vector<std::uint32_t> none;
    const auto layer = now_ ? layers_.find(*now_) : layers_.end();
    return layer == layers_.end() ? none : layer->second;
}

StormPart::Outgoing StormPart::expand(LayerKey layer, std::uint32_t open) {
    open_ = open;
    if (now_ != layer) {
        now_ = layer;
        cursor_ = 0;
        hit_ = false;
        found_.assign(rows_.question.asks.size(), std::nullopt);
        if (const auto own = layers_.find(layer); own != layers_.end())
            std::erase_if(own->second, [&](std::uint32_t number) { return keys_[number] != layer; });
    }
    Outgoing out(parts_);
    const std::vector<std::uint32_t>& own = current();
    for (std::size_t n = 0; n < batch && cursor_ < own.size(); ++n, ++cursor_) expand(own[cursor_], out);
    return out;
}

void StormPart::expand(std::uint32_t number, Outgoing& out) {
    ++expansions_;
    rows_.packing.unpack(at(number), row_.data());
    const std::uint32_t goals = holding(number);
    bool calm = false;
    steps_.each(row_.data(), rows_.question.k, false, [&](const FaultyStep& step, std::uint32_t faults, const Cell* row) {
        calm = calm || faults == 0;
        hit_ = hit_ || !row;
        if (row && faults_of(*now_) + faults <= rows_.question.most_faults) reach(number, step, faults, row, out);
    });
    learn(number, goals);
    // No calm step is possible: goals that do not hold here are out of reach.
    for (std::uint32_t a = 0; a < found_.size() && !calm; ++a)
        if ((always() & ~goals) >> a & 1) note_violation(a, number);
}

// The goals that hold here, of those that must stay possible.
std::uint32_t StormPart::holding(std::uint32_t number) {
    std::uint32_t goals = 0;
    const RowView<Cell> view{rows_.layout, row_.data()};
    for (std::uint32_t a = 0; a < found_.size(); ++a) {
        if (!(open_ >> a & 1) || !may_hold(rows_.rules, rows_.question.asks[a].goal, view)) continue;
        if (rows_.question.asks[a].always) goals |= 1u << a;
        else note_violation(a, number);
    }
    return goals;
}

void StormPart::note_violation(std::uint32_t ask, std::uint32_t number) {
    std::optional<std::uint32_t>& best = found_[ask];
    const std::size_t words = rows_.packing.words();
    if (!best || std::lexicographical_compare(at(number), at(number) + words, at(*best), at(*best) + words)) best = number;
}

std::vector<StormPart::Found> StormPart::found() const {
    std::vector<Found> out;
    for (std::uint32_t a = 0; a < found_.size(); ++a)
        if (found_[a]) out.push_back({a, words(*found_[a])});
    return out;
}

void StormPart::reach(std::uint32_t number, const FaultyStep& step, std::uint32_t faults, const Cell* row, Outgoing& out) {
    ++step_count_;
    const std::size_t words = rows_.packing.words();
    std::copy_n(at(number), words, next_.begin());
    const Transition& t = rows_.system.processes[step.process].transitions[step.transition];
    rows_.packing.repack(row, step.process, t.channel, next_.data());
    const Arrival arrival{number, static_cast<std::uint16_t>(step.process), static_cast<std::uint16_t>(faults)};
    const std::uint32_t to = StormRows::owner(rows_.hash(next_.data()), parts_);
    if (to == part_) return take_in(next_.data(), arrival, part_);
    out[to].append(reinterpret_cast<const char*>(next_.data()), rows_.bytes());
    put(out[to], arrival);
}

void StormPart::absorb(std::uint32_t from, std::string_view data) {
    each(data, arrival_bytes(), [&](const char* record) {
        std::memcpy(next_.data(), record, rows_.bytes());
        take_in(next_.data(), read<Arrival>(record + rows_.bytes()), from);
    });
}

// Fewer faults are better, then fewer actions.
void StormPart::take_in(const std::uint64_t* words, const Arrival& arrival, std::uint32_t from) {
    const std::uint32_t number = find_or_add(words);
    const LayerKey key = layer_key(faults_of(*now_) + arrival.faults, actions_of(*now_) + 1);
    if (key < keys_[number]) {
        keys_[number] = key;
        origins_[number] = {arrival.source, static_cast<std::uint16_t>(from), arrival.process};
        layers_[key].push_back(number);
    }
    if (arrival.faults == 0 && always()) note_step(number, arrival.source, from);
}

// ---- what stays possible ---------------------------------------------------------------------------------

void StormPart::note_step(std::uint32_t target, std::uint32_t source, std::uint32_t from) {
    if (faults_of(keys_[target]) < faults_of(*now_)) return tell(masks_[target], source, from, replies_);
    if (edges_.size() >= UINT32_MAX - 1) throw std::bad_alloc();
    edges_.push_back({source, last_edge_[target], from});
    last_edge_[target] = static_cast<std::uint32_t>(edges_.size());
}

void StormPart::tell(std::uint32_t bits, std::uint32_t source, std::uint32_t part, Outgoing& out) {
    bits &= always();
    if (part == part_) learn(source, bits);
    else if (bits) put(out[part], Future{bits, source});
}

void StormPart::learn(std::uint32_t number, std::uint32_t bits) {
    if (!(bits & ~masks_[number])) return;
    if (!(masks_[number] & waits)) waiting_.push_back(number);
    masks_[number] |= bits | waits;
}

StormPart::Outgoing StormPart::spread() {
    Outgoing out(parts_);
    out.swap(replies_);
    for (std::size_t n = 0; n < batch && !waiting_.empty(); ++n) {
        const std::uint32_t number = waiting_.back();
        waiting_.pop_back();
        masks_[number] &= ~waits;
        const std::uint32_t bits = masks_[number];
        for (std::uint32_t e = last_edge_[number]; e; e = edges_[e - 1].next)
            tell(bits, edges_[e - 1].source, edges_[e - 1].part, out);
    }
    return out;
}

void StormPart::take(std::string_view data) {
    each(data, sizeof(Future), [&](const char* record) {
        const auto future = read<Future>(record);
        learn(future.source, future.bits);
    });
}

bool StormPart::spreading() const {
    return !waiting_.empty() || std::any_of(replies_.begin(), replies_.end(), [](const auto& r) { return !r.empty(); });
}

template <class Visit>
void StormPart::each_incomplete(Visit&& visit) const {
    const LayerKey first = layer_key(faults_of(*now_), 0);
    for (auto layer = layers_.lower_bound(first); layer != layers_.end() && layer->first <= *now_; ++layer)
        for (const std::uint32_t number : layer->second)
            if ((masks_[number] & always()) != always()) visit(number);
}

std::uint64_t StormPart::lacking() const {
    std::uint64_t count = 0;
    each_incomplete([&](std::uint32_t) { ++count; });
    return count;
}

std::string StormPart::incomplete() {
    std::string out;
    listed_.clear();
    each_incomplete([&](std::uint32_t number) {
        listed_.push_back(number);
        out += words(number);
        put(out, actions_of(keys_[number]));
        put(out, masks_[number]);
    });
    return out;
}

void StormPart::close_level(std::string_view masks) {
    if (masks.size() != listed_.size() * sizeof(std::uint32_t))
        throw std::invalid_argument("a message between parts was cut off");
    for (std::size_t i = 0; i < listed_.size(); ++i)
        masks_[listed_[i]] |= read<std::uint32_t>(masks.data() + i * sizeof(std::uint32_t));
    std::vector<std::uint32_t>().swap(listed_);
    std::vector<Edge>().swap(edges_);
    std::fill(last_edge_.begin(), last_edge_.end(), 0);
}

// ---- answers ---------------------------------------------------------------------------------------------

std::string StormPart::masks(std::string_view rows) const {
    std::string out;
    each(rows, rows_.bytes(), [&](const char* row) {
        const auto number = find({row, rows_.bytes()});
        put(out, number ? masks_[*number] & ~waits : std::uint32_t{0});
    });
    return out;
}

std::string StormPart::full(LayerKey until, std::size_t most) {
    std::string out;
    std::size_t count = 0;
    for (auto layer = layers_.lower_bound(layer_key(faults_of(until), 0)); layer != layers_.end() && layer->first < until; ++layer)
        for (const std::uint32_t number : layer->second) {
            if (keys_[number] != layer->first || count >= most) continue;
            bool hit = false;
            rows_.packing.unpack(at(number), row_.data());
            steps_.each(row_.data(), rows_.question.k, true, [&](const FaultyStep&, std::uint32_t, const Cell* row) { hit = hit || !row; });
            if (!hit) continue;
            ++count;
            out += words(number);
            put(out, actions_of(layer->first));
        }
    return out;
}

std::optional<std::uint32_t> StormPart::find(std::string_view words) const {
    if (words.size() != rows_.bytes()) throw std::invalid_argument("a message between parts was cut off");
    std::vector<std::uint64_t> wanted(rows_.packing.words());
    std::memcpy(wanted.data(), words.data(), words.size());
    const std::uint32_t number = slots_[slot_of(wanted.data())];
    return number ? std::optional(number - 1) : std::nullopt;
}

std::uint64_t StormPart::bytes() const {
    std::uint64_t layers = 0;
    for (const auto& [key, layer] : layers_) layers += layer.capacity() * sizeof(std::uint32_t);
    return configs_.capacity() * sizeof(std::uint64_t) + keys_.capacity() * sizeof(LayerKey) +
           origins_.capacity() * sizeof(Origin) + edges_.capacity() * sizeof(Edge) + layers +
           (slots_.capacity() + masks_.capacity() + last_edge_.capacity() + waiting_.capacity() + listed_.capacity()) *
               sizeof(std::uint32_t);
}

// ---- configurations --------------------------------------------------------------------------------------

// Where the words are, or where they would be.
std::size_t StormPart::slot_of(const std::uint64_t* words) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = rows_.hash(words) >> 32 & mask;
    while (slots_[slot] && std::memcmp(at(slots_[slot] - 1), words, rows_.bytes()) != 0) slot = (slot + 1) & mask;
    return slot;
}

std::uint32_t StormPart::find_or_add(const std::uint64_t* words) {
    if (2 * (keys_.size() + 1) > slots_.size()) grow();
    const std::size_t slot = slot_of(words);
    if (slots_[slot]) return slots_[slot] - 1;
    if (keys_.size() >= UINT32_MAX - 1) throw std::bad_alloc();
    configs_.insert(configs_.end(), words, words + rows_.packing.words());
    keys_.push_back(UINT64_MAX);
    origins_.emplace_back();
    masks_.push_back(0);
    last_edge_.push_back(0);
    return (slots_[slot] = static_cast<std::uint32_t>(keys_.size())) - 1;
}

void StormPart::grow() {
    std::vector<std::uint32_t>(2 * slots_.size(), 0).swap(slots_);
    for (std::uint32_t number = 0; number < keys_.size(); ++number) slots_[slot_of(at(number))] = number + 1;
}

}  // namespace stormproof::survival
