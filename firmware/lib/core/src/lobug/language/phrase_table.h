// How a language's table is written and checked by the compiler.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "lobug/language/phrase.h"

namespace lobug {

/// A phrase and its words, UTF-8.
struct PhraseEntry {
  Phrase phrase;
  std::string_view text;
};

/// By the phrase's place.
using PhraseTexts = std::array<std::string_view, kPhraseCount>;

template <std::size_t N>
constexpr PhraseTexts texts_of(const PhraseEntry (&entries)[N]) {
  PhraseTexts texts{};
  for (const PhraseEntry& entry : entries) {
    texts[static_cast<std::size_t>(entry.phrase)] = entry.text;
  }
  return texts;
}

/// How many values a text takes: the number of its "{}".
constexpr std::size_t values_of(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    if (text[at] == '{' && text[at + 1] == '}') ++count;
  }
  return count;
}

/// Whether every phrase has words, each once.
template <std::size_t N>
constexpr bool is_complete(const PhraseEntry (&entries)[N]) {
  const PhraseTexts texts = texts_of(entries);
  for (std::size_t place = 0; place < texts.size(); ++place) {
    if (texts[place].empty() != (place == static_cast<std::size_t>(Phrase::kNone))) return false;
  }
  return N == kPhraseCount - 1;
}

/// Whether every phrase takes as many values as in the other language.
constexpr bool take_the_same(const PhraseTexts& texts, const PhraseTexts& others) {
  for (std::size_t place = 0; place < texts.size(); ++place) {
    if (values_of(texts[place]) != values_of(others[place])) return false;
  }
  return true;
}

}  // namespace lobug
