#include "poor_network.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "host_clock.h"

namespace lobug::sim {
namespace {

constexpr std::size_t kWindow = 5744;  // lwIP's default on the ESP32, both ways
constexpr std::size_t kSegmentBytes = 1440;
constexpr double kSpacingS = 0.06;            // between two segments of a voice stream
constexpr std::int64_t kTogetherUs = 20'000;  // what is sent within it is delayed alike
constexpr double kDeviceTimeoutS = 1.0;       // lwIP's first time-out
constexpr int kMaxLosses = 6;                 // in a row

std::int64_t to_us(double seconds) { return static_cast<std::int64_t>(seconds * 1e6); }

/// How much later a segment arrives that was lost so often in a row, seconds.
double recovery_s(const NetworkOptions& options, int losses, bool by_server) {
  if (losses == 0) return 0;
  const double round_trip_s = 2 * options.latency_s + options.jitter_s;
  if (by_server) return losses * (kSpacingS + 1.25 * round_trip_s);
  return 3 * kSpacingS + round_trip_s + kDeviceTimeoutS * (std::pow(2.0, losses - 1) - 1);
}

}  // namespace

void PoorConnection::open(const Endpoint& endpoint) {
  forget();
  inner_.close();
  unreachable_ = !air_.wifi || air_.no_server;
  if (!unreachable_) inner_.open(endpoint);
}

ConnectionState PoorConnection::state() {
  if (unreachable_) return ConnectionState::kFailed;
  const ConnectionState state = inner_.state();
  if (state == ConnectionState::kOpening) return state;
  pump();
  // What arrived before the end is still to be read.
  return down_.waiting > 0 ? ConnectionState::kOpen : inner_.state();
}

ConnectionFailure PoorConnection::failure() const {
  return unreachable_ ? ConnectionFailure::kTimeout : inner_.failure();
}

std::size_t PoorConnection::read(MutableBytes into) {
  if (unreachable_ || !air_.wifi) return 0;
  if (air_.options.perfect() && down_.waiting == 0) {
    const std::size_t count = inner_.read(into);
    air_.received += count;
    return count;
  }
  pump();
  const std::int64_t now = now_us();
  std::size_t given = 0;
  while (given < into.size() && !down_.pieces.empty() && down_.pieces.front().arrives_us <= now) {
    Piece& piece = down_.pieces.front();
    const std::size_t count = std::min(into.size() - given, piece.bytes.size() - piece.taken);
    std::memcpy(into.data() + given, piece.bytes.data() + piece.taken, count);
    piece.taken += count;
    given += count;
    if (piece.taken == piece.bytes.size()) down_.pieces.pop_front();
  }
  down_.waiting -= given;
  air_.received += given;
  return given;
}

std::size_t PoorConnection::write(Bytes from) {
  if (unreachable_) return 0;
  if (air_.options.perfect() && air_.wifi && up_.waiting == 0) {
    const std::size_t count = inner_.write(from);
    air_.sent += count;
    return count;
  }
  pump();
  if (inner_.state() != ConnectionState::kOpen) return 0;
  const Bytes fits = from.first(kWindow - std::min(kWindow, up_.waiting));
  put(up_, fits, false);
  pump();
  return fits.size();
}

void PoorConnection::close() {
  forget();
  unreachable_ = false;
  inner_.close();
}

void PoorConnection::forget() {
  up_ = Path();
  down_ = Path();
}

std::int64_t PoorConnection::arrival(Path& path, std::size_t size, bool by_server) {
  const NetworkOptions& options = air_.options;
  const std::int64_t now = now_us();
  std::uniform_real_distribution<double> share(0, 1);
  if (now - path.jitter_drawn_us >= kTogetherUs) {
    path.jitter_drawn_us = now;
    path.jitter_s = share(randomness_) * options.jitter_s;
  }
  double recovery = 0;
  for (std::size_t segment = 0; segment * kSegmentBytes < size; ++segment) {
    int losses = 0;
    while (losses < kMaxLosses && share(randomness_) < options.loss) ++losses;
    recovery = std::max(recovery, recovery_s(options, losses, by_server));
  }
  std::int64_t through = now;
  if (options.bytes_per_s > 0) {
    const double width_s = static_cast<double>(size) / options.bytes_per_s;
    through = path.free_us = std::max(now, path.free_us) + to_us(width_s);
  }
  const double delay_s = options.latency_s + path.jitter_s + recovery;
  path.last_us = std::max(path.last_us, through + to_us(delay_s));
  return path.last_us;
}

void PoorConnection::put(Path& path, Bytes bytes, bool by_server) {
  while (!bytes.empty()) {
    const Bytes segment = bytes.first(kSegmentBytes);
    path.pieces.push_back(
        {arrival(path, segment.size(), by_server), {segment.begin(), segment.end()}, 0});
    path.waiting += segment.size();
    bytes = bytes.drop(segment.size());
  }
}

void PoorConnection::pump() {
  if (!air_.wifi || inner_.state() != ConnectionState::kOpen) return;
  const std::int64_t now = now_us();
  while (!up_.pieces.empty() && up_.pieces.front().arrives_us <= now) {
    Piece& piece = up_.pieces.front();
    const Bytes rest(piece.bytes.data() + piece.taken, piece.bytes.size() - piece.taken);
    const std::size_t count = inner_.write(rest);
    air_.sent += count;
    up_.waiting -= count;
    piece.taken += count;
    if (count < rest.size()) break;
    up_.pieces.pop_front();
  }
  if (air_.options.perfect()) return;
  std::array<unsigned char, kSegmentBytes> segment{};
  while (down_.waiting < kWindow) {
    const std::size_t count = inner_.read(MutableBytes(segment.data(), segment.size()));
    if (count == 0) break;
    put(down_, Bytes(segment.data(), count), true);
  }
}

}  // namespace lobug::sim
