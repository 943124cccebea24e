// Chooses how wide the cells of a configuration are, whether reduction is used, and in which store configurations are.
#include "questions/survival.hpp"

#include <stdexcept>

#include "questions/survival_stores.hpp"
#include "reduce/may_fill.hpp"
#include "reduce/row_symmetry.hpp"
#include "store/disk_files.hpp"

namespace stormproof::survival {
namespace {

// No configuration has more calm successors.
std::uint64_t most_successors(const System& system) {
    std::uint64_t most = 0;
    for (const Process& process : system.processes) {
        std::vector<std::uint64_t> leaving(process.states, 0);
        for (const Transition& t : process.transitions) ++leaving[t.source];
        most += *std::max_element(leaving.begin(), leaving.end());
    }
    return most;
}

// What the compact store decides, with what was known before where it has no answer.
Result join(Result compact, const Result& before) {
    for (std::size_t a = 0; a < compact.findings.size() && compact.stop != Stop::none; ++a)
        if (compact.findings[a].outcome == Outcome::unknown) compact.findings[a] = before.findings[a];
    compact.faults_explored = std::max(compact.faults_explored, before.faults_explored);
    return compact;
}

// In the compact store when memory runs short.
template <class Cell>
Result search_in_memory(const System& system, const Question& q, Monitor& monitor) {
    if (q.compact && fits_compact(q)) return search_in_store(system, q, monitor);
    const Result result = search_in_graph<Cell>(system, q, monitor);
    if (result.stop != Stop::memory || !fits_compact(q)) return result;
    return join(search_in_store(system, q, monitor), result);
}

Result on_disk(const System& system, const Question& q, Monitor& monitor, const std::string& name) {
    const Layout layout(system, q);
    const Packing<PackedCell> packing(system, q, layout, q.k);
    if (packing.words() > max_words) throw DiskError("configurations of more than 4096 bits are not explored on disk");
    const auto run = [&]<unsigned W>() { return search_on_disk<W>(system, q, monitor, name, packing); };
    return in_least_width(FewWidths{}, packing.words(), run);
}

// On disk, if that is wanted, once memory has ended; or at once where an earlier process has begun there.
template <class Cell>
Result search_in_cells(const System& system, const Question& q, Monitor& monitor) {
    const bool disk = q.disk.wanted() && q.most_certified == 0;  // a certificate lists all configurations
    const std::string name = disk ? fingerprint(system, q) : "";
    if (!disk || !(q.disk.at_once || begun_on_disk(q.disk, name))) {
        Result result = search_in_memory<Cell>(system, q, monitor);
        if (!disk || result.stop != Stop::memory) return result;
    }
    try {
        return on_disk(system, q, monitor, name);
    } catch (const DiskError& problem) {
        Result result;
        result.stop = Stop::disk;
        result.problem = problem.what();
        result.findings.resize(q.asks.size());
        return result;
    }
}

Result search(const System& system, const Question& asked, Monitor& monitor) {
    const Question question = without_needless_slack(asked);
    const std::uint64_t most = largest_cell(system, question);
    if (most <= UINT8_MAX) return search_in_cells<std::uint8_t>(system, question, monitor);
    if (most <= UINT16_MAX) return search_in_cells<std::uint16_t>(system, question, monitor);
    throw std::length_error("the system is too large for this search");
}

// Steps do not commute under a budget of faults, nor with a cut of their channel; a certificate lists all configurations.
bool reducible(const Question& q) {
    const auto unlimited = [](std::uint32_t most) { return most == nothing; };
    return q.reduction && q.most_certified == 0 && q.lists.empty() && q.most_faults == nothing && !q.extras.links.any() &&
           std::all_of(q.most_of_kind.begin(), q.most_of_kind.end(), unlimited);
}

// A certificate lists all configurations.
bool symmetric(const Question& q) { return q.symmetry && q.most_certified == 0; }

// What is only tried, within a budget, is not worth the disk.
Question in_memory(Question q) {
    q.disk = {};
    return q;
}

bool answered(const Finding& finding, bool holds) { return (finding.outcome == Outcome::holds) == holds; }

// The asks whose finding so far is that they hold, or the others, asked anew; their answers replace those findings, unless
// a limit is hit: what is violated is still violated then.
bool ask_again(const System& system, Question question, Monitor& monitor, bool holding, Result& result) {
    std::vector<Ask> asks;
    for (std::size_t a = 0; a < result.findings.size(); ++a)
        if (answered(result.findings[a], holding)) asks.push_back(question.asks[a]);
    question.asks = std::move(asks);
    if (!question.group.empty()) question.group = symmetries(system, question, monitor);
    Result again = search(system, question, monitor);
    if (again.stop != Stop::none && !holding) return false;
    auto next = again.findings.begin();
    for (Finding& finding : result.findings)
        if (answered(finding, holding)) finding = std::move(*next++);
    result.stop = again.stop;
    if (holding) result.hit_faults = again.hit_faults;
    result.memory = std::max(result.memory, again.memory);
    return true;
}

bool all_hold(const Result& result) {
    const auto holds = [](const Finding& finding) { return answered(finding, true); };
    return std::all_of(result.findings.begin(), result.findings.end(), holds);
}

// The runs that the whole search would show, or at least those up to symmetry, if they are found within a budget.
void show_whole_runs(const System& system, const Question& q, Monitor& monitor, bool reduced, Result& result) {
    if (result.stop != Stop::none || all_hold(result)) return;
    Question plain = in_memory(q);
    plain.group.clear();
    Monitor budget(monitor, q.witness_budget);
    if (ask_again(system, plain, budget, false, result) || !reduced || q.group.size() <= 1) return;
    Monitor second(monitor, q.witness_budget);
    ask_again(system, in_memory(q), second, false, result);
}

}  // namespace

Question without_needless_slack(Question question) {
    if (std::none_of(question.asks.begin(), question.asks.end(), [](const Ask& ask) { return ask.always; }))
        question.slack = 0;
    return question;
}

std::uint64_t largest_cell(const System& system, const Question& question) {
    if (most_successors(system) > UINT16_MAX) return UINT64_MAX;
    std::uint64_t most = std::max<std::uint64_t>(system.messages, std::uint64_t{question.k} + question.slack + 1);
    for (const Process& process : system.processes) most = std::max<std::uint64_t>(most, process.states);
    for (auto limit : question.most_of_kind)
        if (limit != nothing) most = std::max<std::uint64_t>(most, std::uint64_t{limit} + 1);
    return most;
}

Result survive(const System& system, const Question& question, Monitor& monitor) {
    Question q = question;
    q.reduction = false;
    if (!reducible(question) && !symmetric(question)) return search(system, q, monitor);
    if (q.reduce_from > 0) {
        Monitor small(monitor, monitor.at_most(q.reduce_from));
        Result result = search(system, in_memory(q), small);
        const bool larger = result.stop == Stop::states && monitor.at_most(q.reduce_from) >= q.reduce_from;
        if (!larger && !(result.stop == Stop::memory && q.disk.wanted())) return result;
    }
    if (symmetric(question)) q.group = symmetries(system, q, monitor);
    if (!reducible(question)) {
        Result result = search(system, q, monitor);
        if (q.group.size() > 1) show_whole_runs(system, q, monitor, false, result);
        return result;
    }
    Question reduced = q;
    reduced.reduction = true;
    reduced.may_hit = channels_that_may_fill(system, q, [&](const System& pair, const Question& about) {
        if (monitor.must_end()) return true;
        Monitor little(monitor, 5000);
        const Result result = search(pair, about, little);
        return result.stop != Stop::none || result.hit_faults != nothing;
    });
    Result result = search(system, reduced, monitor);
    if (result.stop != Stop::none) return result;
    if (all_hold(result)) return result;
    // Whether a send hits the bound is certain if all that was asked holds, or if one was seen to.
    const auto holds = [](const Finding& finding) { return answered(finding, true); };
    if (result.hit_faults == nothing && std::any_of(result.findings.begin(), result.findings.end(), holds))
        ask_again(system, reduced, monitor, true, result);
    show_whole_runs(system, q, monitor, true, result);
    return result;
}

}  // namespace stormproof::survival
