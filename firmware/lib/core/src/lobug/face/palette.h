// The colours of everything that is shown, in one place.
#pragma once

#include "lobug/face/canvas.h"

namespace lobug {

constexpr Colour kNight = rgb(13, 15, 32);       ///< behind everything
constexpr Colour kPanel = rgb(32, 37, 66);       ///< cards, buttons
constexpr Colour kPanelEdge = rgb(66, 74, 120);  ///< tracks, rims
constexpr Colour kPaper = rgb(255, 255, 255);    ///< below a QR code
constexpr Colour kText = rgb(244, 242, 234);
constexpr Colour kFaint = rgb(150, 158, 192);  ///< hints, labels
constexpr Colour kAccent = rgb(92, 214, 180);
constexpr Colour kWarning = rgb(255, 190, 84);
constexpr Colour kAlarm = rgb(255, 92, 84);

constexpr Colour kHead = rgb(72, 86, 168);
constexpr Colour kInk = rgb(22, 22, 52);  ///< lashes, brows, lips
constexpr Colour kEyeWhite = rgb(252, 250, 244);
constexpr Colour kIris = rgb(38, 118, 148);
constexpr Colour kCheek = rgb(240, 120, 140);
constexpr Colour kMouthInside = rgb(92, 20, 58);
constexpr Colour kTongueSkin = rgb(244, 118, 130);
constexpr Colour kHeart = rgb(255, 84, 120);
constexpr Colour kTear = rgb(140, 214, 255);

// The antennae's tips say what Lo-Bug is doing.
constexpr Colour kGlowIdle = rgb(170, 178, 220);
constexpr Colour kGlowListening = rgb(92, 226, 140);
constexpr Colour kGlowThinking = rgb(255, 190, 84);
constexpr Colour kGlowSpeaking = rgb(96, 200, 255);
constexpr Colour kGlowOff = rgb(82, 88, 120);

}  // namespace lobug
