// For the Arduino IDE, which wants a sketch named as its folder. setup() and loop() are in
// src/main.cpp; README.md says which libraries and board settings are needed.
