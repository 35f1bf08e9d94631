// The families' build functions, for the table.
#pragma once

#include <memory>

#include "core/losses/loss.h"

namespace gradloom {

std::unique_ptr<Loss> build_cross_entropy(const Args& args, c10::Device device);
std::unique_ptr<Loss> build_nll(const Args& args, c10::Device device);
std::unique_ptr<Loss> build_multi_margin(const Args& args, c10::Device device);
std::unique_ptr<Loss> build_mse(const Args& args, c10::Device device);
std::unique_ptr<Loss> build_l1(const Args& args, c10::Device device);
std::unique_ptr<Loss> build_smooth_l1(const Args& args, c10::Device device);
std::unique_ptr<Loss> build_huber(const Args& args, c10::Device device);
std::unique_ptr<Loss> build_bce_with_logits(const Args& args, c10::Device device);
std::unique_ptr<Loss> build_bce(const Args& args, c10::Device device);
std::unique_ptr<Loss> build_kl_div(const Args& args, c10::Device device);
std::unique_ptr<Loss> build_poisson_nll(const Args& args, c10::Device device);
std::unique_ptr<Loss> build_gaussian_nll(const Args& args, c10::Device device);

/// Numbers of a list argument as float32 on the device; undefined where it is absent.
at::Tensor weights_of(const Args& args, std::string_view name, c10::Device device);

}  // namespace gradloom
