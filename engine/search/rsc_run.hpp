// The run to a violation that the search of rsc.hpp has found.
//
// States do not say how they were reached: each state on the way is expanded once more to see which step leads to
// the next one. What was found is certain, so this heeds no limits.
#pragma once

#include "questions/rsc.hpp"
#include "reduce/rendezvous_symmetry.hpp"
#include "steps/rendezvous.hpp"

namespace stormproof {

struct Unlimited {
    Monitor monitor{0, 0, 0};
    Usage usage{monitor};
};

class RscRun : Unlimited, RscSteps {
  public:
    using Words = std::vector<std::uint64_t>;

    RscRun(const RscLayout& layout, const std::vector<Automorphism>& group, RscResult& result)
        : RscSteps(layout, monitor, usage), symmetry_(layout, group), back_(identity_of(layout.system)), result_(result) {}

    // `states`: from the initial state on, to the one in which a reception closes the cycle.
    void build(const std::vector<Words>& states, const Closing& closing) {
        std::uint32_t guessed = none;
        for (std::size_t i = 0; i + 1 < states.size(); ++i) {
            look_for_step(states[i], states[i + 1]);
            append_alone(step_.sender, step_.before_send);
            if (step_.receiver != none) append_alone(step_.receiver, step_.before_reception);
            const std::uint32_t index = append(step_.sender, step_.send);
            if (step_.receiver != none)
                result_.communication.emplace_back(append(step_.receiver, step_.reception), index);
            else if (guessed == none)  // a later one is what the sender to itself then did alone
                guessed = index;
            if (permutation_ != 0) back_ = compose(back_, inverse(symmetry_[permutation_]));
        }
        look_for_step(states.back(), {});
        append_alone(closing.process, closing.variant);
        result_.communication.emplace_back(append(closing.process, closing.reception), guessed);
        result_.violated = true;
    }

  private:
    void look_for_step(const Words& from, const Words& to) {
        target_ = to;
        weight_ = none;
        expand(from.data(), from.data() + key_.size());
    }

    // The shortest of several steps to the same state.
    void put(std::uint32_t weight, const Arrival& arrival) override {
        if (target_.empty() || weight >= weight_) return;
        const std::uint32_t permutation = symmetry_.canonical(key_.data(), payload_.data());
        if (!std::equal(key_.begin(), key_.end(), target_.data()) ||
            !std::equal(payload_.begin(), payload_.end(), target_.data() + key_.size()))
            return;
        weight_ = weight, step_ = arrival, permutation_ = permutation;
    }
    void close(const Closing&) override {}

    void append_alone(std::uint32_t p, std::uint32_t v) {
        const auto& variants = alone(p);
        std::vector<std::uint32_t> steps;
        for (; variants[v].from != none; v = variants[v].from) steps.push_back(variants[v].transition);
        for (auto step = steps.rbegin(); step != steps.rend(); ++step) append(p, *step);
    }

    std::uint32_t append(std::uint32_t p, std::uint32_t transition) {
        result_.firings.emplace_back(back_.process[p], back_.transition[p][transition]);
        return static_cast<std::uint32_t>(result_.firings.size() - 1);
    }

    RscSymmetry symmetry_;
    Automorphism back_;  // from the states of the search to the user's processes
    RscResult& result_;
    Words target_;
    std::uint32_t weight_ = none, permutation_ = 0;
    Arrival step_;
};

}  // namespace stormproof
