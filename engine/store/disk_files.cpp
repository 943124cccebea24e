#include "store/disk_files.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#if !defined(_WIN32)
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace stormproof {

bool begun_on_disk(const DiskOptions& options, const std::string& question) {
    std::error_code problem;
    return std::filesystem::exists(place_on_disk(options, question) + "/manifest", problem);
}

void DiskFile::damaged(const char* how) const {
    const std::string folder = std::filesystem::path(path_).parent_path().string();
    throw DiskError(path_ + how + "; remove " + folder + " to start again");
}

bool DiskDirectory::has(const std::string& name) const {
    std::error_code problem;
    return std::filesystem::exists(file(name), problem) || problem;
}

std::string DiskDirectory::read(const std::string& name) const {
    std::ifstream in(file(name), std::ios::binary);
    std::ostringstream out;
    if (in) out << in.rdbuf();
    return out.str();
}

void DiskDirectory::remove(const std::string& name) const {
    std::error_code problem;  // what cannot be removed does no harm
    std::filesystem::remove(file(name), problem);
}

#if defined(_WIN32)

static const char* const unavailable = "explorations on disk are not available on Windows";

void DiskFile::open(const std::string&, std::uint64_t) { throw DiskError(unavailable); }
void DiskFile::close() {}
void DiskFile::append(const void*, std::size_t) {}
void DiskFile::read(std::uint64_t, void*, std::size_t) const {}
void DiskFile::sync() {}
DiskDirectory::DiskDirectory(const std::string&) { throw DiskError(unavailable); }
DiskDirectory::~DiskDirectory() {}
void DiskDirectory::replace(const std::string&, const std::string&) const {}
void DiskDirectory::remove_all() {}

#else

[[noreturn]] static void fail(const std::string& path, int code) {
    if (code == ENOSPC || code == EDQUOT || code == EFBIG)
        throw DiskError("the disk is full: " + path + " cannot grow; make room, and the same command goes on");
    throw DiskError(path + ": " + std::strerror(code));
}

// ---- files ---------------------------------------------------------------------------------------------

void DiskFile::open(const std::string& path, std::uint64_t keep) {
    close();
    path_ = path;
    handle_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (handle_ < 0) fail(path, errno);
    struct stat found {};
    if (fstat(handle_, &found) != 0) fail(path, errno);
    if (static_cast<std::uint64_t>(found.st_size) < keep) damaged(" is shorter than it was written");
    if (ftruncate(handle_, static_cast<off_t>(keep)) != 0) fail(path, errno);
    size_ = keep;
}

void DiskFile::close() {
    if (handle_ >= 0) ::close(handle_);
    handle_ = -1;
    size_ = 0;
}

void DiskFile::append(const void* data, std::size_t bytes) {
    const char* from = static_cast<const char*>(data);
    while (bytes > 0) {
        const ssize_t done = pwrite(handle_, from, bytes, static_cast<off_t>(size_));
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) fail(path_, done < 0 ? errno : ENOSPC);
        from += done;
        bytes -= static_cast<std::size_t>(done);
        size_ += static_cast<std::uint64_t>(done);
    }
}

void DiskFile::read(std::uint64_t at, void* data, std::size_t bytes) const {
    char* to = static_cast<char*>(data);
    while (bytes > 0) {
        const ssize_t done = pread(handle_, to, bytes, static_cast<off_t>(at));
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) fail(path_, errno);
        if (done == 0) damaged(" is shorter than it was written");
        to += done;
        bytes -= static_cast<std::size_t>(done);
        at += static_cast<std::uint64_t>(done);
    }
}

void DiskFile::sync() {
    if (fsync(handle_) != 0) fail(path_, errno);
}

// ---- directories ---------------------------------------------------------------------------------------

static void sync_directory(const std::string& path) {
    const int handle = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (handle < 0) fail(path, errno);
    const bool done = fsync(handle) == 0 || errno == EINVAL;  // some file systems cannot, and need not
    const int code = errno;
    ::close(handle);
    if (!done) fail(path, code);
}

DiskDirectory::DiskDirectory(const std::string& path) : path_(path) {
    std::error_code problem;
    std::filesystem::create_directories(path, problem);
    if (problem) fail(path, problem.value());
    lock_ = ::open(file("lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock_ < 0) fail(file("lock"), errno);
    if (flock(lock_, LOCK_EX | LOCK_NB) == 0) return;
    const int code = errno;
    ::close(lock_);
    lock_ = -1;
    if (code == EWOULDBLOCK) throw DiskError("another process is exploring in " + path + "; wait for it, or name another folder");
    fail(file("lock"), code);
}

DiskDirectory::~DiskDirectory() {
    if (lock_ >= 0) ::close(lock_);
}

void DiskDirectory::replace(const std::string& name, const std::string& text) const {
    const std::string fresh = file(name + ".new");
    DiskFile out;
    out.open(fresh, 0);
    out.append(text.data(), text.size());
    out.sync();
    if (::rename(fresh.c_str(), file(name).c_str()) != 0) fail(fresh, errno);
    sync_directory(path_);
}

void DiskDirectory::remove_all() {
    remove("lock");
    std::error_code problem;
    std::filesystem::remove(path_, problem);
}

#endif

}  // namespace stormproof
