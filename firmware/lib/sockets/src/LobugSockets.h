// By this header the Arduino IDE finds the library; the code includes "lobug_sockets/..." by
// itself.
#pragma once
