// The server's text frames: whatever comes, each message keeps what its header promises.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "lobug/audio/format.h"
#include "lobug/base/utf8.h"
#include "lobug/json/reader.h"
#include "lobug/protocol/glyph_reader.h"
#include "lobug/protocol/messages.h"

namespace {

using lobug::ServerMessage;
using Kind = lobug::ServerMessage::Kind;

void require(bool holds) {
  if (!holds) std::abort();
}

/// A good picture lies within its own sides; reading ends.
void check_glyphs(std::string_view payload) {
  using Next = lobug::GlyphReader::Next;
  lobug::GlyphReader reader(payload);
  lobug::PushedGlyph glyph;
  std::size_t good = 0;
  for (Next next = reader.next(glyph); next != Next::kEnd; next = reader.next(glyph)) {
    if (next == Next::kBad) continue;
    ++good;
    require(glyph.code >= 0x80 && glyph.width >= 1 && glyph.width <= 16);
    require(glyph.height >= 1 && glyph.height <= 16);
    for (std::size_t row = glyph.height; row < glyph.rows.size(); ++row) {
      require(glyph.rows[row] == 0);
    }
  }
  require(good <= lobug::GlyphReader::kMost);
}

void check(const ServerMessage& message, std::string_view frame) {
  const bool object = lobug::json::parse(frame).type() == lobug::json::Type::kObject;
  require((message.kind == Kind::kBroken) == !object);
  require(lobug::is_utf8(message.session_id) && lobug::is_utf8(message.text) &&
          lobug::is_utf8(message.status));
  require(static_cast<std::uint8_t>(message.emotion) < lobug::kEmotionCount);
  const Kind kind = message.kind;
  require(kind == Kind::kHello || (message.session_id.empty() && !message.pcm &&
                                   message.sample_rate == 0 && !message.wake_word));
  require(!message.pcm || message.sample_rate == lobug::kSampleRate);
  require(kind == Kind::kStt || kind == Kind::kSentence || kind == Kind::kAlert ||
          message.text.empty());
  require(kind == Kind::kAlert || message.status.empty());
  require((kind == Kind::kMcp || kind == Kind::kGlyphs) == !message.payload.empty());
  if (kind == Kind::kGlyphs) check_glyphs(message.payload);
  if (kind != Kind::kMcp) return;
  require(message.payload.data() >= frame.data());
  require(message.payload.data() + message.payload.size() <= frame.data() + frame.size());
  require(lobug::json::parse(message.payload).raw() == message.payload);
  // What goes out again is one whole message.
  std::string buffer(message.payload.size() + 64, '#');
  const std::size_t length =
      lobug::write_mcp(lobug::Span<char>(buffer.data(), buffer.size()), "4f0c", message.payload);
  require(length > 0);
  const auto out = lobug::json::parse(std::string_view(buffer.data(), length));
  // Wrapped once more it may be too deep, nothing else.
  require(!out.exists() || out.member("payload").raw() == message.payload);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<char> bytes(data, data + size);
  const std::string_view frame(bytes.data(), bytes.size());
  check(lobug::read_server_message(frame), frame);
  // The same as the name of a session in what we send: always a whole message.
  std::string buffer(size * 12 + 128, '#');
  const std::size_t length =
      lobug::write_abort(lobug::Span<char>(buffer.data(), buffer.size()), frame, frame);
  require(lobug::json::parse(std::string_view(buffer.data(), length)).member("type").is("abort"));
  return 0;
}
