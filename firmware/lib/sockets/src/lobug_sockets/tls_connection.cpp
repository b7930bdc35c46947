#include "lobug_sockets/tls_connection.h"

#include <mbedtls/version.h>

#include <algorithm>

#if MBEDTLS_VERSION_MAJOR >= 3
#include <psa/crypto.h>
#endif

#include "lobug/base/calendar.h"

namespace lobug {
namespace {

constexpr std::uint32_t kDateFlags = MBEDTLS_X509_BADCERT_EXPIRED | MBEDTLS_X509_BADCERT_FUTURE;

}  // namespace

/// What mbedTLS calls.
struct TlsConnection::Callbacks {
  static int send(void* context, const unsigned char* data, std::size_t size) {
    auto& tcp = *static_cast<TcpConnection*>(context);
    const std::size_t count = tcp.write(Bytes(data, size));
    if (count > 0) return static_cast<int>(count);
    return tcp.state() == ConnectionState::kOpen ? MBEDTLS_ERR_SSL_WANT_WRITE
                                                 : MBEDTLS_ERR_SSL_CONN_EOF;
  }

  static int receive(void* context, unsigned char* into, std::size_t size) {
    auto& tcp = *static_cast<TcpConnection*>(context);
    const std::size_t count = tcp.read(MutableBytes(into, size));
    if (count > 0) return static_cast<int>(count);
    return tcp.state() == ConnectionState::kOpen ? MBEDTLS_ERR_SSL_WANT_READ
                                                 : MBEDTLS_ERR_SSL_CONN_EOF;
  }

  /// For each certificate of the chain, the server's own at depth 0. `flags` holds what mbedTLS
  /// found wrong; the handshake fails unless it is 0 in the end.
  static int verify(void* context, mbedtls_x509_crt* certificate, int depth, std::uint32_t* flags) {
    const auto& connection = *static_cast<const TlsConnection*>(context);
    if (depth == 0 && connection.address_.size > 0 &&
        !is_made_out_to(*certificate, connection.address_)) {
      *flags |= MBEDTLS_X509_BADCERT_CN_MISMATCH;
    }
    // Builds of mbedTLS differ in whether they look at the clock, and none knows whether it was
    // ever set; so time is ours to check.
    *flags &= ~kDateFlags;
    if (connection.any_date_) return 0;
    const std::int64_t now = connection.clocks_.unix_seconds();
    // A clock that was never set can judge nothing: whoever connects has to ask for the time first.
    const int where = now >= kEarliestTime ? compare_validity(*certificate, now) : -1;
    if (where < 0) *flags |= MBEDTLS_X509_BADCERT_FUTURE;
    if (where > 0) *flags |= MBEDTLS_X509_BADCERT_EXPIRED;
    return 0;
  }
};

TlsConnection::TlsConnection(const Clocks& clocks, CaSource& ca_source, Millis handshake_timeout_ms)
    : clocks_(clocks),
      ca_source_(ca_source),
      handshake_timeout_ms_(handshake_timeout_ms),
      tcp_(clocks),
      entropy_(),
      random_(),
      ca_(),
      config_(),
      tls_() {}

void TlsConnection::open(const Endpoint& endpoint) {
  close();
  state_ = ConnectionState::kOpening;
  if (ca_source_.ca().empty()) {
    fail(ConnectionFailure::kNoCa);
    return;
  }
  if (!prepare(endpoint)) return;
  tcp_.open(endpoint);
}

/// Sets everything up for a handshake; has failed the connection when it returns false.
bool TlsConnection::prepare(const Endpoint& endpoint) {
  mbedtls_entropy_init(&entropy_);
  mbedtls_ctr_drbg_init(&random_);
  mbedtls_x509_crt_init(&ca_);
  mbedtls_ssl_config_init(&config_);
  mbedtls_ssl_init(&tls_);
  prepared_ = true;
  address_ = parse_ip_address(endpoint.host.c_str());
  any_date_ = endpoint.any_date;

  const Text<2048>& pem = ca_source_.ca();
  const auto* bytes = reinterpret_cast<const unsigned char*>(pem.c_str());
  // The parser wants the closing NUL counted. More than 0: so many certificates were not readable.
  if (mbedtls_x509_crt_parse(&ca_, bytes, pem.size() + 1) != 0) {
    fail(ConnectionFailure::kNoCa);
    return false;
  }
#if MBEDTLS_VERSION_MAJOR >= 3
  if (psa_crypto_init() != PSA_SUCCESS) {
    fail(ConnectionFailure::kLost);
    return false;
  }
#endif
  const bool ready =
      mbedtls_ctr_drbg_seed(&random_, mbedtls_entropy_func, &entropy_, nullptr, 0) == 0 &&
      mbedtls_ssl_config_defaults(&config_, MBEDTLS_SSL_IS_CLIENT, MBEDTLS_SSL_TRANSPORT_STREAM,
                                  MBEDTLS_SSL_PRESET_DEFAULT) == 0;
  if (!ready) {
    fail(ConnectionFailure::kLost);
    return false;
  }
  mbedtls_ssl_conf_authmode(&config_, MBEDTLS_SSL_VERIFY_REQUIRED);
  mbedtls_ssl_conf_ca_chain(&config_, &ca_, nullptr);
  mbedtls_ssl_conf_verify(&config_, Callbacks::verify, this);
  mbedtls_ssl_conf_rng(&config_, mbedtls_ctr_drbg_random, &random_);
  mbedtls_ssl_conf_min_version(&config_, MBEDTLS_SSL_MAJOR_VERSION_3, MBEDTLS_SSL_MINOR_VERSION_3);
  // The name goes out in the clear (SNI) and is what the certificate is compared with. Addresses
  // are no names (RFC 6066, section 3): they are compared by `Callbacks::verify`.
  const char* name = address_.size > 0 ? nullptr : endpoint.host.c_str();
  if (mbedtls_ssl_setup(&tls_, &config_) != 0 || mbedtls_ssl_set_hostname(&tls_, name) != 0) {
    fail(ConnectionFailure::kLost);
    return false;
  }
  mbedtls_ssl_set_bio(&tls_, &tcp_, Callbacks::send, Callbacks::receive, nullptr);
  return true;
}

ConnectionState TlsConnection::state() {
  if (state_ != ConnectionState::kOpening) return state_;
  if (!handshake_by_.is_set()) {
    switch (tcp_.state()) {
      case ConnectionState::kOpening:
        return state_;
      case ConnectionState::kOpen:
        handshake_by_.set(clocks_.now(), handshake_timeout_ms_);
        break;
      default:
        fail(tcp_.failure());
        return state_;
    }
  }
  step_handshake();
  return state_;
}

void TlsConnection::step_handshake() {
  const int result = mbedtls_ssl_handshake(&tls_);
  if (result == 0) {
    handshake_by_.clear();
    state_ = ConnectionState::kOpen;
  } else if (result == MBEDTLS_ERR_SSL_WANT_READ || result == MBEDTLS_ERR_SSL_WANT_WRITE) {
    if (handshake_by_.due(clocks_.now())) fail(ConnectionFailure::kTimeout);
  } else if (result == MBEDTLS_ERR_X509_CERT_VERIFY_FAILED) {
    const std::uint32_t faults = mbedtls_ssl_get_verify_result(&tls_);
    fail((faults & ~kDateFlags) == 0 ? ConnectionFailure::kOutdated
                                     : ConnectionFailure::kUntrusted);
  } else {
    fail(ConnectionFailure::kRefused);
  }
}

std::size_t TlsConnection::read(MutableBytes into) {
  if (state_ != ConnectionState::kOpen || into.empty()) return 0;
  const int count = mbedtls_ssl_read(&tls_, into.data(), into.size());
  if (count > 0) return static_cast<std::size_t>(count);
  switch (count) {
    case MBEDTLS_ERR_SSL_WANT_READ:
    case MBEDTLS_ERR_SSL_WANT_WRITE:
#if defined(MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET)
    case MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET:
#endif
      return 0;
    case MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY:
      close();
      return 0;
    default:
      // Also an end without TLS's close_notify: the stream may have been truncated.
      fail(ConnectionFailure::kLost);
      return 0;
  }
}

std::size_t TlsConnection::write(Bytes from) {
  if (state_ != ConnectionState::kOpen || from.size() < std::max<std::size_t>(begun_write_, 1)) {
    return 0;
  }
  const std::size_t size = begun_write_ > 0 ? begun_write_ : from.size();
  const int count = mbedtls_ssl_write(&tls_, from.data(), size);
  if (count > 0) {
    begun_write_ = 0;
    return static_cast<std::size_t>(count);
  }
  if (count == MBEDTLS_ERR_SSL_WANT_READ || count == MBEDTLS_ERR_SSL_WANT_WRITE) {
    begun_write_ = size;
  } else {
    fail(ConnectionFailure::kLost);
  }
  return 0;
}

void TlsConnection::close() {
  if (state_ == ConnectionState::kOpen) (void)mbedtls_ssl_close_notify(&tls_);
  release();
  state_ = ConnectionState::kClosed;
  failure_ = ConnectionFailure::kNone;
}

void TlsConnection::release() {
  tcp_.close();
  handshake_by_.clear();
  begun_write_ = 0;
  if (!prepared_) return;
  mbedtls_ssl_free(&tls_);
  mbedtls_ssl_config_free(&config_);
  mbedtls_x509_crt_free(&ca_);
  mbedtls_ctr_drbg_free(&random_);
  mbedtls_entropy_free(&entropy_);
  prepared_ = false;
}

void TlsConnection::fail(ConnectionFailure failure) {
  release();
  state_ = ConnectionState::kFailed;
  failure_ = failure;
}

}  // namespace lobug
