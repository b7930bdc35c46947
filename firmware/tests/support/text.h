// Text as tests compare it.
#pragma once

#include <string>
#include <string_view>

#include "lobug/base/span.h"

namespace lobug {

inline Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

inline bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// The message with which a server calls a tool.
inline std::string tool_call(const std::string& tool, const std::string& arguments) {
  return R"({"type":"mcp","payload":{"jsonrpc":"2.0","id":8,"method":"tools/call","params":)"
         R"({"name":")" +
         tool + R"(","arguments":)" + arguments + "}}}";
}

}  // namespace lobug
