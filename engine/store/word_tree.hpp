// Tree compression: words of which there are few different ones are replaced by their numbers, two numbers make a word
// again, and so on until one word is left. It stands for all of them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "core/index.hpp"
#include "core/memory.hpp"
#include "core/platform.hpp"

namespace stormproof {

inline std::uint64_t hash_of_word(std::uint64_t word) {
    return multiply_fold(word ^ 0xa0761d6478bd642f, 0x9fb21c651e98df25) * 0x9e3779b97f4a7c15;
}

// Words by number, and numbers by word. Several threads may use `number` at a time, while there is room.
class NumberedWords {
  public:
    std::uint64_t word(std::uint32_t number) const { return words_[number]; }

    // `added` counts the numbers that were given.
    std::uint32_t number(std::uint64_t word, std::uint64_t& added) {
        const std::uint64_t hash = hash_of_word(word);
        std::uint32_t own = none_yet;
        for (std::uint64_t slot = index_.slot_of(hash);; slot = index_.next(slot)) {
            std::uint32_t entry = index_[slot].load(std::memory_order_acquire);
            if (entry == 0) {
                if (own == none_yet) {
                    own = static_cast<std::uint32_t>(size_.fetch_add(1, std::memory_order_relaxed));
                    words_[own] = word;
                    ++added;
                }
                if (index_[slot].compare_exchange_strong(entry, index_.entry(hash, own), std::memory_order_release,
                                                         std::memory_order_acquire))
                    return own;
            }
            if (index_.may_be(entry, hash) && words_[index_.number(entry)] == word) {
                if (own != none_yet) leave_unused(own);
                return index_.number(entry);
            }
        }
    }

    // The number that a word has, if it has one.
    bool find(std::uint64_t word, std::uint64_t& number) const {
        const std::uint64_t hash = hash_of_word(word);
        for (std::uint64_t slot = index_.slot_of(hash);; slot = index_.next(slot)) {
            const std::uint32_t entry = index_[slot].load(std::memory_order_acquire);
            if (entry == 0) return false;
            number = index_.number(entry);
            if (index_.may_be(entry, hash) && words_[number] == word) return true;
        }
    }

    std::uint64_t size() const { return size_.load(std::memory_order_relaxed); }
    // How many words may be added before more room must be made.
    std::uint64_t room() const { return index_.bytes() ? most_load(index_.log()) - size() : 0; }
    // Makes room for so many more; false: memory or numbers do not suffice. No other thread may be at work.
    bool make_room(std::uint64_t more) {
        const unsigned log = log_for(more);
        if (log > 31 || !words_.reserve(most_load(log))) return false;
        return (index_.bytes() && log == index_.log()) || grow(log);
    }
    // How many bytes more that takes.
    std::uint64_t growth(std::uint64_t more) const { return Index::bytes_for(log_for(more)) - index_.bytes(); }
    std::uint64_t bytes() const { return size() * sizeof(std::uint64_t) + index_.bytes(); }

  private:
    static constexpr std::uint32_t none_yet = UINT32_MAX;
    Growing<std::uint64_t> words_;
    std::atomic<std::uint64_t> size_{0};
    Index index_;
    // Numbers for which another thread was faster with the same word: they must never get into the index.
    std::vector<std::uint32_t> unused_;
    std::mutex leaving_;

    static std::uint64_t most_load(unsigned log) { return (std::uint64_t{5} << log) / 8; }
    unsigned log_for(std::uint64_t more) const {
        unsigned log = index_.bytes() ? index_.log() : 10;
        while (size() + more > most_load(log)) ++log;
        return log;
    }

    void leave_unused(std::uint32_t number) {
        const std::lock_guard<std::mutex> lock(leaving_);
        unused_.push_back(number);
    }

    bool grow(unsigned log) {
        if (!index_.reset(log, log)) return false;
        std::sort(unused_.begin(), unused_.end());
        for (std::uint32_t n = 0; n < size(); ++n) {
            if (std::binary_search(unused_.begin(), unused_.end(), n)) continue;
            const std::uint64_t hash = hash_of_word(words_[n]);
            std::uint64_t slot = index_.slot_of(hash);
            while (index_[slot].load(std::memory_order_relaxed)) slot = index_.next(slot);
            index_[slot].store(index_.entry(hash, n), std::memory_order_relaxed);
        }
        return true;
    }
};

class WordTree {
  public:
    explicit WordTree(std::uint32_t words) : leaves_(words) {
        std::uint32_t tables = 0;
        for (std::uint32_t width = words; width > 1; width = (width + 1) / 2) {
            levels_.push_back({tables, width});
            tables += width;
        }
        tables_.resize(tables);
    }

    // What one thread has read last: the words of all tables, the lowest level first, and their numbers.
    struct Path {
        std::vector<std::uint64_t> words;
        std::vector<std::uint32_t> numbers;
    };

    // Reads what a root stands for into the first words of the path.
    void read(std::uint64_t root, Path& path) const {
        path.words.resize(std::max<std::size_t>(tables_.size(), 1));
        path.numbers.resize(tables_.size());
        if (levels_.empty()) path.words[0] = root;
        const std::uint64_t* above = &root;
        for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
            for (std::uint32_t i = 0; i < level->width; ++i) {
                const std::uint32_t table = level->first + i;
                path.numbers[table] = static_cast<std::uint32_t>(above[i / 2] >> (i % 2 * 32));
                path.words[table] = tables_[table].word(path.numbers[table]);
            }
            above = path.words.data() + level->first;
        }
    }

    // The root of these words, most of which are as in the path. `added` counts the words that are new.
    std::uint64_t root(const std::uint64_t* words, const Path& path, std::vector<std::uint64_t>& now,
                       std::uint64_t& added) {
        now.assign(words, words + leaves_);
        for (const Level& level : levels_)
            for (std::uint32_t i = 0; i < level.width; ++i) {
                const std::uint32_t table = level.first + i;
                const bool same = table < path.numbers.size() && path.words[table] == now[i];
                const std::uint64_t number = same ? path.numbers[table] : tables_[table].number(now[i], added);
                now[i / 2] = i % 2 == 0 ? number : now[i / 2] | number << 32;
            }
        return now[0];
    }

    // The root of these words if they have one; `now` is its place.
    bool find(const std::uint64_t* words, const Path& path, std::vector<std::uint64_t>& now) const {
        now.assign(words, words + leaves_);
        for (const Level& level : levels_)
            for (std::uint32_t i = 0; i < level.width; ++i) {
                const std::uint32_t table = level.first + i;
                const bool same = table < path.numbers.size() && path.words[table] == now[i];
                std::uint64_t number = same ? path.numbers[table] : 0;
                if (!same && !tables_[table].find(now[i], number)) return false;
                now[i / 2] = i % 2 == 0 ? number : now[i / 2] | number << 32;
            }
        return true;
    }

    // How many words may be added to each table before there must be more room.
    std::uint64_t room() const {
        std::uint64_t least = INT64_MAX;
        for (const NumberedWords& table : tables_) least = std::min(least, table.room());
        return least;
    }
    // Makes room for so many more; false: memory or numbers do not suffice. No other thread may be at work.
    bool make_room(std::uint64_t more) {
        for (NumberedWords& table : tables_)
            if (lacks_room(table, more) && !table.make_room(more + table.size() / 4)) return false;
        return true;
    }
    // How many bytes more that takes.
    std::uint64_t growth(std::uint64_t more) const {
        std::uint64_t sum = 0;
        for (const NumberedWords& table : tables_)
            if (lacks_room(table, more)) sum += table.growth(more + table.size() / 4);
        return sum;
    }
    std::uint64_t bytes() const {
        std::uint64_t sum = 0;
        for (const NumberedWords& table : tables_) sum += table.bytes();
        return sum;
    }

  private:
    struct Level {
        std::uint32_t first, width;
    };
    const std::uint32_t leaves_;
    std::vector<Level> levels_;        // the leaves first
    std::deque<NumberedWords> tables_;

    static bool lacks_room(const NumberedWords& table, std::uint64_t more) { return table.room() < more + table.size() / 8; }
};

}  // namespace stormproof
