// Work that threads do ahead of the one that needs it.
//
// The leading thread posts parts of the work, numbered from 0, and awaits them in the same order. Meanwhile the other threads
// work on them; if the part that it awaits is not done, the leading thread works on the next one that nobody has begun, so it
// waits only where all are in work. A thread that cannot be started is missed by nobody.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace stormproof {

class Pipeline {
  public:
    // work(who, part), where `who` is 0 for the leading thread. At most so many parts are not done or not yet needed.
    Pipeline(unsigned threads, std::size_t places, std::function<void(unsigned, std::size_t)> work)
        : threads_(threads), done_(places), work_(std::move(work)) {}
    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;
    ~Pipeline() {
        drop();
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            ending_ = true;
        }
        to_do_.notify_all();
        for (std::thread& other : others_) other.join();
    }

    std::size_t posted() const { return posted_; }

    void post() {
        if (others_.empty()) start();
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            done_[posted_ % done_.size()] = false;
            ++posted_;
        }
        to_do_.notify_one();
    }

    // Returns once a part is done; throws what one of them has thrown.
    void await(std::size_t part) {
        std::unique_lock<std::mutex> lock(mutex_);
        while (!done_[part % done_.size()])
            if (!work_on_next(0, lock)) finished_.wait(lock);
        if (problem_) std::rethrow_exception(problem_);
    }

    // Returns once nobody works any more; parts that were not begun never are.
    void drop() {
        std::unique_lock<std::mutex> lock(mutex_);
        begun_ = posted_;
        finished_.wait(lock, [&] { return busy_ == 0; });
    }

  private:
    const unsigned threads_;
    std::vector<char> done_;  // of the parts in these places
    const std::function<void(unsigned, std::size_t)> work_;
    std::size_t posted_ = 0;  // changed by the leading thread only
    std::mutex mutex_;        // of what follows, of `done_` and of changes of `posted_`
    std::condition_variable to_do_, finished_;
    std::size_t begun_ = 0;
    unsigned busy_ = 0;
    bool ending_ = false;
    std::exception_ptr problem_;
    std::vector<std::thread> others_;

    void start() {
        try {
            for (unsigned who = 1; who < threads_; ++who) others_.emplace_back([this, who] { follow(who); });
        } catch (const std::system_error&) {
        }
    }

    void follow(unsigned who) {
        std::unique_lock<std::mutex> lock(mutex_);
        while (!ending_)
            if (!work_on_next(who, lock)) to_do_.wait(lock);
    }

    // False: all that was posted has been begun.
    bool work_on_next(unsigned who, std::unique_lock<std::mutex>& lock) {
        if (begun_ == posted_) return false;
        const std::size_t part = begun_++;
        ++busy_;
        lock.unlock();
        std::exception_ptr problem;
        try {
            work_(who, part);
        } catch (...) {
            problem = std::current_exception();
        }
        lock.lock();
        --busy_;
        done_[part % done_.size()] = true;
        if (problem && !problem_) problem_ = problem;
        finished_.notify_all();
        return true;
    }
};

}  // namespace stormproof
