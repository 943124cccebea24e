// The transitions that leave a local state.
#pragma once

#include <span>
#include <vector>

#include "core/system.hpp"

namespace stormproof {

class Leaving {
  public:
    explicit Leaving(const System& system) : system_(system) {
        for (const auto& process : system.processes) {
            std::vector<std::uint32_t> first(process.states + 1, 0);
            for (const auto& t : process.transitions) ++first[t.source + 1];
            for (std::uint32_t s = 0; s < process.states; ++s) first[s + 1] += first[s];
            first_.push_back(std::move(first));
        }
    }

    std::span<const Transition> operator()(std::uint32_t p, std::uint64_t state) const {
        const auto& all = system_.processes[p].transitions;
        return {all.data() + first_[p][state], all.data() + first_[p][state + 1]};
    }
    std::uint32_t number(std::uint32_t p, const Transition& t) const {
        return static_cast<std::uint32_t>(&t - system_.processes[p].transitions.data());
    }

  private:
    const System& system_;
    std::vector<std::vector<std::uint32_t>> first_;  // of each local state
};

}  // namespace stormproof
