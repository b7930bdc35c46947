// By this header the Arduino IDE finds the library; the code includes "lobug/..." by itself.
#pragma once
