// A connection by itself, for tests against real servers.
#pragma once

namespace lobug::sim {

/// `lobug_sim probe URL [--ca FILE]`: connects as the device does, sends the standard input and
/// prints what comes back until the server ends. The last line of the standard error says how it
/// ended: "open: STATE FAILURE" or "end: STATE FAILURE". Returns 0 when it was open.
int probe(int count, char** arguments);

}  // namespace lobug::sim
