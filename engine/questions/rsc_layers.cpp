#include "questions/rsc_layers.hpp"

#include "core/widths.hpp"
#include "search/layers_in_memory.hpp"
#include "search/layers_on_disk.hpp"
#include "store/fingerprint.hpp"

namespace stormproof {
namespace {

template <class Searched, class Store>
void search(const Searched& searched, Store& store, RscResult& result) {
    Layers<typename Searched::Steps, Store> layers(store);
    if (const auto found = layers.first_noted()) {
        Unlimited none_at_all;
        auto steps = searched.steps(none_at_all.monitor, none_at_all.usage);
        searched.build_run(layers.way_to(*found, steps), steps, result);
    } else {
        result.stop = store.stop();
    }
}

template <class Store>
void count(const Store& store, RscResult& result) {
    result.states = store.size();
    result.transitions = store.transitions;
}
template <class Store>
void count_on_disk(const Store& store, const Usage& usage, RscResult& result) {
    count(store, result);
    result.memory = store.memory() + usage.bytes();
    result.on_disk = store.on_disk();
}

template <unsigned W, class Searched>
RscResult on_disk(const Searched& searched, Monitor& monitor, const RscOptions& options, const std::string& name) {
    const Monitor within_state(monitor, 0);  // the limits for the successors of one state
    Usage usage(within_state);
    using Store = LayersOnDisk<typename Searched::Steps, W>;
    const DiskThreads threads{std::max(1u, options.threads), options.parallel_from};
    Store store({options.disk, name, searched.used_bits(), std::min(W, searched.key_words()), threads}, searched.initial(),
                monitor, [&] { return searched.steps(within_state, usage); });
    RscResult result;
    try {
        search(searched, store, result);
        count_on_disk(store, usage, result);
        if (result.stop == Stop::none) store.remove();
    } catch (const DiskError& problem) {  // what is known then
        result = {};
        result.stop = Stop::disk;
        result.problem = problem.what();
        count_on_disk(store, usage, result);
    }
    return result;
}

}  // namespace

template <class Searched>
RscResult search_in_store(const Searched& searched, Monitor& monitor, const RscOptions& options) {
    const Monitor within_state(monitor, 0);
    Usage usage(within_state);
    LayersInMemory<typename Searched::Steps> store(searched.initial(), options.threads, options.parallel_from, monitor, usage,
                                                   [&] { return searched.steps(within_state, usage); });
    RscResult result;
    result.compact = true;
    search(searched, store, result);
    count(store, result);
    result.memory = store.memory();
    return result;
}
template RscResult search_in_store(const Peers&, Monitor&, const RscOptions&);
template RscResult search_in_store(const Mailboxes&, Monitor&, const RscOptions&);

template <class Searched>
RscResult search_on_disk(const Searched& searched, Monitor& monitor, const RscOptions& options, const std::string& name) {
    try {
        return in_least_width(WidthsOf<4, max_words>{}, static_cast<std::uint32_t>(searched.initial().size()),
                              [&]<unsigned W>() { return on_disk<W>(searched, monitor, options, name); });
    } catch (const DiskError& problem) {
        RscResult result;
        result.stop = Stop::disk;
        result.problem = problem.what();
        return result;
    }
}
template RscResult search_on_disk(const Peers&, Monitor&, const RscOptions&, const std::string&);
template RscResult search_on_disk(const Mailboxes&, Monitor&, const RscOptions&, const std::string&);

bool fits_on_disk(std::size_t words, const RscOptions& options) { return options.disk.wanted() && words <= max_words; }

std::string fingerprint(const System& system, const RscOptions& options) {
    Fingerprint out;
    out.add("rsc").add(options.disk.version).add(options.symmetry).add(system.mailboxes());
    add_system(out, system);
    return out.name();
}

}  // namespace stormproof
