// What Lo-Bug's face feels, where it looks and how its mouth moves, from frame to frame.
#pragma once

#include <array>
#include <cstdint>

#include "lobug/base/clock.h"
#include "lobug/base/random.h"
#include "lobug/face/canvas.h"
#include "lobug/face/expression.h"

namespace lobug {

/// What the face is to show from now on.
struct FaceInput {
  const Expression* expression = nullptr;  ///< not null; lives on
  bool talking = false;                    ///< the mouth follows the level
  std::uint8_t level = 0;                  ///< loudness of what sounds
  int gaze_x = 0;                          ///< of the tilt: -256 left to 256 right
  int gaze_y = 0;                          ///< -256 up to 256 down
  Colour glow = 0;                         ///< of the antennae's tips
  bool pulse = false;                      ///< the tips pulse, one after the other
  bool still = false;                      ///< neither looks around nor blinks: it sleeps
};

/// Everything that a drawing of the face needs.
struct FaceState {
  std::array<std::int16_t, kFeatureCount> features{};  ///< percent times 16, on their way
  Prop prop = Prop::kNone;
  int prop_size = 0;           ///< 0 to 256: props grow and shrink
  int blink = 0;               ///< 0 open to 256 closed by a blink
  int look_x = 0, look_y = 0;  ///< added to the expression's, percent times 16
  int mouth = 0;               ///< opened by the level: 0 to 256
  int excitement = 0;          ///< the slow part of the level, for bouncing: 0 to 256
  std::uint32_t clock_ms = 0;  ///< for everything that swings; asleep it goes by jerks
  Colour glow = 0;
  bool pulse = false;
};

class Face {
 public:
  explicit Face(Random& random);

  /// Once a frame. Moves on by the time since the last call, at most 100 ms.
  void update(const FaceInput& input, Millis now);
  const FaceState& state() const { return state_; }

 private:
  void move_eyelids(const FaceInput& input, int dt_ms, Millis now);
  void move_gaze(const FaceInput& input, int dt_ms, Millis now);
  void move_mouth(const FaceInput& input, int dt_ms);
  void move_prop(Prop wanted, int dt_ms);
  /// From `least` to below `least + range` milliseconds.
  Millis some_time(Millis least, Millis range);

  Random& random_;
  FaceState state_;
  bool started_ = false;
  Millis last_ = 0;
  std::uint32_t clock_ms_ = 0;
  Deadline next_blink_;
  int blink_ms_ = -1;  // into a blink; -1: none
  bool blink_twice_ = false;
  Deadline next_saccade_;
  int saccade_x_ = 0, saccade_y_ = 0;        // where to look, percent times 16
  int saccade_at_x_ = 0, saccade_at_y_ = 0;  // where the eyes are on their way there
  int tilt_x_ = 0, tilt_y_ = 0;              // the tilt, smoothed; percent times 16
};

/// Centre in 1/16 pixel; `scale` 256 is a head of 280 x 200 px with antennae above it.
void draw_face(Canvas& canvas, const FaceState& face, int centre_x, int centre_y, int scale);

}  // namespace lobug
