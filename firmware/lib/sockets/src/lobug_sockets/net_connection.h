// A connection that is TLS where the address says so, and TCP where it does not.
#pragma once

#include <cstddef>

#include "lobug/ports/connection.h"
#include "lobug_sockets/ca_source.h"
#include "lobug_sockets/clocks.h"
#include "lobug_sockets/tcp_connection.h"
#include "lobug_sockets/tls_connection.h"

namespace lobug {

/// Nothing ever falls back from TLS to TCP: `Endpoint::tls` decides, and TLS needs the pinned CA.
class NetConnection final : public Connection {
 public:
  NetConnection(const Clocks& clocks, CaSource& ca_source)
      : plain_(clocks), secure_(clocks, ca_source) {}

  void open(const Endpoint& endpoint) override {
    current_->close();
    current_ = endpoint.tls ? static_cast<Connection*>(&secure_) : &plain_;
    current_->open(endpoint);
  }
  ConnectionState state() override { return current_->state(); }
  ConnectionFailure failure() const override { return current_->failure(); }
  std::size_t read(MutableBytes into) override { return current_->read(into); }
  std::size_t write(Bytes from) override { return current_->write(from); }
  void close() override { current_->close(); }

 private:
  TcpConnection plain_;
  TlsConnection secure_;
  Connection* current_ = &plain_;
};

}  // namespace lobug
