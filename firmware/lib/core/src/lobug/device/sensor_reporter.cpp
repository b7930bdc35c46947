#include "lobug/device/sensor_reporter.h"

#include "lobug/protocol/messages.h"

namespace lobug {

void SensorReporter::step(Millis now) {
  if (http_.step(now) != HttpClient::State::kBusy) sending_ = false;
}

bool SensorReporter::due(const Motion& motion, Millis now, Millis least) const {
  if (!begun_) return true;
  const Millis since = elapsed(sent_at_, now);
  if (since >= kEveryMs) return true;
  return since >= least &&
         (motion.orientation != sent_.orientation || motion.moving != sent_.moving ||
          motion.shaking != sent_.shaking || motion.taps != sent_.taps);
}

void SensorReporter::send(const Url& server, const Motion& motion, Millis now) {
  const bool tapped = begun_ && motion.taps != sent_.taps;
  const std::size_t length = write_sensors(Span<char>(body_.data(), body_.size()), motion, tapped);
  const Text<300> path = path_at(server, "/context/sensors");
  HttpRequest request = identity_.request("POST", path);
  request.body = std::string_view(body_.data(), length);
  sending_ = !path.empty() && length > 0 && http_.start(server.endpoint, request, now, kRequestMs);
  sent_ = motion;
  sent_at_ = now;
  begun_ = true;
}

}  // namespace lobug
