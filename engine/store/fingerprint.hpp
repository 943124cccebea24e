// Names for questions, under which their explorations are found again on disk.
#pragma once

#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

#include "core/system.hpp"
#include "store/disk_runs.hpp"

namespace stormproof {

// A name for what is explored: the same system and the same question have the same one.
class Fingerprint {
  public:
    template <class T>
    Fingerprint& add(const T& value) {
        text_ << value << ' ';
        return *this;
    }
    template <class T>
    Fingerprint& add(const std::vector<T>& list) {
        add(list.size());
        for (const T& value : list) add(+value);
        return *this;
    }
    template <class T>
    Fingerprint& add(const std::vector<std::vector<T>>& lists) {
        add(lists.size());
        for (const auto& list : lists) add(list);
        return *this;
    }
    std::string name() const {
        const std::string text = text_.str();
        std::ostringstream out;
        out << std::hex << std::setfill('0');
        for (const std::uint64_t start : {0x243f6a8885a308d3ull, 0x13198a2e03707344ull})
            out << std::setw(16) << checksum(text.data(), text.size(), start);
        return out.str();
    }

  private:
    std::ostringstream text_{"2 ", std::ios::ate};  // the version of the files
};

inline void add_system(Fingerprint& out, const System& system) {
    out.add(system.messages).add(system.crashes).add(system.sender_of);
    for (const Process& process : system.processes) {
        out.add(process.states).add(process.initial).add(process.crashed).add(process.transitions.size());
        for (const Transition& t : process.transitions)
            out.add(t.source).add(static_cast<unsigned>(t.kind)).add(t.channel).add(t.message).add(t.target).add(t.fault);
    }
    for (const Channel& channel : system.channels) {
        const ChannelFaults& faults = channel.faults;
        out.add(channel.sender).add(channel.receiver).add(channel.pool).add(faults.becomes).add(faults.may_overtake());
        for (std::uint32_t m = 0; m < system.messages; ++m) out.add(faults.may_vanish(m)).add(faults.may_stay(m));
    }
}

}  // namespace stormproof
