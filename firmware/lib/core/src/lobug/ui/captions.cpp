#include "lobug/ui/captions.h"

#include "lobug/base/east_asian.h"

namespace lobug {
namespace {

/// Length of the UTF-8 character that begins at `at`, bytes.
std::size_t character_at(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && is_utf8_continuation(text[end])) ++end;
  return end - at;
}

/// Where the piece of text that begins at `at` ends: the next place where a line may end.
std::size_t end_of_piece(std::string_view text, std::size_t at) {
  std::uint32_t before = 0;
  while (at < text.size() && text[at] != ' ' && text[at] != '\n') {
    std::size_t next = at;
    const std::uint32_t character = decode_utf8(text, next);
    if (before != 0 && may_break(before, character)) break;
    before = character;
    at = next;
  }
  return at;
}

/// How much of a word's beginning fits into `width`, at least one character.
std::size_t fitting(std::string_view word, FontSize size, int width) {
  std::size_t end = character_at(word, 0);
  while (end < word.size()) {
    const std::size_t next = end + character_at(word, end);
    if (Canvas::text_width(word.substr(0, next), size) > width) break;
    end = next;
  }
  return end;
}

}  // namespace

std::size_t wrap(std::string_view text, FontSize size, int width, Span<Line> lines) {
  std::size_t count = 0;
  std::size_t begin = 0;  // of the line
  std::size_t end = 0;    // of what fits so far
  const auto finish = [&](std::size_t next) {
    lines[count++] = {static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>(end - begin)};
    begin = end = next;
  };
  while (begin < text.size() && count < lines.size()) {
    if (text[end] == '\n') {
      finish(end + 1);
      continue;
    }
    std::size_t word = end;
    while (word < text.size() && text[word] == ' ') ++word;
    const std::size_t after = end_of_piece(text, word);
    if (Canvas::text_width(text.substr(begin, after - begin), size) <= width) {
      end = after;
      if (end == text.size()) finish(end);
    } else if (end > begin) {
      finish(word);  // the spaces at the break belong to no line
    } else if (word == text.size()) {
      break;  // nothing but spaces
    } else {
      begin = word;
      end = word + fitting(text.substr(word, after - word), size, width);
      if (end < after || after == text.size()) finish(end);
    }
  }
  return count;
}

void Captions::show(std::string_view text, Millis now) {
  const std::string_view taken = utf8_prefix(text, decltype(text_)::capacity());
  if (text_ == taken) return;
  text_.assign(taken);
  shown_at_ = now;
  width_ = 0;
}

void Captions::draw(Canvas& canvas, const Rect& area, int rows, Colour colour, Millis now) {
  if (width_ != area.width) {
    width_ = area.width;
    count_ = wrap(text_, FontSize::kLarge, width_, {lines_.data(), lines_.size()});
  }
  const int height = Canvas::line_height(FontSize::kLarge);
  const int lines = static_cast<int>(count_);
  int scrolled = 0;
  if (lines > rows) {
    // The first rows are read, then it moves smoothly, a line in kLineMs, to the last.
    const Millis since = elapsed(shown_at_, now);
    const Millis still = kLineMs * static_cast<Millis>(rows - 1);
    const int most = (lines - rows) * height;
    if (since > still) {
      const Millis moving = since - still;
      const Millis whole = kLineMs * static_cast<Millis>(lines - rows);
      scrolled =
          moving >= whole ? most : static_cast<int>(moving) * height / static_cast<int>(kLineMs);
    }
  }
  canvas.clip(area);
  int y = area.y - scrolled + (lines < rows ? (rows - lines) * height / 2 : 0);
  for (std::size_t line = 0; line < count_; ++line, y += height) {
    if (y + height <= area.y || y >= area.y + area.height) continue;
    draw_centred(canvas, area.x + area.width / 2, y,
                 text_.view().substr(lines_[line].begin, lines_[line].length), FontSize::kLarge,
                 colour);
  }
  canvas.unclip();
}

void draw_centred(Canvas& canvas, int x, int y, std::string_view text, FontSize size,
                  Colour colour) {
  canvas.text(x - Canvas::text_width(text, size) / 2, y, text, size, colour);
}

int draw_paragraph(Canvas& canvas, int x, int y, int width, std::string_view text, FontSize size,
                   Colour colour) {
  std::array<Line, 8> lines;
  const std::size_t count = wrap(text, size, width, {lines.data(), lines.size()});
  for (std::size_t line = 0; line < count; ++line) {
    draw_centred(canvas, x, y, text.substr(lines[line].begin, lines[line].length), size, colour);
    y += Canvas::line_height(size);
  }
  return y;
}

}  // namespace lobug
