#include "lobug/net/http_response.h"

#include <cstring>

namespace lobug {
namespace {

constexpr int kOk = 200;
constexpr int kNoContent = 204;
constexpr int kNotModified = 304;

constexpr std::size_t kMostChunkLine = 256;
constexpr std::size_t kMostChunkDigits = 8;
constexpr std::size_t kMostTrailerBytes = 4096;
constexpr std::uint32_t kMostRetryAfterSeconds = 24 * 60 * 60;

/// -1 when it is none.
int hex_value(unsigned char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_control(unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7F; }

}  // namespace

void HttpResponse::start(MutableBytes buffer, BodySink* sink) {
  *this = HttpResponse();
  buffer_ = buffer;
  sink_ = sink;
  phase_ = Phase::kStatusLine;
}

HttpResponse::Progress HttpResponse::progress() const {
  if (phase_ == Phase::kDone) return Progress::kDone;
  return phase_ == Phase::kFailed ? Progress::kFailed : Progress::kMore;
}

std::string_view HttpResponse::body() const {
  return {reinterpret_cast<const char*>(buffer_.data()), body_size_};
}

void HttpResponse::fail(HttpFault fault) {
  fault_ = fault;
  phase_ = Phase::kFailed;
}

HttpResponse::Progress HttpResponse::feed(Bytes bytes) {
  while (!bytes.empty() && progress() == Progress::kMore) {
    std::size_t taken = 1;
    switch (phase_) {
      case Phase::kStatusLine:
      case Phase::kHeaders:
        taken = take_head(bytes);
        break;
      case Phase::kBody:
      case Phase::kUntilClose:
      case Phase::kChunk:
        taken = take_body(bytes);
        break;
      default:
        take_framing(bytes[0]);
        break;
    }
    bytes = bytes.drop(taken);
  }
  return progress();
}

HttpResponse::Progress HttpResponse::end() {
  if (phase_ == Phase::kUntilClose) {
    phase_ = Phase::kDone;
  } else if (progress() == Progress::kMore) {
    fail(HttpFault::kConnection);
  }
  return progress();
}

std::size_t HttpResponse::take_head(Bytes bytes) {
  // Byte by byte, so that no more than the line is ever in the buffer: the body begins there.
  for (std::size_t taken = 0; taken < bytes.size();) {
    if (head_bytes_ == kMostHeadBytes || line_size_ == buffer_.size()) {
      fail(HttpFault::kTooLarge);
      return taken;
    }
    buffer_[line_size_++] = bytes[taken++];
    ++head_bytes_;
    std::string_view line;
    const LineStep step = find_line(buffer_.first(line_size_), line_scanned_, line);
    if (step == LineStep::kMore) continue;
    if (step == LineStep::kLine) {
      take_line(line);
    } else {
      fail(HttpFault::kProtocol);
    }
    line_size_ = 0;
    line_scanned_ = 0;
    return taken;
  }
  return bytes.size();
}

void HttpResponse::take_line(std::string_view line) {
  if (phase_ == Phase::kStatusLine) {
    StatusLine parsed;
    if (!parse_status_line(line, parsed) || parsed.status == kSwitchingProtocols) {
      return fail(HttpFault::kProtocol);
    }
    status_ = parsed.status;
    old_version_ = parsed.minor_version == 0;
    phase_ = Phase::kHeaders;
  } else if (line.empty()) {
    begin_body();
  } else if (++head_lines_ > kMostHeadLines) {
    fail(HttpFault::kTooLarge);
  } else {
    take_header(line);
  }
}

void HttpResponse::take_header(std::string_view line) {
  HeaderField header;
  if (!parse_header_field(line, header)) return fail(HttpFault::kProtocol);
  if (same_ignoring_case(header.name, "Content-Length")) {
    std::uint32_t length = 0;
    if (!parse_decimal(header.value, length)) {
      const bool digits = header.value.find_first_not_of("0123456789") == std::string_view::npos;
      return fail(digits && !header.value.empty() ? HttpFault::kTooLarge : HttpFault::kProtocol);
    }
    if (has_length_ && length != total_) return fail(HttpFault::kProtocol);
    has_length_ = true;
    total_ = length;
  } else if (same_ignoring_case(header.name, "Transfer-Encoding")) {
    if (chunked_ || !same_ignoring_case(header.value, "chunked")) return fail(HttpFault::kProtocol);
    chunked_ = true;
  } else if (same_ignoring_case(header.name, "Content-Encoding")) {
    // None was requested, and none can be decoded here.
    if (!same_ignoring_case(header.value, "identity")) fail(HttpFault::kProtocol);
  } else if (same_ignoring_case(header.name, "Date")) {
    const std::int64_t date = parse_http_date(header.value);
    date_ = date > 0 ? date : 0;
  } else if (same_ignoring_case(header.name, "Retry-After")) {
    std::uint32_t seconds = 0;
    if (!parse_decimal(header.value, seconds)) return;
    retry_after_s_ = seconds < kMostRetryAfterSeconds ? seconds : kMostRetryAfterSeconds;
  }
}

void HttpResponse::begin_body() {
  if (status_ < kOk) {  // an interim answer: the real one follows, within the same limits
    status_ = 0;
    retry_after_s_ = 0;
    // It has no body, whatever it says about one.
    has_length_ = chunked_ = false;
    total_ = 0;
    phase_ = Phase::kStatusLine;
    return;
  }
  if (status_ != kOk) sink_ = nullptr;
  if (status_ == kNoContent || status_ == kNotModified) {
    phase_ = Phase::kDone;
  } else if (chunked_ && (has_length_ || old_version_)) {
    fail(HttpFault::kProtocol);  // two lengths at once: one of them is wrong
  } else if (chunked_) {
    phase_ = Phase::kChunkSize;
  } else if (!has_length_) {
    phase_ = Phase::kUntilClose;
  } else if (sink_ == nullptr && total_ > buffer_.size()) {
    fail(HttpFault::kTooLarge);
  } else {
    left_ = total_;
    phase_ = left_ == 0 ? Phase::kDone : Phase::kBody;
  }
}

std::size_t HttpResponse::take_body(Bytes bytes) {
  const Bytes piece = phase_ == Phase::kUntilClose ? bytes : bytes.first(left_);
  keep(piece);
  if (phase_ == Phase::kBody || phase_ == Phase::kChunk) {
    left_ -= static_cast<std::uint32_t>(piece.size());
    if (left_ == 0) phase_ = phase_ == Phase::kBody ? Phase::kDone : Phase::kChunkCr;
  }
  return piece.size();
}

void HttpResponse::keep(Bytes piece) {
  if (sink_ != nullptr) {
    if (!sink_->take(piece, total_)) fail(HttpFault::kStopped);
    return;
  }
  // As much as fits, so that the result does not depend on how the body is split.
  const Bytes fits = piece.first(buffer_.size() - body_size_);
  if (!fits.empty()) std::memcpy(buffer_.data() + body_size_, fits.data(), fits.size());
  body_size_ += fits.size();
  if (fits.size() < piece.size()) fail(HttpFault::kTooLarge);
}

void HttpResponse::take_framing(unsigned char byte) {
  const auto expect = [&](unsigned char wanted, Phase next) {
    if (byte != wanted) return fail(HttpFault::kProtocol);
    phase_ = next;
  };
  switch (phase_) {
    case Phase::kChunkSize:
      return take_chunk_size(byte);
    case Phase::kChunkExtension:
      if (byte == '\r') {
        phase_ = Phase::kChunkLineEnd;
      } else if (is_control(byte)) {
        fail(HttpFault::kProtocol);
      } else if (++framing_bytes_ > kMostChunkLine) {
        fail(HttpFault::kTooLarge);
      }
      return;
    case Phase::kChunkLineEnd:
      framing_bytes_ = 0;
      chunk_digits_ = 0;
      return expect('\n', left_ == 0 ? Phase::kTrailer : Phase::kChunk);
    case Phase::kChunkCr:
      return expect('\r', Phase::kChunkLf);
    case Phase::kChunkLf:
      return expect('\n', Phase::kChunkSize);
    case Phase::kTrailer:
      if (byte == '\r') {
        phase_ = Phase::kLastLf;
        return;
      }
      phase_ = Phase::kTrailerLine;
      [[fallthrough]];
    case Phase::kTrailerLine:
      if (++framing_bytes_ > kMostTrailerBytes) {
        fail(HttpFault::kTooLarge);
      } else if (byte == '\r') {
        phase_ = Phase::kTrailerLineEnd;
      } else if (is_control(byte)) {
        fail(HttpFault::kProtocol);
      }
      return;
    case Phase::kTrailerLineEnd:
      return expect('\n', Phase::kTrailer);
    case Phase::kLastLf:
      return expect('\n', Phase::kDone);
    default:
      return;  // the other phases do not come here
  }
}

void HttpResponse::take_chunk_size(unsigned char byte) {
  const int value = hex_value(byte);
  if (value >= 0) {
    if (chunk_digits_ == 0) left_ = 0;
    if (++chunk_digits_ > kMostChunkDigits) return fail(HttpFault::kTooLarge);
    left_ = left_ << 4U | static_cast<std::uint32_t>(value);
    return;
  }
  const bool extends = byte == ';' || byte == ' ' || byte == '\t';
  if (chunk_digits_ == 0 || (byte != '\r' && !extends)) return fail(HttpFault::kProtocol);
  phase_ = extends ? Phase::kChunkExtension : Phase::kChunkLineEnd;
}

}  // namespace lobug
