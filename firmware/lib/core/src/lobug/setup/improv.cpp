#include "lobug/setup/improv.h"

#include "lobug/language/phrases.h"
#include "lobug/sentences.h"

namespace lobug {
namespace {

// The protocol's numbers.
constexpr std::uint8_t kAuthorized = 2;
constexpr std::uint8_t kProvisioning = 3;
constexpr std::uint8_t kProvisioned = 4;

constexpr std::uint8_t kNoError = 0;
constexpr std::uint8_t kInvalidPacket = 1;
constexpr std::uint8_t kUnknownCommand = 2;
constexpr std::uint8_t kUnableToConnect = 3;
constexpr std::uint8_t kUnknownError = 0xFF;

constexpr std::uint8_t kSendWifi = 1;
constexpr std::uint8_t kAskState = 2;
constexpr std::uint8_t kAskDevice = 3;
constexpr std::uint8_t kAskNetworks = 4;

/// Takes a string with its length before it off the data; false: it does not fit.
bool take_string(Bytes& data, std::string_view& text) {
  if (data.empty()) return false;
  const std::size_t length = data[0];
  data = data.drop(1);
  if (length > data.size()) return false;
  text = std::string_view(reinterpret_cast<const char*>(data.data()), length);
  data = data.drop(length);
  return true;
}

Text<8> dbm_text(std::int8_t dbm) {
  Text<8> text;
  const int rest = dbm < 0 ? -dbm : dbm;
  if (dbm < 0) text.append('-');
  if (rest >= 100) text.append('1');
  if (rest >= 10) text.append(static_cast<char>('0' + rest / 10 % 10));
  text.append(static_cast<char>('0' + rest % 10));
  return text;
}

}  // namespace

void Improv::begin(std::string_view board, std::string_view name) {
  board_.assign(board);
  name_.assign(name);
}

void Improv::take(std::uint8_t type, Bytes data, const View& view, Millis now) {
  if (type != static_cast<std::uint8_t>(ImprovType::kCommand)) return;  // our own, echoed
  if (data.size() < 2 || data[1] != data.size() - 2) {
    send_error(kInvalidPacket);
    return;
  }
  const std::uint8_t command = data[0];
  data = data.drop(2);
  if (command != kSendWifi && !data.empty()) {
    send_error(command <= kAskNetworks ? kInvalidPacket : kUnknownCommand);
    return;
  }
  switch (command) {
    case kSendWifi:
      join(data, now);
      break;
    case kAskState:
      send_error(kNoError);
      send_state();
      if (!join_until_.is_set() && wifi_.link() == Wifi::Link::kUp) send_url(kAskState);
      break;
    case kAskDevice: {
      send_error(kNoError);
      ImprovWriter result(ImprovType::kResult);
      result.byte(kAskDevice).byte(0);
      out_.write(result.string(sentences::kFirmwareName)
                     .string(view.version)
                     .string(board_)
                     .string(name_)
                     .finish());
      break;
    }
    case kAskNetworks:
      send_error(kNoError);
      if (wifi_.look(now)) {
        look_until_.set(now, kLookMs);
      } else {
        send_networks();
      }
      break;
    default:
      send_error(kUnknownCommand);
      break;
  }
}

void Improv::refuse() { send_error(kInvalidPacket); }

void Improv::join(Bytes data, Millis now) {
  std::string_view name;
  std::string_view password;
  if (!take_string(data, name) || !take_string(data, password) || !data.empty()) {
    send_error(kInvalidPacket);
    return;
  }
  send_error(kNoError);
  const Console::Stored stored = console_.store_wifi(name, password);
  if (stored != Console::Stored::kSaved) {
    join_until_.clear();
    fail(console_.answer(), stored == Console::Stored::kInvalid ? kUnableToConnect : kUnknownError);
    return;
  }
  wifi_.reload_if_changed();
  join_until_.set(now, kJoinMs);
  send_state();
}

void Improv::step(Millis now) {
  if (look_until_.is_set() && (!wifi_.is_looking() || look_until_.due(now))) {
    look_until_.clear();
    send_networks();
  }
  if (join_until_.is_set()) step_join(now);
}

void Improv::step_join(Millis now) {
  const Wifi::Link link = wifi_.link();
  if (link == Wifi::Link::kUp) {
    join_until_.clear();
    send_state();
    send_url(kSendWifi);
  } else if (link == Wifi::Link::kRefused) {
    join_until_.clear();
    fail(english()[Phrase::kWrongPassword], kUnableToConnect);
  } else if (join_until_.due(now)) {
    join_until_.clear();
    fail(english()[Phrase::kNoWifi], kUnableToConnect);
  }
}

void Improv::fail(std::string_view why, std::uint8_t error) {
  out_.write(why);
  if (why.empty() || why.back() != '\n') out_.write("\n");
  send_error(error);
  send_state();
}

void Improv::send_state() {
  std::uint8_t state = kAuthorized;
  if (join_until_.is_set()) {
    state = kProvisioning;
  } else if (wifi_.link() == Wifi::Link::kUp) {
    state = kProvisioned;
  }
  out_.write(ImprovWriter(ImprovType::kState).byte(state).finish());
}

void Improv::send_error(std::uint8_t error) {
  out_.write(ImprovWriter(ImprovType::kError).byte(error).finish());
}

void Improv::send_url(std::uint8_t command) {
  // The device has no page of its own; where to go on is its server, as far as that is set.
  ImprovWriter result(ImprovType::kResult);
  out_.write(result.byte(command).byte(0).string(console_.server()).finish());
}

void Improv::send_networks() {
  for (const WifiNetwork& network : wifi_.networks()) {
    ImprovWriter result(ImprovType::kResult);
    result.byte(kAskNetworks).byte(0).string(network.name).string(dbm_text(network.dbm));
    out_.write(result.string(network.secured ? "YES" : "NO").finish());
  }
  out_.write(ImprovWriter(ImprovType::kResult).byte(kAskNetworks).byte(0).finish());
}

void SerialLine::feed(char byte, const View& view, Millis now) {
  switch (reader_.feed(byte, now)) {
    case ImprovReader::Found::kNothing:
      break;
    case ImprovReader::Found::kText:
      for (const char typed : reader_.text()) {
        console_.feed(typed, view);
        const std::string_view answer = console_.answer();
        if (answer.empty()) continue;
        out_.write(answer);
        wifi_.reload_if_changed();
      }
      break;
    case ImprovReader::Found::kPacket:
      improv_.take(reader_.type(), reader_.data(), view, now);
      break;
    case ImprovReader::Found::kBroken:
      improv_.refuse();
      break;
  }
}

void SerialLine::step(const View& view, Millis now) {
  console_.step(view);
  if (const std::string_view later = console_.answer(); !later.empty()) out_.write(later);
  improv_.step(now);
}

}  // namespace lobug
