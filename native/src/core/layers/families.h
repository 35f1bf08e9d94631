// The build functions behind the layer table, by family.
#pragma once

#include "core/model/layer.h"

namespace gradloom {

// dense.cpp
Forward build_linear(Builder&);

// conv.cpp
Forward build_conv2d(Builder&);

// pool.cpp
Forward build_max_pool2d(Builder&);
Forward build_avg_pool2d(Builder&);
Forward build_adaptive_avg_pool2d(Builder&);

// norm.cpp
Forward build_batch_norm2d(Builder&);
Forward build_layer_norm(Builder&);

// activation.cpp
Forward build_relu(Builder&);
Forward build_leaky_relu(Builder&);
Forward build_gelu(Builder&);
Forward build_silu(Builder&);
Forward build_sigmoid(Builder&);
Forward build_tanh(Builder&);
Forward build_softmax(Builder&);
Forward build_log_softmax(Builder&);

// shape.cpp
Forward build_dropout(Builder&);
Forward build_flatten(Builder&);
Forward build_identity(Builder&);

// block.cpp
Forward build_residual(Builder&);
Forward build_parallel(Builder&);
Forward build_repeat(Builder&);

}  // namespace gradloom
