// Commands over the serial line: everything that the portal can do, for people with a cable.
#pragma once

#include <string_view>

#include "lobug/base/queue.h"
#include "lobug/base/text.h"
#include "lobug/device/input.h"
#include "lobug/device/view.h"
#include "lobug/ports/store.h"

namespace lobug {

/// Fed with characters; `help` lists the commands (wifi, server, ca, set, show, status, pair,
/// restart, reset). Passwords and tokens are never printed. A line has at most 2,200 characters
/// (a CA comes as one line with \n for its line ends); longer ones are refused as a whole.
class Console {
 public:
  Console(Store& store, Queue<Input, 16>& inputs);
  /// One character; when a line is complete its answer is in `answer`, else that is empty.
  void feed(char character, const View& view);
  const Text<1024>& answer() const { return answer_; }

 private:
  Store& store_;
  Queue<Input, 16>& inputs_;
  Text<1024> answer_;
};

}  // namespace lobug
