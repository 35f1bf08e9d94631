// One source, compiled for several instruction sets and chosen when the program runs. Loops are plain; the compiler makes vectors of them.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#define GRADLOOM_X86_VARIANTS 1
#endif

#if defined(__GNUC__)
/// The body of a kernel: takes on the instruction set of the function that it is put into.
#define GRADLOOM_KERNEL_BODY inline __attribute__((always_inline))
#else
#define GRADLOOM_KERNEL_BODY inline
#endif

namespace gradloom {

enum class Simd { baseline, avx2, avx512 };

inline Simd best_simd() {
#ifdef GRADLOOM_X86_VARIANTS
  static const Simd best = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")
                               ? Simd::avx512
                           : __builtin_cpu_supports("avx2") ? Simd::avx2
                                                            : Simd::baseline;
  return best;
#else
  return Simd::baseline;
#endif
}

}  // namespace gradloom
