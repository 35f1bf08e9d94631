// Activation checkpointing: segments of the network whose inner activations are computed again in the backward pass.
#pragma once

#include "core/model/layer.h"

namespace gradloom {

/// Layers that run one after the other although they may lie in several lists (a Repeat's).
struct Segment {
  struct Stretch {
    const List* list;
    size_t begin;
    size_t end;
  };
  std::vector<Stretch> stretches;
  std::vector<at::Tensor> parameters;
  bool draws_random = false;

  at::Tensor forward(at::Tensor input, Pass pass) const;
};

/// Cuts the list at the layers whose paths are given. Throws BAD_CALL for a path that begins no layer in the sequence.
std::vector<Segment> cut_segments(const List& list, const Registry& registry, const std::vector<std::string>& starts);

/// A training forward that keeps what goes from segment to segment and the last segment's activations. Values and
/// gradients are those of a plain forward, bit for bit on the CPU: dropout draws the same masks again, and statistics
/// are taken once.
at::Tensor forward_checkpointed(const std::vector<Segment>& segments, at::Tensor input, const Pass& pass);

}  // namespace gradloom
