// at::set_num_threads would also set the number for threads that are yet to come: OpenMP itself is asked.
#include "core/transforms/one_thread.h"

#include <ATen/Parallel.h>

#ifdef __linux__
// Of the OpenMP that libtorch brings along.
extern "C" __attribute__((weak)) void omp_set_num_threads(int threads);
#endif

namespace gradloom {

namespace {

void set_own_threads(int threads) {
#ifdef __linux__
  if (omp_set_num_threads != nullptr) omp_set_num_threads(threads);
#else
  static_cast<void>(threads);
#endif
}

}  // namespace

// Asking for the number lets libtorch set this thread up first, which it does once.
OneThread::OneThread() : before_(at::get_num_threads()) {
  set_own_threads(1);
}

OneThread::~OneThread() {
  set_own_threads(before_);
}

}  // namespace gradloom
