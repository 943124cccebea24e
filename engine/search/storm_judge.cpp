#include "search/storm_judge.hpp"

#include <cstring>
#include <tuple>

namespace stormproof::survival {
namespace {


std::uint32_t number_at(const char* data) {
    std::uint32_t value;
    std::memcpy(&value, data, sizeof value);
    return value;
}

}  // namespace

// ---- violations ------------------------------------------------------------------------------------------

void StormJudge::add_layer(StormParts& parts, LayerKey layer, bool hit, const std::vector<StormPart::Found>& found) {
    where_ = &parts;
    level_ = faults_of(layer);
    if (hit) result_.hit_faults = std::min(result_.hit_faults, level_);
    std::vector<std::vector<std::uint64_t>> least(q_.asks.size());
    for (const StormPart::Found& f : found) {
        const auto words = words_of(f.words.data());
        if (least[f.ask].empty() || words < least[f.ask]) least[f.ask] = words;
    }
    for (std::uint32_t a = 0; a < least.size(); ++a)
        if (!least[a].empty() && (open() >> a & 1)) show(a, least[a], layer);
    if (!open()) result_.faults_explored = level_ + 1;
}

void StormJudge::show(std::uint32_t ask, const std::vector<std::uint64_t>& words, LayerKey layer) {
    const std::vector<Finding> before = result_.findings;
    try {
        const std::uint32_t id = node_of(words, layer);
        if (!q_.asks[ask].always) return violated(ask, {id, EndKind::none}, {});
        const RowView<Cell> view{layout_, store_.row(id)};
        const EndKind kind = is_at_rest(rules_, view) ? EndKind::rest : EndKind::deadlock;
        fill_full(layer);
        violated(ask, nearest(ask, {id, kind}), exact());
    } catch (...) {
        result_.findings = before;
        throw;
    }
}

// The configurations with as many faults and fewer actions where a send hits the bound: no more than nearer_ends.hpp
// looks at.
void StormJudge::fill_full(LayerKey until) {
    full_.clear();
    if (result_.hit_faults > level_) return;
    const std::size_t bytes = rows_->bytes() + sizeof(std::uint32_t);
    std::vector<std::pair<std::uint32_t, std::vector<std::uint64_t>>> found;
    for (const std::string& list : where_->full(until, NearerEnds<Cell>::most))
        for (std::size_t at = 0; at < list.size(); at += bytes)
            found.emplace_back(number_at(list.data() + at + rows_->bytes()), words_of(list.data() + at));
    std::sort(found.begin(), found.end());
    if (found.size() > NearerEnds<Cell>::most) found.resize(NearerEnds<Cell>::most);
    for (const auto& [actions, words] : found) full_.push_back(node_of(words, layer_key(level_, actions)));
}

void StormJudge::add_run_to(std::uint32_t id) {
    if (store_.nodes[id].parent != nothing || store_.nodes[id].actions == 0) return;
    const auto end = words_of(id);
    const std::vector<StormParts::Stage> run = where_->run_to(owner(end), text(end));
    std::uint32_t before = nothing;
    for (std::size_t i = run.size(); i-- > 0;) {
        const std::uint32_t here = node_of(words_of(run[i].words.data()), run[i].layer);
        store_.nodes[here].parent = before;
        store_.nodes[here].last = static_cast<std::uint16_t>(run[i].process);
        before = here;
    }
}

// ---- calm futures ----------------------------------------------------------------------------------------

// Each is there as it was sent, in the list that is sorted, and in the store, which is copied when it grows.
bool StormJudge::make_room(std::uint64_t rows) {
    const std::uint64_t each = 2 * (layout_.cells * sizeof(Cell) + sizeof(Node)) + 3 * rows_->bytes() + sizeof(Left);
    if (!monitor_.allows(2 * store_.bytes() + rows * each)) result_.stop = Stop::memory;
    return result_.stop == Stop::none;
}

std::vector<std::string> StormJudge::judge(StormParts& parts, std::uint32_t level,
                                           const std::vector<std::string>& incomplete, std::uint64_t elsewhere) {
    where_ = &parts;
    level_ = level;
    elsewhere_ = elsewhere;
    since_check_ = rules_.check_every;
    reached_.clear();
    const std::vector<Left> left = sorted(incomplete);
    for (const Left& l : left) {
        const std::uint32_t id = node_of(l.words, layer_key(level, l.actions));
        store_.nodes[id].mask |= l.mask;
        store_.nodes[id].flags |= valued | asked;
        reached_.push_back(id);
        if (over()) return {};
    }
    const std::vector<Finding> before = result_.findings;
    try {
        if (always_) judge_level();
    } catch (...) {
        result_.findings = before;
        throw;
    }
    if (result_.stop != Stop::none) return {};
    result_.faults_explored = level + 1;
    std::vector<std::string> masks;
    for (const std::string& list : incomplete)
        masks.emplace_back(list.size() / (rows_->bytes() + 2 * sizeof(std::uint32_t)) * sizeof(std::uint32_t), '\0');
    for (std::size_t i = 0; i < left.size(); ++i) {
        const std::uint32_t mask = store_.nodes[reached_[i]].mask & ~unclear;
        std::memcpy(masks[left[i].part].data() + left[i].place * sizeof mask, &mask, sizeof mask);
    }
    return masks;
}

// By actions, then by words: the same however they are divided.
std::vector<StormJudge::Left> StormJudge::sorted(const std::vector<std::string>& incomplete) const {
    const std::size_t bytes = rows_->bytes() + 2 * sizeof(std::uint32_t);
    std::vector<Left> left;
    for (std::uint32_t part = 0; part < incomplete.size(); ++part)
        for (std::size_t place = 0; place < incomplete[part].size() / bytes; ++place) {
            const char* data = incomplete[part].data() + place * bytes;
            const char* behind = data + rows_->bytes();
            left.push_back({number_at(behind), words_of(data), number_at(behind + 4), part, place});
        }
    std::sort(left.begin(), left.end(), [](const Left& a, const Left& b) {
        return std::tie(a.actions, a.words) < std::tie(b.actions, b.words);
    });
    return left;
}

// Asks the parts for the masks of the successors of these: all at once, since each question takes its time.
void StormJudge::learn_elsewhere(const std::vector<std::uint32_t>& ids) {
    std::vector<std::string> rows(parts_);
    std::vector<std::vector<std::uint32_t>> whose(parts_);
    for (auto id : ids)
        store_.each_successor(id, [&](std::uint32_t after) {
            Node& node = store_.nodes[after];
            if (node.is(judged | asked) || complete(after) || !rows_->packing.fits(store_.row(after))) return;
            node.flags |= asked;
            const auto words = words_of(after);
            const std::uint32_t part = owner(words);
            rows[part] += text(words);
            whose[part].push_back(after);
        });
    const auto empty = [](const std::string& r) { return r.empty(); };
    if (std::all_of(rows.begin(), rows.end(), empty)) return;
    const std::vector<std::string> masks = where_->masks(rows);
    for (std::uint32_t part = 0; part < parts_; ++part)
        for (std::size_t i = 0; i < whose[part].size(); ++i)
            store_.nodes[whose[part][i]].mask |= number_at(masks[part].data() + i * sizeof(std::uint32_t));
}

bool StormJudge::over() {
    if (result_.stop != Stop::none) return true;
    if (++since_check_ < rules_.check_every && !store_.full()) return false;
    since_check_ = 0;
    monitor_.states = elsewhere_ + store_.size();
    monitor_.memory = store_.bytes();
    // Twice, because arrays are copied when they grow.
    result_.stop = store_.full() || !monitor_.allows(2 * store_.bytes()) ? Stop::memory : monitor_.over();
    return result_.stop != Stop::none;
}

Result StormJudge::conclude(bool finished, std::uint64_t configurations, std::uint64_t stored) {
    if (!finished && result_.stop == Stop::none) result_.stop = Stop::interrupted;
    Judge<Cell>::conclude();
    result_.configurations = configurations;
    result_.stored = stored;
    return result_;
}

// ---- configurations --------------------------------------------------------------------------------------

// A configuration that a storm of this layer reaches, in the ordinary store.
std::uint32_t StormJudge::node_of(const std::vector<std::uint64_t>& words, LayerKey layer) {
    std::vector<Cell> row(layout_.cells);
    rows_->packing.unpack(words.data(), row.data());
    const std::uint32_t id = store_.find_or_add(row.data());
    store_.nodes[id].faults = faults_of(layer);
    store_.nodes[id].actions = actions_of(layer);
    return id;
}

std::vector<std::uint64_t> StormJudge::words_of(const char* data) const {
    std::vector<std::uint64_t> words(rows_->packing.words());
    std::memcpy(words.data(), data, rows_->bytes());
    return words;
}

std::vector<std::uint64_t> StormJudge::words_of(std::uint32_t id) const {
    std::vector<std::uint64_t> words(rows_->packing.words());
    rows_->packing.pack(store_.row(id), words.data());
    return words;
}

std::uint32_t StormJudge::owner(const std::vector<std::uint64_t>& words) const {
    return StormRows::owner(rows_->hash(words.data()), parts_);
}

std::string StormJudge::text(const std::vector<std::uint64_t>& words) const {
    return {reinterpret_cast<const char*>(words.data()), rows_->bytes()};
}

}  // namespace stormproof::survival
