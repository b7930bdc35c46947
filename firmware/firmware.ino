// For the Arduino IDE, which wants a sketch named as its folder, and finds libraries by these two
// headers. setup() and loop() are in src/main.cpp; README.md says which board settings are needed.
#include <LobugCore.h>
#include <LobugSockets.h>
