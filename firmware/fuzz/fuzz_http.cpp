// HTTP answers: however the bytes are cut the answer is the same, ends, and fits the buffer.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "lobug/net/http_response.h"

namespace {

using lobug::HttpFault;
using lobug::HttpResponse;

void require(bool holds) {
  if (!holds) std::abort();
}

struct Sink final : lobug::BodySink {
  std::string taken;
  std::size_t most = 0;
  bool take(lobug::Bytes piece, std::uint32_t total) override {
    require(!piece.empty());
    taken.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    require(total == 0 || taken.size() <= total);
    return taken.size() <= most;
  }
};

struct Result {
  HttpResponse::Progress progress;
  HttpFault fault;
  int status;
  std::string body;
  std::uint32_t retry_after;
  std::string sunk;
};

struct Way {
  std::size_t room;
  bool sinks;
  std::size_t most_sunk;
  std::uint32_t cuts;  ///< 0: in one piece
};

Result read(std::string_view bytes, const Way& way) {
  // Exactly as large as it is said to be, so that a byte beyond is noticed.
  std::vector<unsigned char> buffer(way.room);
  Sink sink;
  sink.most = way.most_sunk;
  HttpResponse response;
  response.start({buffer.data(), buffer.size()}, way.sinks ? &sink : nullptr);
  std::uint32_t cuts = way.cuts;
  while (!bytes.empty()) {
    cuts = cuts * 1664525U + 1013904223U;
    const std::size_t size = way.cuts == 0 ? bytes.size() : 1 + (cuts >> 16U) % 23;
    const std::vector<unsigned char> piece(bytes.begin(),
                                           bytes.begin() + std::min(size, bytes.size()));
    response.feed({piece.data(), piece.size()});
    bytes.remove_prefix(piece.size());
  }
  response.end();
  return {response.progress(),          response.fault(),         response.status(),
          std::string(response.body()), response.retry_after_s(), sink.taken};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  Way way;
  way.room = data[0] * 8U;
  way.sinks = (data[1] & 1U) != 0;
  way.most_sunk = (data[1] & 2U) != 0 ? data[2] : static_cast<std::size_t>(-1);
  way.cuts = 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 4, size - 4);
  const Result whole = read(bytes, way);
  way.cuts = 1U + data[3];
  const Result cut = read(bytes, way);

  require(whole.progress != HttpResponse::Progress::kMore);
  require((whole.progress == HttpResponse::Progress::kFailed) == (whole.fault != HttpFault::kNone));
  require(whole.progress == cut.progress && whole.fault == cut.fault);
  require(whole.status == cut.status && whole.retry_after == cut.retry_after);
  require(whole.body == cut.body && whole.body.size() <= way.room);
  require(whole.retry_after <= 86400);
  if (whole.progress == HttpResponse::Progress::kDone) {
    require(whole.status >= 200 && whole.status <= 599);
  }
  require(whole.sunk.empty() || (way.sinks && whole.body.empty()));
  // A sink that stops has got whatever its last piece held; up to there it is the same.
  const std::size_t common = std::min(whole.sunk.size(), cut.sunk.size());
  require(whole.sunk.compare(0, common, cut.sunk, 0, common) == 0);
  if (whole.fault != HttpFault::kStopped) require(whole.sunk == cut.sunk);
  return 0;
}
