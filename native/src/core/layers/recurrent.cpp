// Recurrent layers, by ATen's own functions over the whole sequence.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cmath>

#include "core/layers/table.h"

namespace gradloom {

namespace {

struct Recurrence {
  std::vector<at::Tensor> weights;  // of each layer and direction, in PyTorch's order
  bool bias = true;
  int64_t layers = 1;
  double dropout = 0;
  bool bidirectional = false;
  int64_t hidden = 0;
  int64_t state = 0;  // values that are carried along and answered

  int64_t directions() const { return bidirectional ? 2 : 1; }

  at::Tensor zeros(const at::Tensor& like, int64_t samples, int64_t values) const {
    return at::zeros({layers * directions(), samples, values}, like.options().requires_grad(false));
  }
};

/// Outputs and last states.
using Answer = std::pair<at::Tensor, at::Tensor>;

/// ATen's functions come in two forms: for padded sequences, and for packed ones (`sizes`: samples at each position).
using Run = Answer (*)(const Recurrence&, const at::Tensor& input, const at::Tensor* sizes, int64_t samples, bool train);

Answer run_lstm(const Recurrence& of, const at::Tensor& input, const at::Tensor* sizes, int64_t samples, bool train) {
  const std::vector<at::Tensor> start = {of.zeros(input, samples, of.state), of.zeros(input, samples, of.hidden)};
  auto [output, state, cell] =
      sizes != nullptr
          ? at::lstm(input, *sizes, start, of.weights, of.bias, of.layers, of.dropout, train, of.bidirectional)
          : at::lstm(input, start, of.weights, of.bias, of.layers, of.dropout, train, of.bidirectional, true);
  return {output, state};
}

/// The others carry one state.
template <auto padded, auto packed>
Answer run_plain(const Recurrence& of, const at::Tensor& input, const at::Tensor* sizes, int64_t samples, bool train) {
  const at::Tensor start = of.zeros(input, samples, of.state);
  auto [output, state] =
      sizes != nullptr
          ? packed(input, *sizes, start, of.weights, of.bias, of.layers, of.dropout, train, of.bidirectional)
          : padded(input, start, of.weights, of.bias, of.layers, of.dropout, train, of.bidirectional, true);
  return {output, state};
}

using Padded = std::tuple<at::Tensor, at::Tensor> (*)(const at::Tensor&, const at::Tensor&, at::TensorList, bool,
                                                      int64_t, double, bool, bool, bool);
using Packed = std::tuple<at::Tensor, at::Tensor> (*)(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                                                      at::TensorList, bool, int64_t, double, bool, bool);

constexpr Run run_gru = run_plain<static_cast<Padded>(at::gru), static_cast<Packed>(at::gru)>;
constexpr Run run_tanh = run_plain<static_cast<Padded>(at::rnn_tanh), static_cast<Packed>(at::rnn_tanh)>;
constexpr Run run_relu = run_plain<static_cast<Padded>(at::rnn_relu), static_cast<Packed>(at::rnn_relu)>;

/// As torch.nn.utils.rnn packs sequences of several lengths, so that padding at their ends is not computed.
Answer run_packed(Run run, const Recurrence& of, const at::Tensor& input, const Packing& packing, bool train) {
  const auto& [lengths, order, back] = packing;
  auto [values, sizes] = at::_pack_padded_sequence(input.index_select(0, order), lengths, true);
  auto [output, state] = run(of, values, &sizes, input.size(0), train);
  const at::Tensor padded = std::get<0>(at::_pad_packed_sequence(output, sizes, true, 0, input.size(1)));
  return {padded.index_select(0, back), state.index_select(1, back)};
}

/// cuDNN wants all weights in one piece of memory, and would copy them there at each step.
void join_weights(const Recurrence& of, const Args& args, int64_t mode) {
  const at::Tensor& first = of.weights.front();
  if (!first.is_cuda() || !at::cudnn_is_acceptable(first)) return;
  const at::NoGradGuard no_grad;
  const int64_t projection = of.state == of.hidden ? 0 : of.state;
  at::_cudnn_rnn_flatten_weight(of.weights, (of.bias ? 4 : 2) + (projection > 0 ? 1 : 0), args.integer("input_size"),
                                mode, of.hidden, projection, of.layers, true, of.bidirectional);
}

Forward build_recurrent(Builder& build, Run run, int64_t gates, int64_t mode, int64_t projection = 0) {
  const Args& args = build.args();
  Recurrence of;
  of.bias = args.flag("bias");
  of.layers = args.integer("num_layers");
  of.dropout = args.number("dropout");
  of.bidirectional = args.flag("bidirectional");
  of.hidden = args.integer("hidden_size");
  of.state = projection > 0 ? projection : of.hidden;
  if (of.dropout > 0 && of.layers > 1) build.draws_random();
  const double bound = 1 / std::sqrt(static_cast<double>(of.hidden));
  const auto draw = [&](const std::string& name, at::IntArrayRef shape) {
    of.weights.push_back(build.parameter("rnn." + name, at::empty(shape).uniform_(-bound, bound)));
  };
  for (int64_t layer = 0; layer < of.layers; ++layer) {
    for (int64_t direction = 0; direction < of.directions(); ++direction) {
      const std::string suffix = "_l" + std::to_string(layer) + (direction == 1 ? "_reverse" : "");
      const int64_t inputs = layer == 0 ? args.integer("input_size") : of.directions() * of.state;
      draw("weight_ih" + suffix, {gates * of.hidden, inputs});
      draw("weight_hh" + suffix, {gates * of.hidden, of.state});
      if (of.bias) draw("bias_ih" + suffix, {gates * of.hidden});
      if (of.bias) draw("bias_hh" + suffix, {gates * of.hidden});
      if (projection > 0) draw("weight_hr" + suffix, {projection, of.hidden});
    }
  }
  join_weights(of, args, mode);
  const bool last = args.string("output") == "last";
  return [=, padding = Padding(args)](const at::Tensor& input, const Pass& pass) {
    const auto [output, state] = padding.known() ? run_packed(run, of, input, padding.in(pass).packing(), pass.training)
                                                 : run(of, input, nullptr, input.size(0), pass.training);
    if (!last) return output;
    if (!of.bidirectional) return state.select(0, -1);
    return at::cat({state.select(0, -2), state.select(0, -1)}, 1);
  };
}

Forward build_rnn(Builder& build) {
  const bool relu = build.args().string("nonlinearity") == "relu";
  return build_recurrent(build, relu ? run_relu : run_tanh, 1, relu ? 0 : 1);
}

Forward build_lstm(Builder& build) {
  return build_recurrent(build, run_lstm, 4, 2, build.args().integer("proj_size"));
}

Forward build_gru(Builder& build) {
  return build_recurrent(build, run_gru, 3, 3);
}

constexpr LayerKind rows[] = {
    {"RNN",
     {"input_size", "mask", "hidden_size", "num_layers", "nonlinearity", "bias", "dropout", "bidirectional", "output"},
     build_rnn},
    {"LSTM",
     {"input_size", "mask", "hidden_size", "num_layers", "bias", "dropout", "bidirectional", "proj_size", "output"},
     build_lstm},
    {"GRU",
     {"input_size", "mask", "hidden_size", "num_layers", "bias", "dropout", "bidirectional", "output"},
     build_gru},
};

}  // namespace

std::span<const LayerKind> recurrent_layers() {
  return rows;
}

}  // namespace gradloom
