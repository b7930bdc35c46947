// TLS 1.2 over TCP, trusting one pinned CA and nothing else.
#pragma once

#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/ssl.h>
#include <mbedtls/x509_crt.h>

#include <cstddef>
#include <cstdint>

#include "lobug/base/clock.h"
#include "lobug/ports/connection.h"
#include "lobug_sockets/ca_source.h"
#include "lobug_sockets/certificate.h"
#include "lobug_sockets/clocks.h"
#include "lobug_sockets/tcp_connection.h"

namespace lobug {

/// What is verified, always: the chain up to the pinned CA, and that the certificate was made out
/// to the host that was asked for. mbedTLS compares names; it cannot compare addresses before 3.5,
/// so for an address our own verify callback looks for its octets among the certificate's
/// alternative names, and without them the handshake fails. Validity in time is checked unless the
/// endpoint says `any_date`; without a clock that was set nothing is valid.
///
/// Failures: kNoCa without a CA or with one that cannot be read, before anything is sent;
/// kUntrusted for a certificate that fails any of the above; kOutdated for one at which nothing but
/// its dates is wrong, as far as our clock can tell; kRefused when what answers speaks no
/// TLS that we speak. mbedTLS allocates its buffers at `open` and frees them at `close`.
class TlsConnection final : public Connection {
 public:
  TlsConnection(const Clocks& clocks, CaSource& ca_source, Millis handshake_timeout_ms = 10000);
  ~TlsConnection() override { close(); }
  TlsConnection(const TlsConnection&) = delete;
  TlsConnection& operator=(const TlsConnection&) = delete;

  void open(const Endpoint& endpoint) override;
  ConnectionState state() override;
  ConnectionFailure failure() const override { return failure_; }
  std::size_t read(MutableBytes into) override;
  std::size_t write(Bytes from) override;
  void close() override;

 private:
  struct Callbacks;
  bool prepare(const Endpoint& endpoint);
  void step_handshake();
  void release();
  void fail(ConnectionFailure failure);

  Clocks clocks_;
  CaSource& ca_source_;
  Millis handshake_timeout_ms_;
  TcpConnection tcp_;
  ConnectionState state_ = ConnectionState::kClosed;
  ConnectionFailure failure_ = ConnectionFailure::kNone;
  Deadline handshake_by_;
  IpAddress address_;  ///< the host, when it is an address
  /// Length of a write that mbedTLS has begun: it has to be offered again with the same length.
  std::size_t begun_write_ = 0;
  bool prepared_ = false;
  bool any_date_ = false;  ///< see Endpoint
  mbedtls_entropy_context entropy_;
  mbedtls_ctr_drbg_context random_;
  mbedtls_x509_crt ca_;
  mbedtls_ssl_config config_;
  mbedtls_ssl_context tls_;
};

}  // namespace lobug
