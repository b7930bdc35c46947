#include "lobug/language/wording.h"

namespace lobug {
namespace {

Phrase after(Phrase first, unsigned places) {
  return static_cast<Phrase>(static_cast<unsigned>(first) + places);
}

}  // namespace

Number::Number(std::uint32_t number) {
  std::uint32_t digit = 1;
  while (number / digit >= 10) digit *= 10;
  for (; digit > 0; digit /= 10) text_.append(static_cast<char>('0' + number / digit % 10));
}

Text<40> day_text(const Phrases& phrases, CalendarDay day) {
  if (day.month < 1 || day.month > 12 || day.weekday > 6) return {};
  return filled<40>(phrases[Phrase::kDateFormat],
                    {phrases[after(Phrase::kSunday, day.weekday)], Number(day.day),
                     phrases[after(Phrase::kJanuary, day.month - 1U)]});
}

}  // namespace lobug
