// The phrases of one language, and which languages there are.
#pragma once

#include <cstdint>
#include <string_view>

#include "lobug/base/span.h"
#include "lobug/language/phrase_table.h"

namespace lobug {

enum class Language : std::uint8_t { kEnglish, kGerman, kSpanish };
constexpr std::uint8_t kLanguageCount = 3;

/// By the language's place: "en", "de", "es", as the setting has them and HTML does.
Span<const std::string_view> language_codes();
std::string_view code_of(Language language);
/// What its speakers call it: "English", "Deutsch", "español".
std::string_view name_of(Language language);

class Phrases {
 public:
  constexpr explicit Phrases(const PhraseTexts& texts) : texts_(texts) {}
  std::string_view operator[](Phrase phrase) const {
    return texts_[static_cast<std::size_t>(phrase)];
  }

 private:
  PhraseTexts texts_;
};

const Phrases& phrases_of(Language language);
/// For the serial line, which speaks no other language.
inline const Phrases& english() { return phrases_of(Language::kEnglish); }

}  // namespace lobug
