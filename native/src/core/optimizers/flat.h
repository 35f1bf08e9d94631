// Optimizers written as plain arithmetic on one long vector of all their parameters: few operations however many
// tensors there are, on any device.
#pragma once

#include "core/optimizers/optimizer.h"

namespace gradloom {

/// Tensors side by side in one: what is done to `all` is done to each of `parts`.
struct Flat {
  at::Tensor all;
  std::vector<at::Tensor> parts;

  /// Room for tensors shaped and laid out like these.
  static Flat like(at::TensorList tensors, double value);

  /// The same parts of another vector as long.
  Flat of(const at::Tensor& other) const;
};

/// A kind changes drafts of its state and of the weights in place and `set`s them: where the step's flag is set,
/// nothing of it happens. On the CPU, where the flag costs nothing to read, drafts are the tensors themselves.
class FlatOptimizer : public Optimizer {
 public:
  void step(at::TensorList gradients, const StepValues& values, const at::Tensor& found_inf) final;
  void reread(bool started) override;

  /// For tests: treats the CPU as a device whose flag the host does not read.
  static bool flag_stays_on_device;

 protected:
  /// Moves the parameters into one vector.
  FlatOptimizer(const Args& args, std::vector<at::Tensor> parameters);

  /// The kind's rule. The gradient may be overwritten; everything else by way of `draft` and `set`.
  virtual void update(const Flat& gradient, const StepValues& values) = 0;

  /// A state key with a tensor like each parameter, or like each of `shapes`.
  Flat add_state(const std::string& key, double value = 0);
  Flat add_state(const std::string& key, at::TensorList shapes, double value = 0);

  /// Adds torch's key `step`.
  void add_steps() { steps_ = add_number("step"); }

  /// A state key with one number a parameter, equal for all of them: [parameters].
  at::Tensor add_number(const std::string& key, double value = 0);

  at::Tensor draft(const Flat& flat) const { return real_ ? flat.all : flat.all.clone(); }
  void set(const Flat& target, const at::Tensor& value) const { set(target.all, value); }
  void set(const at::Tensor& target, const at::Tensor& value) const;
  void set(const at::Tensor& target, double value) const;

  /// The number of the step that is being done, from 1.
  double number() const { return number_; }
  double weight_decay(const StepValues& values) const { return values.weight_decay.value_or(weight_decay_); }

  /// The gradient with the weights times `decay` added to it, in place.
  void add_l2(const Flat& gradient, double decay) const;

  Flat weights_;

 private:
  bool maximize_;
  double weight_decay_;
  double number_ = 0;
  at::Tensor steps_;   // [parameters], torch's `step`; none for kinds that keep no such key
  at::Tensor void_;    // [1], bool: the step's flag
  bool real_ = false;  // the host knows that it is not set
};

}  // namespace gradloom
