// Streams: queues of work, each served by a thread, with dependencies between them.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace fakecuda {

// One piece of work: what must be done before it, and whether it is done itself.
struct Task {
  std::function<void()> work;
  std::vector<std::shared_ptr<Task>> after;
  bool done = false;
  double at = 0;  // milliseconds, when done
};
using TaskRef = std::shared_ptr<Task>;

// Guards everything in this library but the memory that clients hold; `changed` tells of every task done.
extern std::mutex mutex;
extern std::condition_variable changed;
using Lock = std::unique_lock<std::mutex>;

class Queue {
 public:
  Queue();
  // Waits for the work to end.
  ~Queue();

  // Adds work behind what is there and behind `after`. Needs the lock.
  TaskRef push(std::function<void()> work, std::vector<TaskRef> after);
  // The newest task, or null. Needs the lock.
  TaskRef last() const { return last_; }

 private:
  void serve();

  std::deque<TaskRef> tasks_;
  TaskRef last_;
  bool ending_ = false;
  std::thread thread_;
};

// Waits until a task (or null) is done.
void wait(Lock& lock, const TaskRef& task);

}  // namespace fakecuda
