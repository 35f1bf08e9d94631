// Losses that compare value by value: of labels, of numbers, of distributions.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <cmath>
#include <numbers>

#include "core/losses/families.h"

namespace gradloom {

namespace {

at::Tensor scalar(int64_t value, const at::Tensor& like) {
  return at::scalar_tensor(value, like.options().dtype(at::kFloat).requires_grad(false));
}

/// A target in the output's shape; class indices (of two classes) become zeros and ones.
at::Tensor like(const at::Tensor& target, const at::Tensor& output) {
  return target.reshape(output.sizes()).to(at::kFloat);
}

/// Computed in float32 also in mixed precision, as autocast has it. The mean is over all values.
class ByValue : public Loss {
 public:
  at::Tensor mean(const at::Tensor& output, const at::Tensor& target) const override {
    return reduced(output.to(at::kFloat), target, at::Reduction::Mean);
  }

  at::Tensor sum(const at::Tensor& output, const at::Tensor& target) const override {
    return reduced(output.to(at::kFloat), target, at::Reduction::Sum);
  }

  at::Tensor divisor(const at::Tensor& output, const at::Tensor&) const override {
    return scalar(output.numel(), output);
  }

 protected:
  virtual at::Tensor reduced(const at::Tensor& output, const at::Tensor& target, int64_t reduction) const = 0;
};

class MSELoss final : public ByValue {
  at::Tensor reduced(const at::Tensor& output, const at::Tensor& target, int64_t reduction) const override {
    return at::mse_loss(output, like(target, output), reduction);
  }
};

class L1Loss final : public ByValue {
  at::Tensor reduced(const at::Tensor& output, const at::Tensor& target, int64_t reduction) const override {
    return at::l1_loss(output, like(target, output), reduction);
  }
};

class SmoothL1Loss final : public ByValue {
 public:
  explicit SmoothL1Loss(const Args& args) : beta_(args.number("beta")) {}

 private:
  at::Tensor reduced(const at::Tensor& output, const at::Tensor& target, int64_t reduction) const override {
    return at::smooth_l1_loss(output, like(target, output), reduction, beta_);
  }

  double beta_;
};

class HuberLoss final : public ByValue {
 public:
  explicit HuberLoss(const Args& args) : delta_(args.number("delta")) {}

 private:
  at::Tensor reduced(const at::Tensor& output, const at::Tensor& target, int64_t reduction) const override {
    return at::huber_loss(output, like(target, output), reduction, delta_);
  }

  double delta_;
};

class BCEWithLogitsLoss final : public ByValue {
 public:
  BCEWithLogitsLoss(const Args& args, c10::Device device)
      : weight_(weights_of(args, "weight", device)), pos_weight_(weights_of(args, "pos_weight", device)) {}

  at::Tensor probabilities(const at::Tensor& output) const override { return output.sigmoid(); }

 private:
  at::Tensor reduced(const at::Tensor& output, const at::Tensor& target, int64_t reduction) const override {
    return at::binary_cross_entropy_with_logits(output, like(target, output), weight_, pos_weight_, reduction);
  }

  at::Tensor weight_;
  at::Tensor pos_weight_;
};

class BCELoss final : public ByValue {
 public:
  BCELoss(const Args& args, c10::Device device) : weight_(weights_of(args, "weight", device)) {}

 private:
  at::Tensor reduced(const at::Tensor& output, const at::Tensor& target, int64_t reduction) const override {
    // The kernel throws on what is not between 0 and 1, also on NaN; but NaN is a step that was not finite, no fault of
    // the program's.
    // Autocast refuses it, for fear of half precision.
    const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
    const at::Tensor none = output.detach().isnan();
    const at::Tensor weight = weight_.defined() ? weight_.expand(output.sizes()) : weight_;
    const at::Tensor value =
        at::binary_cross_entropy(output.masked_fill(none, 0.5), like(target, output), weight, reduction);
    return value + at::where(none.any(), NAN, 0.0);
  }

  at::Tensor weight_;
};

/// The network answers logarithms of probabilities.
class KLDivLoss final : public ByValue {
 public:
  explicit KLDivLoss(const Args& args)
      : log_target_(args.flag("log_target")), by_sample_(args.string("reduction") == "batchmean") {}

  at::Tensor mean(const at::Tensor& output, const at::Tensor& target) const override {
    if (!by_sample_) return ByValue::mean(output, target);
    return sum(output, target) / output.size(0);
  }

  at::Tensor divisor(const at::Tensor& output, const at::Tensor& target) const override {
    return by_sample_ ? scalar(output.size(0), output) : ByValue::divisor(output, target);
  }

  at::Tensor prediction(const at::Tensor& output) const override { return log_target_ ? output : output.exp(); }

 private:
  at::Tensor reduced(const at::Tensor& output, const at::Tensor& target, int64_t reduction) const override {
    return at::kl_div(output, like(target, output), reduction, log_target_);
  }

  bool log_target_;
  bool by_sample_;
};

class PoissonNLLLoss final : public ByValue {
 public:
  explicit PoissonNLLLoss(const Args& args)
      : log_input_(args.flag("log_input")), full_(args.flag("full")), eps_(args.number("eps")) {}

  at::Tensor prediction(const at::Tensor& output) const override { return log_input_ ? output.exp() : output; }

 private:
  at::Tensor reduced(const at::Tensor& output, const at::Tensor& target, int64_t reduction) const override {
    return at::poisson_nll_loss(output, like(target, output), log_input_, full_, eps_, reduction);
  }

  bool log_input_;
  bool full_;
  double eps_;
};

/// The output's first half are means, its second half the logarithms of the variances.
class GaussianNLLLoss final : public ByValue {
 public:
  explicit GaussianNLLLoss(const Args& args) : full_(args.flag("full")), eps_(args.number("eps")) {}

  at::Tensor divisor(const at::Tensor& output, const at::Tensor&) const override {
    return scalar(output.numel() / 2, output);
  }

  at::Tensor prediction(const at::Tensor& output) const override { return output.chunk(2, 1)[0]; }

 private:
  at::Tensor reduced(const at::Tensor& output, const at::Tensor& target, int64_t reduction) const override {
    const std::vector<at::Tensor> halves = output.chunk(2, 1);
    // As in PyTorch the gradient passes the bound that keeps the variance from zero.
    const at::Tensor variance = halves[1].exp().clone();
    {
      const at::NoGradGuard no_grad;
      variance.clamp_(eps_);
    }
    at::Tensor loss =
        (variance.log() + (halves[0] - like(target, halves[0])).square() / variance) * 0.5;
    if (full_) loss = loss + 0.5 * std::log(2 * std::numbers::pi);
    return reduction == at::Reduction::Mean ? loss.mean() : loss.sum();
  }

  bool full_;
  double eps_;
};

}  // namespace

std::unique_ptr<Loss> build_mse(const Args&, c10::Device) {
  return std::make_unique<MSELoss>();
}

std::unique_ptr<Loss> build_l1(const Args&, c10::Device) {
  return std::make_unique<L1Loss>();
}

std::unique_ptr<Loss> build_smooth_l1(const Args& args, c10::Device) {
  return std::make_unique<SmoothL1Loss>(args);
}

std::unique_ptr<Loss> build_huber(const Args& args, c10::Device) {
  return std::make_unique<HuberLoss>(args);
}

std::unique_ptr<Loss> build_bce_with_logits(const Args& args, c10::Device device) {
  return std::make_unique<BCEWithLogitsLoss>(args, device);
}

std::unique_ptr<Loss> build_bce(const Args& args, c10::Device device) {
  return std::make_unique<BCELoss>(args, device);
}

std::unique_ptr<Loss> build_kl_div(const Args& args, c10::Device) {
  return std::make_unique<KLDivLoss>(args);
}

std::unique_ptr<Loss> build_poisson_nll(const Args& args, c10::Device) {
  return std::make_unique<PoissonNLLLoss>(args);
}

std::unique_ptr<Loss> build_gaussian_nll(const Args& args, c10::Device) {
  return std::make_unique<GaussianNLLLoss>(args);
}

}  // namespace gradloom
