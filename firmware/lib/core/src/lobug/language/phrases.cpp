#include "lobug/language/phrases.h"

#include "lobug/language/english.h"
#include "lobug/language/german.h"
#include "lobug/language/spanish.h"

namespace lobug {
namespace {

static_assert(is_complete(en::kPhrases), "english.h lacks a phrase, or has one twice");
static_assert(is_complete(de::kPhrases), "german.h lacks a phrase, or has one twice");
static_assert(is_complete(es::kPhrases), "spanish.h lacks a phrase, or has one twice");

static_assert(take_the_same(texts_of(de::kPhrases), texts_of(en::kPhrases)),
              "a phrase of german.h has more or fewer {} than in english.h");
static_assert(take_the_same(texts_of(es::kPhrases), texts_of(en::kPhrases)),
              "a phrase of spanish.h has more or fewer {} than in english.h");

constexpr Phrases kLanguages[kLanguageCount] = {Phrases(texts_of(en::kPhrases)),
                                                Phrases(texts_of(de::kPhrases)),
                                                Phrases(texts_of(es::kPhrases))};
constexpr std::string_view kCodes[kLanguageCount] = {"en", "de", "es"};
constexpr std::string_view kNames[kLanguageCount] = {"English", "Deutsch", "español"};

}  // namespace

Span<const std::string_view> language_codes() { return kCodes; }

std::string_view code_of(Language language) { return kCodes[static_cast<std::size_t>(language)]; }

std::string_view name_of(Language language) { return kNames[static_cast<std::size_t>(language)]; }

const Phrases& phrases_of(Language language) {
  return kLanguages[static_cast<std::size_t>(language)];
}

}  // namespace lobug
