#include "fake_wifi.h"

#include <WiFi.h>

#include <utility>

#include "lobug_sockets/portal_server.h"

Air air;
WiFiClass WiFi;

const char *String::c_str() const { return air.chosen.c_str(); }
unsigned int String::length() const {
  return static_cast<unsigned>(air.chosen.size());
}

IPAddress::IPAddress(std::uint8_t, std::uint8_t, std::uint8_t, std::uint8_t) {}
std::uint8_t IPAddress::operator[](int) const { return 1; }

void give_address() { air.tell(ARDUINO_EVENT_WIFI_STA_GOT_IP, 0); }

std::size_t WiFiClass::onEvent(WiFiEventFuncCb cbEvent, arduino_event_id_t) {
  air.tell = [cbEvent](int event, std::uint8_t reason) {
    arduino_event_info_t info{};
    info.wifi_sta_disconnected.reason = reason;
    cbEvent(static_cast<arduino_event_id_t>(event), info);
  };
  return 0;
}
bool WiFiClass::mode(wifi_mode_t mode) {
  air.calls.push_back("mode " + std::to_string(mode));
  return air.has_radio;
}
void WiFiClass::persistent(bool) {}
bool WiFiClass::setSleep(bool enabled) {
  air.calls.emplace_back(enabled ? "sleep on" : "sleep off");
  return air.has_radio;
}
bool WiFiClass::setHostname(const char *hostname) {
  air.calls.push_back("hostname " + std::string(hostname));
  return true;
}

wl_status_t WiFiClass::begin(const char *, const char *, std::int32_t,
                             const std::uint8_t *, bool) {
  air.calls.emplace_back("begin");
  return WL_IDLE_STATUS;
}
wl_status_t WiFiClass::status() { return WL_CONNECTED; }
bool WiFiClass::setAutoReconnect(bool) { return true; }
IPAddress WiFiClass::localIP() { return {192, 168, 1, 1}; }
std::int8_t WiFiClass::RSSI() { return -50; }

bool WiFiClass::softAP(const char *, const char *passphrase, int, int, int,
                       bool) {
  air.calls.push_back("softAP " + std::string(passphrase));
  return true;
}
bool WiFiClass::softAPConfig(IPAddress, IPAddress, IPAddress) { return true; }
bool WiFiClass::softAPdisconnect(bool) { return true; }
std::uint8_t WiFiClass::softAPgetStationNum() {
  return static_cast<std::uint8_t>(air.guests);
}

std::int16_t WiFiClass::scanNetworks(bool, bool) {
  air.calls.emplace_back("scan");
  air.found = static_cast<std::int16_t>(air.networks.size());
  return WIFI_SCAN_RUNNING;
}
std::int16_t WiFiClass::scanComplete() { return air.found; }
void WiFiClass::scanDelete() { air.found = -2; }
String WiFiClass::SSID(std::uint8_t networkItem) {
  air.chosen = air.networks[networkItem];
  return {};
}
std::int32_t WiFiClass::RSSI(std::uint8_t networkItem) { return -40 - networkItem; }
wifi_auth_mode_t WiFiClass::encryptionType(std::uint8_t networkItem) {
  return air.networks[networkItem] == "Cafe" ? WIFI_AUTH_OPEN : WIFI_AUTH_WPA2_PSK;
}

namespace lobug {

// Its sockets are for the device's own address; what it does has tests of its
// own.
bool PortalServer::begin(const std::uint8_t*, std::uint16_t, std::uint16_t) {
  web_ = 0;
  return true;
}
void PortalServer::end() { web_ = -1; }
void PortalServer::step(Millis) { air.listed = std::string(networks_.view()); }
bool PortalServer::take_saved() { return false; }

} // namespace lobug
