// What each tool does.
#pragma once

#include "lobug/base/text.h"
#include "lobug/tools/registry.h"
#include "lobug/tools/tools.h"

namespace lobug {

/// What came of a call, for the chat model to tell.
struct ToolOutcome {
  bool ok = true;
  /// "true" where there is nothing to tell; JSON where there is much; else a sentence.
  Text<256> text;
};

/// Uses a tool, with arguments that `read_arguments` has found good.
ToolOutcome call_tool(ToolId tool, const Arguments& arguments, ToolHost& host);

}  // namespace lobug
