#include "go/device/gpu/fakecuda/order.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace fakecuda {

std::mutex mutex;
std::condition_variable changed;

namespace {

double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool ready(const Task& task) {
  return std::all_of(task.after.begin(), task.after.end(), [](const TaskRef& t) { return t->done; });
}

}  // namespace

Queue::Queue() : thread_([this] { serve(); }) {}

Queue::~Queue() {
  {
    Lock lock(mutex);
    ending_ = true;
  }
  changed.notify_all();
  thread_.join();
}

TaskRef Queue::push(std::function<void()> work, std::vector<TaskRef> after) {
  std::erase(after, nullptr);
  last_ = std::make_shared<Task>(Task{std::move(work), std::move(after)});
  tasks_.push_back(last_);
  changed.notify_all();
  return last_;
}

void Queue::serve() {
  Lock lock(mutex);
  for (;;) {
    changed.wait(lock, [this] { return tasks_.empty() ? ending_ : ready(*tasks_.front()); });
    if (tasks_.empty()) return;
    const TaskRef task = tasks_.front();
    lock.unlock();
    task->work();
    lock.lock();
    tasks_.pop_front();
    task->done = true;
    task->at = now_ms();
    task->after.clear();  // or a chain of all tasks ever would live on
    changed.notify_all();
  }
}

void wait(Lock& lock, const TaskRef& task) {
  if (task) changed.wait(lock, [&] { return task->done; });
}

}  // namespace fakecuda
