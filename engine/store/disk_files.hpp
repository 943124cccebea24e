// Files of an exploration on disk. Every failure (no room, no permission, a file that is too short) is a DiskError, whose
// text is a sentence for the user. Only disk_files.cpp knows the operating system.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/disk_options.hpp"

namespace stormproof {

class DiskError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// A file that grows at its end and is read anywhere.
class DiskFile {
  public:
    DiskFile() = default;
    DiskFile(const DiskFile&) = delete;
    DiskFile& operator=(const DiskFile&) = delete;
    DiskFile(DiskFile&& other) noexcept { swap(other); }
    DiskFile& operator=(DiskFile&& other) noexcept {
        swap(other);
        return *this;
    }
    ~DiskFile() { close(); }

    // An existing file, or a new one, cut to its first `keep` bytes; shorter than that: it is damaged.
    void open(const std::string& path, std::uint64_t keep);
    void close();
    const std::string& path() const { return path_; }

    std::uint64_t size() const { return size_; }
    void append(const void* data, std::size_t bytes);
    void read(std::uint64_t at, void* data, std::size_t bytes) const;
    void sync();
    [[noreturn]] void damaged(const char* how = " is damaged") const;

  private:
    int handle_ = -1;
    std::uint64_t size_ = 0;
    std::string path_;

    void swap(DiskFile& other) noexcept {
        std::swap(handle_, other.handle_);
        std::swap(size_, other.size_);
        std::swap(path_, other.path_);
    }
};

// A directory that only one process uses at a time.
class DiskDirectory {
  public:
    // Makes it if need be, and takes its lock.
    explicit DiskDirectory(const std::string& path);
    DiskDirectory(const DiskDirectory&) = delete;
    DiskDirectory& operator=(const DiskDirectory&) = delete;
    ~DiskDirectory();

    std::string file(const std::string& name) const { return path_ + "/" + name; }
    bool has(const std::string& name) const;
    // The whole content of a small file; empty when it cannot be read.
    std::string read(const std::string& name) const;
    // Replaces a small file at once: after a crash there is the old one or the new one.
    void replace(const std::string& name, const std::string& text) const;
    void remove(const std::string& name) const;
    // Removes the lock and the directory, which must hold nothing else to go.
    void remove_all();

  private:
    std::string path_;
    int lock_ = -1;
};

// Where the exploration for a question is, by the name of the question.
inline std::string place_on_disk(const DiskOptions& options, const std::string& question) {
    return options.directory + "/stormproof-" + question;
}
// Has a process written something there to go on from?
bool begun_on_disk(const DiskOptions& options, const std::string& question);

}  // namespace stormproof
