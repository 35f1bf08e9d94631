// Streams and events by what every back end of ATen has for them: nothing here knows of CUDA.
#include "core/courier.h"

#include <c10/util/Exception.h>

namespace gradloom {

namespace {

/// Makes a stream the current one of its device and gives the former one back.
class OnStream {
 public:
  OnStream(const c10::impl::VirtualGuardImpl& guard, c10::Stream stream)
      : guard_(guard), former_(guard.exchangeStream(stream)) {}
  ~OnStream() { guard_.exchangeStream(former_); }
  OnStream(const OnStream&) = delete;
  OnStream& operator=(const OnStream&) = delete;

 private:
  const c10::impl::VirtualGuardImpl& guard_;
  c10::Stream former_;
};

}  // namespace

Courier::Courier(c10::Device device, bool pinned) : device_(device), pinned_(pinned) {
  if (device.is_cpu()) return;
  guard_.emplace(device.type());
  try {
    stream_ = guard_->getStreamFromGlobalPool(device);
  } catch (const c10::Error&) {
    // A back end with a single stream.
  }
}

Courier::Courier(c10::Device device, bool pinned, c10::impl::VirtualGuardImpl guard)
    : device_(device), pinned_(pinned), guard_(guard), stream_(guard.getStreamFromGlobalPool(device)) {}

Parcel Courier::send(const Gathered& gathered) const {
  std::optional<OnStream> aside;
  if (stream_) aside.emplace(*guard_, *stream_);
  Parcel parcel{gathered.input.to(device_, /*non_blocking=*/pinned_),
                gathered.target.to(device_, /*non_blocking=*/pinned_), gathered.scale, gathered.draws, nullptr};
  if (!stream_) return parcel;
  void* event = nullptr;
  guard_->record(&event, *stream_, device_.index(), c10::EventFlag::PYTORCH_DEFAULT);
  parcel.copied = std::shared_ptr<void>(
      event, [guard = *guard_, index = device_.index()](void* done) { guard.destroyEvent(done, index); });
  return parcel;
}

void Courier::receive(const Parcel& parcel) const {
  if (!parcel.copied) return;
  const c10::Stream computing = guard_->getStream(device_);
  guard_->block(parcel.copied.get(), computing);
  // Their memory belongs to the other stream: it must not be given away there while this one still reads it.
  for (const at::Tensor& tensor : {parcel.input, parcel.target})
    guard_->recordDataPtrOnStream(tensor.storage().data_ptr(), computing);
}

}  // namespace gradloom
