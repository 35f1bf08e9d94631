// Brings batches to a device on a stream of its own, so that one is copied while another is computed with.
#pragma once

#include <ATen/core/TensorBody.h>
#include <c10/core/Device.h>
#include <c10/core/Stream.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <memory>
#include <optional>

#include "core/gather.h"

namespace gradloom {

/// A batch on its way to the device, or there.
struct Parcel {
  at::Tensor input;
  at::Tensor target;
  float scale = 0;
  std::shared_ptr<const ChainDraws> draws;
  std::shared_ptr<void> copied;  // the event after its copies; null where they went the way of everything else
};

class Courier {
 public:
  /// `pinned`: what is sent lies in memory from which the device copies by itself.
  Courier(c10::Device device, bool pinned);
  /// With a back end's streams and events as given; for tests.
  Courier(c10::Device device, bool pinned, c10::impl::VirtualGuardImpl guard);

  /// Begins the copies, and returns without waiting for them if the memory is pinned.
  Parcel send(const Gathered& gathered) const;

  /// What the device is told to do from now on comes after the copies. Does not wait.
  void receive(const Parcel& parcel) const;

 private:
  c10::Device device_;
  bool pinned_;
  std::optional<c10::impl::VirtualGuardImpl> guard_;  // none: one stream must do
  std::optional<c10::Stream> stream_;
};

}  // namespace gradloom
