#include "lobug/setup/console.h"

#include <array>
#include <cstdio>

#include "lobug/base/utf8.h"
#include "lobug/language/wording.h"
#include "lobug/selftest/result_line.h"
#include "lobug/sentences.h"
#include "lobug/setup/settings.h"

namespace lobug {
namespace {

constexpr std::size_t kShownKeyDigits = 16;  // as `lobug firmware key` shows them

bool is_space(char character) { return character == ' '; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// Removes the first word from `text` and returns it.
std::string_view take_word(std::string_view& text) {
  text = trim(text);
  const std::size_t end = text.find(' ');
  const std::string_view word = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : trim(text.substr(end));
  return word;
}

/// Takes a word off `text` and writes what it means: a word ends with a space, one in double quotes
/// may hold some, and \" and \\ in it stand for a quote and a backslash. Empty, or what is wrong.
std::string_view take_quoted(std::string_view& text, char* write, const char*& end) {
  const bool quoted = text.front() == '"';
  if (quoted) text.remove_prefix(1);
  bool closed = false;
  while (!text.empty() && !closed && (quoted || !is_space(text.front()))) {
    char character = text.front();
    text.remove_prefix(1);
    if (quoted && character == '"') {
      closed = true;
      continue;
    }
    if (quoted && character == '\\' && !text.empty() &&
        (text.front() == '"' || text.front() == '\\')) {
      character = text.front();
      text.remove_prefix(1);
    }
    *write++ = character;
  }
  end = write;
  if (!quoted) return "";
  if (!closed) return sentences::kQuoteOpen;
  return text.empty() || is_space(text.front()) ? "" : sentences::kQuoteNoSpace;
}

Text<16> number_text(std::int32_t number) {
  Text<16> text;
  std::array<char, 11> digits{};
  std::size_t count = 0;
  std::uint32_t rest =
      number < 0 ? 0U - static_cast<std::uint32_t>(number) : static_cast<std::uint32_t>(number);
  do {
    digits[count++] = static_cast<char>('0' + rest % 10);
    rest /= 10;
  } while (rest != 0);
  if (number < 0) text.append('-');
  while (count > 0) text.append(digits[--count]);
  return text;
}

}  // namespace

Console::Console(Store& store, Queue<Input, 16>& inputs) : store_(store), inputs_(inputs) {}

void Console::feed(char character, const View& view) {
  answer_.clear();
  const auto code = static_cast<unsigned char>(character);
  if (character == '\n' || character == '\r') {
    run(view);
    size_ = 0;
    too_long_ = false;
  } else if (character == '\b' || code == 0x7F) {
    erase_last();
  } else if (code < 0x20) {
    return;
  } else if (size_ == line_.size()) {
    too_long_ = true;
  } else {
    line_[size_++] = character;
  }
}

void Console::erase_last() {
  while (size_ > 0) {
    --size_;
    // Continuation bytes of a UTF-8 character are erased with it.
    if (!is_utf8_continuation(line_[size_])) return;
  }
}

void Console::run(const View& view) {
  if (too_long_) {
    print(sentences::kLineTooLong);
    return;
  }
  std::string_view rest(line_.data(), size_);
  const std::string_view command = take_word(rest);
  if (command.empty()) return;
  if (command == "ca" || command == "server") {
    if (rest.empty()) {
      print(command == "ca" ? sentences::kCaUsage : sentences::kServerUsage);
    } else {
      set(command, rest);
    }
    return;
  }
  if (command == "wifi") {
    set_wifi(rest);
  } else if (command == "set") {
    set_any(rest);
  } else if (command == "reset") {
    if (rest == "yes") {
      push(Input::Kind::kReset, sentences::kResetting);
    } else {
      print(sentences::kResetConfirm);
    }
  } else if (!rest.empty()) {
    print(sentences::kUnknownArguments);
  } else if (command == "help" || command == "?") {
    help();
  } else if (command == "show") {
    show();
  } else if (command == "status") {
    status(view);
  } else if (command == "selftest") {
    awaits_test_ = push(Input::Kind::kSelfTest, english()[Phrase::kTestRunning]);
    awaited_run_ = static_cast<std::uint8_t>(view.self_test.run + 1);
  } else if (command == "calibrate") {
    calibrate(view);
  } else if (command == "pair") {
    push(Input::Kind::kForgetPairing, sentences::kPairingForgotten);
  } else if (command == "restart") {
    push(Input::Kind::kRestart, sentences::kRestarting);
  } else {
    print(sentences::kUnknownCommand);
  }
}

bool Console::split(std::string_view text, Words& words, std::size_t& count) {
  count = 0;
  while (true) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    if (text.empty()) return true;
    if (count == words.size()) {
      print(sentences::kTooManyWords);
      return false;
    }
    // The word overwrites the typed text, which is never shorter.
    char* const begin = line_.data() + (text.data() - line_.data());
    const char* end = begin;
    const std::string_view error = take_quoted(text, begin, end);
    if (!error.empty()) {
      print(error);
      return false;
    }
    words[count++] = {begin, static_cast<std::size_t>(end - begin)};
  }
}

void Console::set_any(std::string_view text) {
  Words words;
  std::size_t count = 0;
  if (!split(text, words, count)) return;
  if (count == 2) {
    set(words[0], words[1]);
  } else {
    print(sentences::kSetUsage);
  }
}

void Console::set_wifi(std::string_view text) {
  Words words;
  std::size_t count = 0;
  if (!split(text, words, count)) return;
  if (count < 1 || count > 2) {
    print(sentences::kWifiUsage);
    return;
  }
  (void)store_wifi(words[0], count == 2 ? words[1] : std::string_view());
}

Console::Stored Console::store_wifi(std::string_view name, std::string_view password) {
  answer_.clear();
  load_settings(store_, settings_);
  SettingResult result = set_setting(settings_, "wifi_name", name);
  if (result.ok) result = set_setting(settings_, "wifi_password", password);
  if (!result.ok) {
    print(english()[result.error]);
    return Stored::kInvalid;
  }
  return save("wifi_name", "wifi_password") ? Stored::kSaved : Stored::kFailed;
}

std::string_view Console::server() {
  load_settings(store_, settings_);
  return settings_.server;
}

void Console::set(std::string_view name, std::string_view value) {
  load_settings(store_, settings_);
  const SettingResult result = set_setting(settings_, name, value);
  if (!result.ok) {
    print(english()[result.error]);
    return;
  }
  (void)save(name, {});
}

bool Console::save(std::string_view first, std::string_view second) {
  bool saved = save_setting(store_, settings_, first);
  if (saved && !second.empty()) saved = save_setting(store_, settings_, second);
  if (!saved) {
    print(sentences::kNotSaved);
    return false;
  }
  push(Input::Kind::kSettings, sentences::kSaved);
  return true;
}

bool Console::push(Input::Kind kind, std::string_view done, std::int32_t value) {
  Input input;
  input.kind = kind;
  input.value = value;
  if (inputs_.push(input)) {
    print(done);
    return true;
  }
  print(kind == Input::Kind::kSettings ? sentences::kSavedForLater : sentences::kBusy);
  return false;
}

void Console::step(const View& view) {
  answer_.clear();
  using Phase = SelfTestState::Phase;
  const SelfTestState& test = view.self_test;
  if (!awaits_test_ || test.run != awaited_run_ || test.phase == Phase::kRunning) return;
  awaits_test_ = false;
  if (test.phase != Phase::kDone) {
    print(test.phase == Phase::kRefused ? english()[Phrase::kTestRefused]
                                        : english()[Phrase::kTestStopped]);
    return;
  }
  const std::size_t length =
      write_result_line({result_.data(), result_.size()}, test.measured, view.version);
  print({result_.data(), length});
}

void Console::show() {
  load_settings(store_, settings_);
  for (const SettingInfo& info : describe_settings()) {
    if (info.name == "wifi_password") {
      print(info.name, settings_.wifi_password.empty() ? sentences::kNone : sentences::kSet);
    } else if (info.name == "ca") {
      print(info.name, settings_.ca.empty() ? sentences::kNone : sentences::kSet);
    } else if (info.name == "wifi_name" && settings_.wifi_name.empty()) {
      print(info.name, sentences::kNone);
    } else {
      print(info.name, shown_setting(settings_, info.name));
    }
  }
  print(sentences::kPairedWith,
        settings_.token.empty() ? sentences::kNobody : settings_.token_server.view());
  print(sentences::kUpdateKey, settings_.update_key.empty()
                                   ? sentences::kNone
                                   : settings_.update_key.view().substr(0, kShownKeyDigits));
}

void Console::status(const View& view) {
  print(sentences::kState, name_of(view.state));
  if (view.trouble != Trouble::kNone) {
    print(sentences::kTrouble, english()[sentence_of(view.trouble)]);
  }
  if (view.wifi) {
    Text<64> wifi(view.address);
    wifi.append(", ");
    wifi.append(number_text(view.wifi_dbm));
    wifi.append(" dBm");
    print(sentences::kWifi, wifi);
  } else {
    print(sentences::kWifi, sentences::kWifiDown);
  }
  if (!view.setup_network.empty()) print(sentences::kSetupNetwork, view.setup_network);
  if (!view.setup_address.empty()) print(sentences::kSetupPage, view.setup_address);
  print(sentences::kServer, view.server ? view.server_name.view() : sentences::kNotConnected);
  if (!view.code.empty()) print(sentences::kPairingCode, view.code);
  if (view.retry_s != 0) {
    Text<24> retry("in ");
    retry.append(number_text(view.retry_s));
    retry.append(" s");
    print(sentences::kNextTry, retry);
  }
  if (view.battery_known) {
    Text<32> battery(number_text(view.battery));
    battery.append(view.charging ? sentences::kCharging : sentences::kPercent);
    print(sentences::kBattery, battery);
  }
  Text<32> power(name_of(view.power));
  power.append(view.powered ? sentences::kPowered : sentences::kOnBattery);
  if (view.battery_known) print(sentences::kPower, power);
  if (view.minute_of_day < 0) {
    print(sentences::kTime, sentences::kTimeUnknown);
  } else {
    Text<48> time(day_text(english(), view.date));
    time.append(", ");
    // Two digits each: hundreds are cut off.
    time.append(number_text(100 + view.minute_of_day / 60).view().substr(1));
    time.append(':');
    time.append(number_text(100 + view.minute_of_day % 60).view().substr(1));
    print(sentences::kTime, time);
  }
  print_body(view.body);
  print(sentences::kStorage,
        view.store_encrypted ? sentences::kStorageEncrypted : sentences::kStoragePlain);
  print(sentences::kVersion, view.version);
}

void Console::calibrate(const View& view) {
  if (view.body.kind == BodyKind::kNone) {
    print(sentences::kNoBody);
  } else {
    push(Input::Kind::kCalibrate, sentences::kCalibrating, 1);
  }
}

void Console::print_body(const BodyView& body) {
  if (body.kind == BodyKind::kNone) return;
  const std::string_view name = name_of(body.kind);
  const char* servos = sentences::kBodyLimp;
  if (body.powered) servos = sentences::kBodyStrong;
  if (body.silent) servos = sentences::kBodyMute;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), sentences::kBodyFormat, static_cast<int>(name.size()),
                name.data(), body.at.yaw / 10, body.at.pitch / 10, servos);
  print(sentences::kBody, text.data());
}

void Console::help() {
  answer_.append(sentences::kHelp);
  for (const SettingInfo& info : describe_settings()) {
    if (info.name == "ca" || info.name == "server") continue;
    answer_.append("  ");
    print(info.name, info.values);
  }
  answer_.append(sentences::kHelpEnd);
}

void Console::print(std::string_view line) {
  answer_.append(line);
  answer_.append('\n');
}

void Console::print(std::string_view name, std::string_view value) {
  answer_.append(name);
  answer_.append(": ");
  print(value);
}

}  // namespace lobug
