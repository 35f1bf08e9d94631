// The families' build functions, for the table.
#pragma once

#include <memory>

#include "core/metrics/metric.h"

namespace gradloom {

std::unique_ptr<Metric> build_accuracy(const Args& args);
std::unique_ptr<Metric> build_precision(const Args& args);
std::unique_ptr<Metric> build_recall(const Args& args);
std::unique_ptr<Metric> build_f1_score(const Args& args);
std::unique_ptr<Metric> build_jaccard_index(const Args& args);
std::unique_ptr<Metric> build_auroc(const Args& args);
std::unique_ptr<Metric> build_average_precision(const Args& args);
std::unique_ptr<Metric> build_dice_score(const Args& args);
std::unique_ptr<Metric> build_mean_absolute_error(const Args& args);
std::unique_ptr<Metric> build_mean_squared_error(const Args& args);
std::unique_ptr<Metric> build_r2_score(const Args& args);
std::unique_ptr<Metric> build_perplexity(const Args& args);

}  // namespace gradloom
