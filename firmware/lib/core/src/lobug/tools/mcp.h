// The device as an MCP server: its tools, offered to the chat model over the session.
#pragma once

#include <cstddef>
#include <string_view>

#include "lobug/base/span.h"
#include "lobug/tools/tools.h"

namespace lobug {

/// Answers one JSON-RPC message. Writes the answer's JSON to `answer` and returns its length; 0
/// when there is none to give (a notification) or it does not fit.
std::size_t answer_mcp(std::string_view payload, ToolHost& host, std::string_view version,
                       Span<char> answer);

}  // namespace lobug
