// ATen's operators on one thread alone: several loader threads would fight for the cores, and sums would depend on how
// many there are.
#pragma once

namespace gradloom {

/// While it lives, operators that this thread calls use no other thread, where that can be said of one thread.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

}  // namespace gradloom
