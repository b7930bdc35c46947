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

std::string_view SensorReporter::write(const Motion& motion) {
  const bool tapped = begun_ && motion.taps != sent_.taps;
  const std::size_t length = write_sensors(Span<char>(body_.data(), body_.size()), motion, tapped);
  return {body_.data(), length};
}

void SensorReporter::send(Session& session, const Motion& motion, Millis now) {
  if (session.sensors(write(motion))) sent(motion, now);
}

void SensorReporter::post(const Url& server, const Motion& motion, Millis now) {
  const std::string_view body = write(motion);
  const Text<300> path = path_at(server, "/context/sensors");
  HttpRequest request = identity_.request("POST", path);
  request.body = body;
  sending_ =
      !path.empty() && !body.empty() && http_.start(server.endpoint, request, now, kRequestMs);
  sent(motion, now);
}

void SensorReporter::sent(const Motion& motion, Millis now) {
  sent_ = motion;
  sent_at_ = now;
  begun_ = true;
}

}  // namespace lobug
