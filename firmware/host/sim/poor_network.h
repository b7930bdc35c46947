// A poor network between the device and its server: what TCP makes of loss, jitter and little
// width.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "lobug/ports/connection.h"

namespace lobug::sim {

struct NetworkOptions {
  double loss = 0;                ///< share of segments that are lost
  double jitter_s = 0;            ///< the delay varies by so much, evenly distributed
  double latency_s = 0;           ///< least delay one way
  std::uint32_t bytes_per_s = 0;  ///< width each way; 0: no limit
  bool perfect() const { return loss <= 0 && jitter_s <= 0 && latency_s <= 0 && bytes_per_s == 0; }
};

/// What all connections of a device share.
struct Air {
  NetworkOptions options;
  std::atomic<bool> wifi{true};        ///< false: nothing gets through and nothing opens
  std::atomic<bool> no_server{false};  ///< a build that never finds its server
  std::atomic<std::uint64_t> sent{0};  ///< bytes
  std::atomic<std::uint64_t> received{0};
};

/// Passes a connection's bytes on, later. The model is the one of the simulated device in Python
/// (server/lobug/simulator/network_model.py): TCP loses nothing and reorders nothing; a segment
/// that was lost comes later, and with it all that was sent after it. No more is under way in
/// either direction than fits into the small buffers of an ESP32's TCP. Used by the device's
/// thread.
class PoorConnection final : public Connection {
 public:
  PoorConnection(Connection& inner, Air& air, std::uint32_t seed)
      : inner_(inner), air_(air), randomness_(seed) {}

  void open(const Endpoint& endpoint) override;
  ConnectionState state() override;
  ConnectionFailure failure() const override;
  std::size_t read(MutableBytes into) override;
  std::size_t write(Bytes from) override;
  void close() override;

 private:
  struct Piece {
    std::int64_t arrives_us = 0;
    std::vector<unsigned char> bytes;
    std::size_t taken = 0;
  };
  struct Path {
    std::deque<Piece> pieces;
    std::size_t waiting = 0;  ///< bytes
    std::int64_t last_us = 0;
    std::int64_t free_us = 0;  ///< when the line is free again
    std::int64_t jitter_drawn_us = -1'000'000'000;
    double jitter_s = 0;
  };
  std::int64_t arrival(Path& path, std::size_t size, bool by_server);
  void put(Path& path, Bytes bytes, bool by_server);
  void pump();
  void forget();

  Connection& inner_;
  Air& air_;
  std::mt19937 randomness_;
  Path up_;
  Path down_;
  bool unreachable_ = false;  ///< it could not even be tried
};

}  // namespace lobug::sim
