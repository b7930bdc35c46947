// An HTTP/1.1 answer, from bytes that come in whatever pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lobug/base/span.h"
#include "lobug/net/http_syntax.h"

namespace lobug {

enum class HttpFault : std::uint8_t {
  kNone,
  kConnection,  ///< it could not be opened, or broke before the answer was whole
  kTimeout,
  kProtocol,  ///< the answer is not HTTP, or says two things at once
  kTooLarge,  ///< the answer's head or body is longer than the buffer
  kStopped,   ///< the sink refused more
};

/// Takes a body piece by piece, when it is too large for memory (a firmware).
class BodySink {
 public:
  virtual ~BodySink() = default;
  /// False: stop here (`HttpFault::kStopped`). `total` is 0 when the server did not say.
  virtual bool take(Bytes piece, std::uint32_t total) = 0;
};

/// Needs no memory of its own: `buffer` holds the line of the head that is being read, then the
/// body. Every length is bounded by it or by a limit.
class HttpResponse {
 public:
  enum class Progress : std::uint8_t { kMore, kDone, kFailed };

  /// Starts over. The sink gets the body of an answer with status 200, the buffer any other.
  void start(MutableBytes buffer, BodySink* sink);
  /// All bytes are taken; what comes after the answer's end is ignored.
  Progress feed(Bytes bytes);
  /// The other side closed, in order.
  Progress end();

  Progress progress() const;
  HttpFault fault() const { return fault_; }
  /// 0 until it is known.
  int status() const { return status_; }
  std::string_view body() const;
  /// Seconds; 0 when there was none or it was a date, never more than a day.
  std::uint32_t retry_after_s() const { return retry_after_s_; }
  /// What time the server says it is, seconds since 1970; 0 when it did not.
  std::int64_t date() const { return date_; }

 private:
  enum class Phase : std::uint8_t {
    kStatusLine,
    kHeaders,
    kBody,  ///< `left_` more bytes
    kUntilClose,
    kChunkSize,       ///< its hexadecimal digits
    kChunkExtension,  ///< what may follow them, up to the CR
    kChunkLineEnd,    ///< LF
    kChunk,           ///< `left_` more bytes
    kChunkCr,
    kChunkLf,
    kTrailer,         ///< the beginning of a line
    kTrailerLine,     ///< the rest of one
    kTrailerLineEnd,  ///< LF
    kLastLf,
    kDone,
    kFailed,
  };

  void fail(HttpFault fault);
  /// Takes bytes of the head; how many.
  std::size_t take_head(Bytes bytes);
  void take_line(std::string_view line);
  void take_header(std::string_view line);
  void begin_body();
  /// Takes bytes of the body; how many.
  std::size_t take_body(Bytes bytes);
  void keep(Bytes piece);
  /// One byte of what surrounds the chunks.
  void take_framing(unsigned char byte);
  void take_chunk_size(unsigned char byte);

  MutableBytes buffer_;
  BodySink* sink_ = nullptr;
  Phase phase_ = Phase::kFailed;
  HttpFault fault_ = HttpFault::kNone;
  int status_ = 0;
  std::uint32_t retry_after_s_ = 0;
  std::int64_t date_ = 0;
  std::size_t line_size_ = 0;     ///< bytes of the line that lie in `buffer_`
  std::size_t line_scanned_ = 0;  ///< of these, looked at
  std::size_t head_bytes_ = 0;
  std::size_t head_lines_ = 0;
  std::size_t body_size_ = 0;      ///< bytes of the body that lie in `buffer_`
  std::uint32_t total_ = 0;        ///< Content-Length
  std::uint32_t left_ = 0;         ///< of the body or of a chunk
  std::size_t framing_bytes_ = 0;  ///< of this chunk's line, or of all trailers
  std::size_t chunk_digits_ = 0;
  bool old_version_ = false;  ///< HTTP/1.0
  bool has_length_ = false;
  bool chunked_ = false;
};

}  // namespace lobug
