// survive() from Python: types converted, the lock released, nothing else.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/bind.hpp"
#include "questions/survival.hpp"

namespace nb = nanobind;
using namespace stormproof;

using Flags = std::vector<std::uint8_t>;
using PlainGoal = std::vector<std::tuple<survival::GoalKind, bool, std::uint32_t, std::vector<std::uint32_t>>>;
using Number = std::optional<std::uint32_t>;
using PlainList = std::tuple<std::vector<survival::ContentForm>, bool, std::set<std::vector<std::uint32_t>>>;

using PlainPending = std::optional<std::tuple<std::uint32_t, std::uint32_t, PlainGoal, PlainGoal>>;

// The first component, and what observers do: (process, transition, observer, where it goes from each of its states).
using PlainMove = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::vector<std::uint32_t>>;
// The process by whose step time passes, the clock of each process, when the first timer of each state is due, and paces.
using PlainClocks = std::optional<std::tuple<std::uint32_t, std::vector<Number>, std::vector<std::vector<std::uint32_t>>,
                                             std::vector<std::vector<survival::Pace>>>>;
// The network; of each of its transitions what it cuts: (component, channel, receiver, sender into a mailbox); and for each
// process and transition the component of the channel into which it sends.
using PlainCut = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, Number>;
using PlainLinks = std::optional<std::tuple<std::uint32_t, std::vector<std::vector<PlainCut>>, std::vector<std::vector<Number>>>>;
using PlainExtras = std::optional<std::tuple<std::uint32_t, std::vector<PlainMove>, PlainClocks, PlainLinks>>;

static survival::Goal goal_of(const PlainGoal& plain) {
    survival::Goal goal;
    for (const auto& [kind, negated, subject, details] : plain) goal.push_back({kind, negated, subject, details});
    return goal;
}

static Number number(std::uint32_t n) { return n == survival::nothing ? std::nullopt : Number(n); }

static survival::Links links_of(const PlainLinks& plain) {
    survival::Links links;
    if (!plain) return links;
    const auto& [network, cuts, says] = *plain;
    links.network = network;
    for (const auto& channels : cuts) {
        auto& cut = links.cuts.emplace_back();
        for (const auto& [component, channel, receiver, sender] : channels)
            cut.push_back({component, channel, receiver, sender.value_or(UINT32_MAX)});
    }
    for (const auto& transitions : says) {
        auto& row = links.says.emplace_back();
        for (const Number& component : transitions) row.push_back(component.value_or(UINT32_MAX));
    }
    return links;
}

static survival::Extras extras_of(const PlainExtras& plain, const std::vector<Flags>& marks) {
    survival::Extras extras;
    if (!plain) return extras;
    const auto& [first, moves, clocks, links] = *plain;
    extras.first = first;
    if (clocks) {
        const auto& [time, of, due, pace] = *clocks;
        extras.clocks = {time, {}, due, pace};
        for (const Number& clock : of) extras.clocks.of.push_back(clock.value_or(survival::Clocks::none));
    }
    extras.links = links_of(links);
    if (!moves.empty())
        for (const Flags& transitions : marks) extras.observed.emplace_back(transitions.size());
    for (const auto& [process, transition, observer, to] : moves)
        extras.observed.at(process).at(transition).push_back({observer, to});
    return extras;
}

static void make(survival::Question* self, std::uint32_t k, std::uint32_t slack,
                 const std::vector<std::pair<bool, PlainGoal>>& asks, std::vector<Flags> marks, std::vector<Flags> rests,
                 std::vector<Flags> ended, Flags observed, Number most_faults, const std::vector<Number>& most_of_kind,
                 const std::vector<std::pair<std::uint32_t, std::uint32_t>>& ladder, std::uint32_t most_abstract,
                 std::uint32_t most_certified, const std::vector<PlainList>& lists, bool reduction,
                 std::uint64_t reduce_from, bool symmetry, std::uint64_t witness_budget, const DiskOptions& disk,
                 std::uint32_t threads, std::uint64_t parallel_from, bool compact, const PlainPending& pending,
                 const PlainExtras& extras, Number most_actions) {
    if (most_certified > 0 && asks.size() != 1) throw nb::value_error("a certificate is of a single question");
    if (asks.size() > survival::most_asks) throw nb::value_error("too many questions at once");
    survival::Question& q = *new (self) survival::Question;
    q.k = k;
    q.slack = slack;
    for (const auto& [always, goal] : asks) q.asks.push_back({always, goal_of(goal)});
    if (pending) {
        const auto& [process, state, begin, end] = *pending;
        q.pending = {process, state, goal_of(begin), goal_of(end)};
    }
    q.extras = extras_of(extras, marks);
    q.marks = std::move(marks);
    q.rests = std::move(rests);
    q.ended = std::move(ended);
    q.observed = std::move(observed);
    q.most_faults = most_faults.value_or(survival::nothing);
    for (std::size_t i = 0; i < fault_kinds && i < most_of_kind.size(); ++i)
        q.most_of_kind[i] = most_of_kind[i].value_or(survival::nothing);
    for (const auto& [blocks, counted] : ladder) q.ladder.push_back({blocks, counted});
    q.most_abstract = most_abstract;
    q.most_certified = most_certified;
    for (const auto& [forms, heads, rows] : lists) q.lists.push_back({forms, heads, rows});
    q.reduction = reduction;
    q.reduce_from = reduce_from;
    q.symmetry = symmetry;
    q.witness_budget = witness_budget;
    q.disk = disk;
    q.threads = std::max(1u, threads);
    q.parallel_from = parallel_from;
    q.compact = compact;
    q.most_actions = most_actions.value_or(survival::nothing);
}

static void bind_faulty_step(nb::module_& m) {
    using survival::FaultyStep;
    nb::class_<FaultyStep>(m, "FaultyStep")
        .def_ro("process", &FaultyStep::process)
        .def_ro("transition", &FaultyStep::transition)
        .def_prop_ro("outcome", [](const FaultyStep& s) {
            std::map<std::string, Number> fields;
            each_field(s, [&](const char* name, std::uint32_t value) { fields[name] = number(value); });
            return fields;
        })
        .def_prop_ro("fault", [](const FaultyStep& s) {
            return s.mark == survival::unmarked ? std::nullopt : std::optional(static_cast<Fault>(s.mark));
        });
}

template <class T>
static nb::bytes raw(const std::vector<T>& numbers) {
    return nb::bytes(numbers.data(), numbers.size() * sizeof(T));
}

static void bind_certified(nb::module_& m) {
    using survival::Certified;
    nb::class_<Certified>(m, "Certified", "What a certificate lists; numbers of 16, 32 and 32 bits.")
        .def_ro("too_large", &Certified::too_large)
        .def_prop_ro("codes", [](const Certified& c) { return raw(c.codes); })
        .def_prop_ro("ranks", [](const Certified& c) { return raw(c.ranks); })
        .def_prop_ro("faults", [](const Certified& c) { return raw(c.faults); });
}

void bind_survival(nb::module_& m) {
    nb::enum_<survival::GoalKind>(m, "GoalKind", "The nodes of a goal in negation normal form.")
        .value("ALL", survival::GoalKind::all)
        .value("ANY", survival::GoalKind::any)
        .value("AT", survival::GoalKind::at)
        .value("HOLDS", survival::GoalKind::holds)
        .value("CONTAINS", survival::GoalKind::contains)
        .value("HEAD", survival::GoalKind::head)
        .value("DEADLOCK", survival::GoalKind::deadlock)
        .value("AT_REST", survival::GoalKind::at_rest)
        .value("LISTED", survival::GoalKind::listed);
    nb::enum_<survival::Pace>(m, "Pace", "What an internal action has to do with time.")
        .value("AT_ONCE", survival::Pace::at_once)
        .value("TIMER", survival::Pace::timer)
        .value("ANY_TIME", survival::Pace::any_time)
        .value("PASSES", survival::Pace::passes);
    nb::enum_<survival::ContentForm>(m, "ContentForm", "What stands for the content of a channel in a list.")
        .value("WORD", survival::ContentForm::word)
        .value("MULTISET", survival::ContentForm::multiset)
        .value("LENGTH", survival::ContentForm::length);
    nb::enum_<survival::Outcome>(m, "Outcome", "What a search found out about one question.")
        .value("UNKNOWN", survival::Outcome::unknown)
        .value("HOLDS", survival::Outcome::holds)
        .value("VIOLATED", survival::Outcome::violated)
        .value("UNDECIDED", survival::Outcome::undecided);
    nb::enum_<survival::EndKind>(m, "EndKind", "How a violating run ends.")
        .value("NONE", survival::EndKind::none)
        .value("DEADLOCK", survival::EndKind::deadlock)
        .value("REST", survival::EndKind::rest)
        .value("LIVELOCK", survival::EndKind::livelock)
        .value("DIVERGENCE", survival::EndKind::divergence);
    bind_faulty_step(m);
    bind_certified(m);
    using survival::Finding;
    nb::class_<Finding>(m, "Finding")
        .def_ro("outcome", &Finding::outcome)
        .def_ro("faults", &Finding::faults)
        .def_ro("run", &Finding::run)
        .def_ro("calm_from", &Finding::calm_from)
        .def_ro("cycle", &Finding::cycle)
        .def_ro("end", &Finding::end)
        .def_prop_ro("hit_faults", [](const Finding& f) { return number(f.hit_faults); })
        .def_ro("reduced", &Finding::reduced)
        .def_prop_ro("undecided_faults", [](const Finding& f) { return number(f.undecided_faults); })
        .def_prop_ro("proof", [](const Finding& f) { return std::pair(f.proof.blocks, f.proof.counted); });
    using survival::Result;
    nb::class_<Result>(m, "SurvivalResult")
        .def_ro("stop", &Result::stop)
        .def_ro("configurations", &Result::configurations)
        .def_ro("stored", &Result::stored)
        .def_ro("memory", &Result::memory)
        .def_ro("on_disk", &Result::on_disk)
        .def_ro("problem", &Result::problem)
        .def_prop_ro("hit_faults", [](const Result& r) { return number(r.hit_faults); })
        .def_ro("faults_explored", &Result::faults_explored)
        .def_ro("symmetries", &Result::symmetries)
        .def_ro("compact", &Result::compact)
        .def_ro("findings", &Result::findings)
        .def_ro("certified", &Result::certified);
    using survival::Question;
    nb::class_<Question>(m, "SurvivalQuestion")
        .def("__init__", &make, nb::arg("k"), nb::arg("slack"), nb::arg("asks"), nb::arg("marks"), nb::arg("rests"),
             nb::arg("ended"), nb::arg("observed"), nb::arg("most_faults").none(), nb::arg("most_of_kind"),
             nb::arg("ladder"), nb::arg("most_abstract"), nb::arg("most_certified") = 0,
             nb::arg("lists") = std::vector<PlainList>{}, nb::arg("reduction") = false,
             nb::arg("reduce_from") = Question{}.reduce_from, nb::arg("symmetry") = false,
             nb::arg("witness_budget") = Question{}.witness_budget, nb::arg("disk") = DiskOptions{},
             nb::arg("threads") = 1, nb::arg("parallel_from") = Question{}.parallel_from, nb::arg("compact") = false,
             nb::arg("pending") = nb::none(), nb::arg("extras") = nb::none(), nb::arg("most_actions") = nb::none());
    m.def("survive", &survival::survive, nb::arg("system"), nb::arg("question"), nb::arg("monitor"),
          nb::call_guard<nb::gil_scoped_release>());
}
