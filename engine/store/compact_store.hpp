// Many words, each once, in the order in which they were found: about 13 bytes for each.
//
// They are divided by their hash into shards. A shard has its words, 8 bytes each, in an array that grows without being
// copied, and an index of 32-bit slots between two thirds and five sixths full. Shards grow one at a time and by a
// quarter: the old index is freed first and the new one filled from the words, so that there is no moment at which
// much more memory is needed than before. A word's number is its shard and its place there, and has 64 bits.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "core/limits.hpp"
#include "store/word_tree.hpp"

namespace stormproof {

class CompactShard {
  public:
    static constexpr std::uint32_t absent = UINT32_MAX;

    CompactShard() = default;
    CompactShard(const CompactShard&) = delete;
    CompactShard& operator=(const CompactShard&) = delete;
    ~CompactShard() { give_back(slots_, bytes_for(slot_count_)); }

    std::uint64_t size() const { return size_.load(std::memory_order_relaxed); }
    std::uint64_t index_bytes() const { return index_bytes_.load(std::memory_order_relaxed); }
    std::uint64_t operator[](std::uint64_t i) const { return words_[i]; }

    // Would so many more need a larger index, and how many bytes more are that?
    std::uint64_t growth(std::uint64_t more) const {
        return size() + more <= most_load(slot_count_) ? 0 : bytes_for(larger(size() + more)) - bytes_for(slot_count_);
    }
    bool make_room(std::uint64_t more) {
        if (size() + more >= absent - 1 || !words_.reserve(size() + more)) return false;
        return size() + more <= most_load(slot_count_) || refill(larger(size() + more));
    }

    void fetch_slot(std::uint64_t hash) const { prefetch(slots_ + slot_of(hash)); }
    void fetch_word(std::uint64_t hash) const {
        if (slot_count_ == 0) return;
        std::uint64_t slot = slot_of(hash);
        while (slots_[slot] && !may_be(slots_[slot], hash)) slot = next(slot);
        if (slots_[slot]) prefetch(&words_[number(slots_[slot])]);
    }
    std::uint32_t find(std::uint64_t word, std::uint64_t hash) const {
        if (slot_count_ == 0) return absent;
        const std::uint32_t entry = slots_[slot_for(word, hash)];
        return entry ? number(entry) : absent;
    }
    // Is it new? There must be room for it.
    bool add(std::uint64_t word, std::uint64_t hash) {
        const std::uint64_t slot = slot_for(word, hash);
        if (slots_[slot]) return false;
        const std::uint64_t place = size();
        words_[place] = word;
        slots_[slot] = entry(hash, static_cast<std::uint32_t>(place));
        size_.store(place + 1, std::memory_order_relaxed);
        return true;
    }

  private:
    Growing<std::uint64_t> words_;
    std::uint32_t* slots_ = nullptr;
    std::uint64_t slot_count_ = 0;
    std::uint32_t number_mask_ = 0;
    std::atomic<std::uint64_t> size_{0}, index_bytes_{0};

    static std::uint64_t bytes_for(std::uint64_t slots) { return slots * sizeof(std::uint32_t); }
    static std::uint64_t most_load(std::uint64_t slots) { return slots / 6 * 5; }
    std::uint64_t larger(std::uint64_t words) const {
        std::uint64_t slots = std::max<std::uint64_t>(slot_count_ + slot_count_ / 4, 96);
        while (most_load(slots) < words) slots += slots / 4;
        return slots;
    }

    std::uint64_t slot_of(std::uint64_t hash) const { return (hash >> 32) * slot_count_ >> 32; }
    std::uint64_t next(std::uint64_t slot) const { return slot + 1 == slot_count_ ? 0 : slot + 1; }
    std::uint32_t entry(std::uint64_t hash, std::uint32_t number) const {
        return (static_cast<std::uint32_t>(hash) & ~number_mask_) | (number + 1);
    }
    bool may_be(std::uint32_t entry, std::uint64_t hash) const {
        return ((entry ^ static_cast<std::uint32_t>(hash)) & ~number_mask_) == 0;
    }
    std::uint32_t number(std::uint32_t entry) const { return (entry & number_mask_) - 1; }

    // Where the word is, or where it would be put.
    std::uint64_t slot_for(std::uint64_t word, std::uint64_t hash) const {
        std::uint64_t slot = slot_of(hash);
        while (slots_[slot] && !(may_be(slots_[slot], hash) && words_[number(slots_[slot])] == word))
            slot = next(slot);
        return slot;
    }

    bool refill(std::uint64_t slots) {
        give_back(slots_, bytes_for(slot_count_));
        slots_ = static_cast<std::uint32_t*>(take_memory(bytes_for(slots)));
        slot_count_ = slots_ ? slots : 0;
        index_bytes_ = bytes_for(slot_count_);
        if (!slots_) return false;
        number_mask_ = static_cast<std::uint32_t>((std::uint64_t{1} << std::bit_width(most_load(slots))) - 1);
        constexpr std::uint64_t distance = 16;
        std::uint64_t hashes[distance] = {};
        for (std::uint64_t i = 0; i < size() + distance; ++i) {
            if (i >= distance && i - distance < size()) place(hashes[i % distance], static_cast<std::uint32_t>(i - distance));
            if (i >= size()) continue;
            hashes[i % distance] = hash_of_word(words_[i]);
            fetch_slot(hashes[i % distance]);
        }
        return true;
    }
    void place(std::uint64_t hash, std::uint32_t number) {
        std::uint64_t slot = slot_of(hash);
        while (slots_[slot]) slot = next(slot);
        slots_[slot] = entry(hash, number);
    }
};

class CompactStore {
  public:
    static constexpr std::uint32_t shards = 64;

    explicit CompactStore(const Monitor& monitor) : monitor_(monitor) {}

    static std::uint32_t shard_of(std::uint64_t word) {
        return static_cast<std::uint32_t>(hash_of_word(word)) % shards;
    }

    const CompactShard& operator[](std::uint32_t shard) const { return shards_[shard].words; }
    std::uint64_t size() const {
        std::uint64_t sum = 0;
        for (const Locked& shard : shards_) sum += shard.words.size();
        return sum;
    }
    std::uint64_t bytes() const {
        std::uint64_t sum = 0;
        for (const Locked& shard : shards_) sum += shard.words.size() * sizeof(std::uint64_t) + shard.words.index_bytes();
        return sum;
    }

    // Adds words of one shard; false: there is no memory for them. `others`: bytes that are in use elsewhere.
    bool add(std::uint32_t shard, const std::vector<std::uint64_t>& words, std::uint64_t others) {
        Locked& own = shards_[shard];
        const std::lock_guard<std::mutex> lock(own.mutex);
        if (!make_room(own.words, words.size(), others)) return false;
        for (const std::uint64_t word : words) own.words.fetch_slot(hash_of_word(word));
        for (const std::uint64_t word : words) own.words.fetch_word(hash_of_word(word));
        for (const std::uint64_t word : words) own.words.add(word, hash_of_word(word));
        return true;
    }

  private:
    struct alignas(cache_line) Locked {
        std::mutex mutex;
        CompactShard words;
    };
    const Monitor& monitor_;
    std::array<Locked, shards> shards_;
    std::mutex growing_;  // what one thread takes, another must know of

    bool make_room(CompactShard& own, std::uint64_t more, std::uint64_t others) {
        const std::uint64_t added = more * sizeof(std::uint64_t) + others;
        if (own.growth(more) == 0) return monitor_.allows(bytes() + added) && own.make_room(more);
        const std::lock_guard<std::mutex> lock(growing_);
        return monitor_.allows(bytes() + own.growth(more) + added) && own.make_room(more);
    }
};

}  // namespace stormproof
