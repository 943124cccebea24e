// Sorted runs of configurations in files.
//
// A run is a sequence of blocks and, behind them, its index: for each block where it is, its first configuration and a
// checksum. In a block each configuration is written as how many bytes it shares with the one before, and the others.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/configuration.hpp"
#include "core/layer_key.hpp"
#include "core/platform.hpp"
#include "store/disk_files.hpp"

namespace stormproof {

// The bytes of a configuration that are used, in the order of comparison.
template <unsigned W>
struct RecordCodec {
    std::array<std::uint8_t, W> width{};  // word -> how many of its lower bytes
    std::uint32_t bytes = 0;

    explicit RecordCodec(const std::vector<std::uint32_t>& bits) {
        for (std::size_t i = 0; i < W; ++i) {
            width[i] = static_cast<std::uint8_t>(i < bits.size() ? (bits[i] + 7) / 8 : 0);
            bytes += width[i];
        }
    }
    void put(const Config<W>& c, std::uint8_t* out) const {
        for (unsigned i = 0; i < W; ++i)
            for (unsigned b = width[i]; b-- > 0;) *out++ = static_cast<std::uint8_t>(c.w[i] >> (8 * b));
    }
    Config<W> get(const std::uint8_t* in) const {
        Config<W> c{};
        for (unsigned i = 0; i < W; ++i)
            for (unsigned b = width[i]; b-- > 0;) c.w[i] |= std::uint64_t{*in++} << (8 * b);
        return c;
    }
};

inline std::uint64_t checksum(const void* data, std::size_t bytes, std::uint64_t sum = 0x9e3779b97f4a7c15) {
    const char* at = static_cast<const char*>(data);
    for (; bytes > 0;) {
        std::uint64_t part = 0;
        const std::size_t now = std::min<std::size_t>(bytes, 8);
        std::memcpy(&part, at, now);
        sum = multiply_fold(part ^ 0xa0761d6478bd642f, sum ^ (0xe7037ed1a0b428db + now));
        at += now;
        bytes -= now;
    }
    return sum;
}

// Where a run is in its file.
struct Span {
    std::uint64_t offset = 0, bytes = 0, records = 0;
    std::uint64_t sum = 0;  // of its index, which has those of the blocks: a file of another question is not read
};

template <unsigned W>
struct Block {
    LayerKey key = 0;
    std::uint64_t offset = 0, sum = 0;
    std::uint32_t bytes = 0, records = 0;
    Config<W> first{};
};

template <unsigned W>
using RunIndex = std::vector<Block<W>>;

struct RunEnd {
    std::uint64_t blocks = 0, records = 0, sum = 0;
};

// Writes one run at the end of a file: configurations by key, those of a key in increasing order.
template <unsigned W>
class RunWriter {
  public:
    RunWriter(DiskFile& file, const RecordCodec<W>& codec, std::size_t block_bytes)
        : file_(file), codec_(codec), block_bytes_(block_bytes), before_(codec.bytes), now_(codec.bytes) {
        span_.offset = file.size();
    }

    RunIndex<W> index;

    void add(LayerKey key, const Config<W>& c) {
        codec_.put(c, now_.data());
        std::size_t shared = 0;
        if (index.empty() || block_.size() >= block_bytes_ || index.back().key != key) {
            flush();
            index.push_back({key, file_.size(), 0, 0, 0, c});
        } else {
            const std::size_t most = std::min<std::size_t>(codec_.bytes, UINT8_MAX);
            while (shared < most && now_[shared] == before_[shared]) ++shared;
        }
        block_.push_back(static_cast<std::uint8_t>(shared));
        block_.insert(block_.end(), now_.begin() + static_cast<std::ptrdiff_t>(shared), now_.end());
        before_.swap(now_);
        ++index.back().records;
        ++span_.records;
    }

    std::uint64_t records() const { return span_.records; }

    Span finish() {
        flush();
        const std::size_t size = index.size() * sizeof(Block<W>);
        const RunEnd end{index.size(), span_.records, checksum(index.data(), size)};
        file_.append(index.data(), size);
        file_.append(&end, sizeof end);
        span_.bytes = file_.size() - span_.offset;
        span_.sum = end.sum;
        return span_;
    }

  private:
    DiskFile& file_;
    const RecordCodec<W>& codec_;
    const std::size_t block_bytes_;
    std::vector<std::uint8_t> block_, before_, now_;
    Span span_;

    void flush() {
        if (block_.empty()) return;
        index.back().bytes = static_cast<std::uint32_t>(block_.size());
        index.back().sum = checksum(block_.data(), block_.size());
        file_.append(block_.data(), block_.size());
        block_.clear();
    }
};

template <unsigned W>
RunIndex<W> read_index(const DiskFile& file, const Span& span) {
    RunEnd end;
    if (span.bytes < sizeof end || span.offset + span.bytes > file.size()) file.damaged();
    file.read(span.offset + span.bytes - sizeof end, &end, sizeof end);
    const std::uint64_t most = (span.bytes - sizeof end) / sizeof(Block<W>);
    if (end.records != span.records || end.sum != span.sum || end.blocks > most) file.damaged();
    RunIndex<W> index(end.blocks);
    const std::size_t size = index.size() * sizeof(Block<W>);
    file.read(span.offset + span.bytes - sizeof end - size, index.data(), size);
    if (checksum(index.data(), size) != end.sum) file.damaged();
    return index;
}

// Reads a run from its beginning or from some place on.
template <unsigned W>
class RunReader {
  public:
    RunReader(const DiskFile& file, const RecordCodec<W>& codec, const RunIndex<W>& index)
        : RunReader(file, codec, index, 0, index.size()) {}
    // Some of its blocks only.
    RunReader(const DiskFile& file, const RecordCodec<W>& codec, const RunIndex<W>& index, std::size_t first, std::size_t end)
        : file_(&file), codec_(&codec), index_(&index), end_(end), bytes_(codec.bytes) {
        enter(first);
    }
    // From the first configuration on that is not less.
    RunReader(const DiskFile& file, const RecordCodec<W>& codec, const RunIndex<W>& index, LayerKey key, const Config<W>& c)
        : file_(&file), codec_(&codec), index_(&index), end_(index.size()), bytes_(codec.bytes) {
        enter(block_of(0, key, c));
        while (!done() && before(this->key(), now_, key, c)) next();
    }

    bool done() const { return block_ >= end_; }
    LayerKey key() const { return (*index_)[block_].key; }
    const Config<W>& config() const { return now_; }

    void next() {
        if (left_ == 0) enter(block_ + 1);
        else decode();
    }

    // Goes on to the first configuration of this key that is not less; never back.
    void seek(LayerKey key, const Config<W>& c) {
        if (done() || !before(this->key(), now_, key, c)) return;
        const std::size_t block = block_of(block_, key, c);
        if (block > block_) enter(block);
        while (!done() && before(this->key(), now_, key, c)) next();
    }

  private:
    const DiskFile* file_;
    const RecordCodec<W>* codec_;
    const RunIndex<W>* index_;
    std::size_t end_;
    std::size_t block_ = 0, at_ = 0;
    std::uint32_t left_ = 0;
    std::vector<std::uint8_t> data_, bytes_;
    Config<W> now_{};

    static bool before(LayerKey key, const Config<W>& c, LayerKey other_key, const Config<W>& other) {
        return key < other_key || (key == other_key && c < other);
    }

    static bool reaches(const Block<W>& b, LayerKey key, const Config<W>& c) { return !before(key, c, b.key, b.first); }

    // The last block, from this one on, that begins with it or before it.
    std::size_t block_of(std::size_t from, LayerKey key, const Config<W>& c) const {
        if (from + 1 >= index_->size() || !reaches((*index_)[from + 1], key, c)) return from;
        const auto later = std::partition_point(index_->begin() + static_cast<std::ptrdiff_t>(from + 1), index_->end(),
                                                [&](const Block<W>& b) { return reaches(b, key, c); });
        return static_cast<std::size_t>(later - index_->begin()) - 1;
    }

    void enter(std::size_t block) {
        block_ = block;
        if (done()) return;
        const Block<W>& b = (*index_)[block];
        data_.resize(b.bytes);
        file_->read(b.offset, data_.data(), b.bytes);
        if (b.records == 0 || checksum(data_.data(), b.bytes) != b.sum) file_->damaged();
        at_ = 0;
        left_ = b.records;
        decode();
    }
    void decode() {
        const std::size_t shared = data_[at_++], rest = bytes_.size() - shared;
        std::copy_n(data_.data() + at_, rest, bytes_.data() + shared);
        at_ += rest;
        --left_;
        now_ = codec_->get(bytes_.data());
    }
};

}  // namespace stormproof
