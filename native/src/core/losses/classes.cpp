// Losses of classes: one score a class at dimension 1, and class indices.
#include <ATen/ATen.h>

#include "core/losses/families.h"

namespace gradloom {

namespace {

/// What cross entropy and NLL have in common: weights of classes, and one class that counts for nothing.
class OfClasses : public Loss {
 public:
  OfClasses(const Args& args, c10::Device device)
      : weight_(weights_of(args, "weight", device)), ignore_index_(args.integer("ignore_index")) {}

  at::Tensor divisor(const at::Tensor& output, const at::Tensor& target) const override {
    // Mixed samples have a probability for each class; PyTorch divides by the samples, whatever the weights.
    if (target.is_floating_point()) {
      const auto options = output.options().dtype(at::kFloat).requires_grad(false);
      return at::scalar_tensor(output.numel() / output.size(1), options);
    }
    const at::Tensor counted = target.ne(ignore_index_);
    if (!weight_.defined()) return counted.sum(at::kFloat);
    return at::where(counted, weight_.take(at::where(counted, target, 0)), 0).sum();
  }

  std::optional<int64_t> ignore_index() const override { return ignore_index_; }

 protected:
  at::Tensor weight_;
  int64_t ignore_index_;
};

class CrossEntropyLoss final : public OfClasses {
 public:
  CrossEntropyLoss(const Args& args, c10::Device device)
      : OfClasses(args, device), label_smoothing_(args.number("label_smoothing")) {}

  at::Tensor mean(const at::Tensor& output, const at::Tensor& target) const override {
    return at::cross_entropy_loss(output, target, weight_, at::Reduction::Mean, ignore_index_, label_smoothing_);
  }

  at::Tensor sum(const at::Tensor& output, const at::Tensor& target) const override {
    return at::cross_entropy_loss(output, target, weight_, at::Reduction::Sum, ignore_index_, label_smoothing_);
  }

  at::Tensor probabilities(const at::Tensor& output) const override { return at::softmax(output, 1); }

 private:
  double label_smoothing_;
};

/// The network answers logarithms of probabilities.
class NLLLoss final : public OfClasses {
 public:
  using OfClasses::OfClasses;

  at::Tensor mean(const at::Tensor& output, const at::Tensor& target) const override {
    return at::nll_loss_nd(output, target, weight_, at::Reduction::Mean, ignore_index_);
  }

  at::Tensor sum(const at::Tensor& output, const at::Tensor& target) const override {
    return at::nll_loss_nd(output, target, weight_, at::Reduction::Sum, ignore_index_);
  }

  at::Tensor probabilities(const at::Tensor& output) const override { return output.exp(); }
};

/// PyTorch divides by the samples, whatever the weights.
class MultiMarginLoss final : public Loss {
 public:
  MultiMarginLoss(const Args& args, c10::Device device)
      : p_(args.integer("p")), margin_(args.number("margin")), weight_(weights_of(args, "weight", device)) {}

  at::Tensor mean(const at::Tensor& output, const at::Tensor& target) const override {
    return at::multi_margin_loss(output.to(at::kFloat), target, p_, margin_, weight_, at::Reduction::Mean);
  }

  at::Tensor sum(const at::Tensor& output, const at::Tensor& target) const override {
    return at::multi_margin_loss(output.to(at::kFloat), target, p_, margin_, weight_, at::Reduction::Sum);
  }

  at::Tensor divisor(const at::Tensor& output, const at::Tensor&) const override {
    return at::scalar_tensor(output.size(0), output.options().dtype(at::kFloat).requires_grad(false));
  }

  at::Tensor probabilities(const at::Tensor& output) const override { return at::softmax(output, 1); }

 private:
  int64_t p_;
  double margin_;
  at::Tensor weight_;
};

}  // namespace

std::unique_ptr<Loss> build_cross_entropy(const Args& args, c10::Device device) {
  return std::make_unique<CrossEntropyLoss>(args, device);
}

std::unique_ptr<Loss> build_nll(const Args& args, c10::Device device) {
  return std::make_unique<NLLLoss>(args, device);
}

std::unique_ptr<Loss> build_multi_margin(const Args& args, c10::Device device) {
  return std::make_unique<MultiMarginLoss>(args, device);
}

}  // namespace gradloom
