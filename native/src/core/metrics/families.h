// The families' build functions, for the table.
#pragma once

#include <memory>

#include "core/metrics/metric.h"

namespace gradloom {

std::unique_ptr<Metric> build_accuracy(const Args& args);

}  // namespace gradloom
