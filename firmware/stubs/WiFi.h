// Stub: what our code uses of Arduino's WiFi, version 2.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "Arduino.h"

class IPAddress {
 public:
  IPAddress(std::uint8_t first, std::uint8_t second, std::uint8_t third, std::uint8_t fourth);
  std::uint8_t operator[](int index) const;
};

enum wifi_mode_t { WIFI_MODE_NULL = 0, WIFI_MODE_STA, WIFI_MODE_AP, WIFI_MODE_APSTA };
#define WIFI_STA WIFI_MODE_STA
#define WIFI_AP_STA WIFI_MODE_APSTA
#define WIFI_SCAN_RUNNING (-1)

enum wifi_err_reason_t {
  WIFI_REASON_UNSPECIFIED = 1,
  WIFI_REASON_ASSOC_LEAVE = 8,
  WIFI_REASON_MIC_FAILURE = 14,
  WIFI_REASON_4WAY_HANDSHAKE_TIMEOUT = 15,
  WIFI_REASON_AUTH_FAIL = 202,
  WIFI_REASON_HANDSHAKE_TIMEOUT = 204,
};

enum arduino_event_id_t {
  ARDUINO_EVENT_WIFI_STA_DISCONNECTED,
  ARDUINO_EVENT_WIFI_STA_GOT_IP,
  ARDUINO_EVENT_WIFI_STA_LOST_IP,
  ARDUINO_EVENT_MAX,
};
struct wifi_event_sta_disconnected_t {
  std::uint8_t reason;
};
union arduino_event_info_t {
  wifi_event_sta_disconnected_t wifi_sta_disconnected;
};
enum wifi_auth_mode_t { WIFI_AUTH_OPEN = 0, WIFI_AUTH_WPA2_PSK = 3 };
enum wl_status_t { WL_IDLE_STATUS = 0, WL_CONNECTED = 3 };

using WiFiEventFuncCb = std::function<void(arduino_event_id_t event, arduino_event_info_t info)>;

class WiFiClass {
 public:
  std::size_t onEvent(WiFiEventFuncCb cbEvent, arduino_event_id_t event = ARDUINO_EVENT_MAX);
  // Some of these are static, but called as methods by everybody.
  bool mode(wifi_mode_t mode);
  void persistent(bool persistent);
  bool setSleep(bool enabled);
  bool setHostname(const char* hostname);

  wl_status_t begin(const char* ssid, const char* passphrase = nullptr, std::int32_t channel = 0,
                    const std::uint8_t* bssid = nullptr, bool connect = true);
  wl_status_t status();
  bool setAutoReconnect(bool autoReconnect);
  IPAddress localIP();
  std::int8_t RSSI();

  bool softAP(const char* ssid, const char* passphrase = nullptr, int channel = 1,
              int ssid_hidden = 0, int max_connection = 4, bool ftm_responder = false);
  bool softAPConfig(IPAddress local_ip, IPAddress gateway, IPAddress subnet);
  bool softAPdisconnect(bool wifioff = false);
  std::uint8_t softAPgetStationNum();

  std::int16_t scanNetworks(bool async = false, bool show_hidden = false);
  std::int16_t scanComplete();
  void scanDelete();
  String SSID(std::uint8_t networkItem);
  std::int32_t RSSI(std::uint8_t networkItem);
  wifi_auth_mode_t encryptionType(std::uint8_t networkItem);
};
extern WiFiClass WiFi;
