// The methods that an MCP server with tools has.
#pragma once

#include <cstddef>
#include <string_view>

#include "lobug/base/span.h"
#include "lobug/json/reader.h"
#include "lobug/tools/jsonrpc.h"
#include "lobug/tools/registry.h"
#include "lobug/tools/tools.h"

namespace lobug {

/// One request that is well formed. Each method writes the answer and returns its length; 0 when it
/// does not fit.
class McpRequest {
 public:
  McpRequest(const RpcId& id, const json::Value& params, ToolHost& host, Span<char> answer)
      : id_(id), params_(params), host_(host), answer_(answer) {}

  /// `version` is the firmware's.
  std::size_t initialize(std::string_view version) const;
  std::size_t ping() const;
  /// As many tools as there is room for, and where to go on.
  std::size_t list_tools() const;
  std::size_t call_tool() const;
  std::size_t error(RpcError code, std::string_view message) const {
    return write_rpc_error(answer_, &id_, code, message);
  }

 private:
  bool has(const Tool& tool) const { return !tool.needs_led || host_.effects().has_led(); }
  /// Place of the tool that the device has under that name; the number of all tools if none.
  std::size_t find(const json::Value& name) const;
  std::size_t use(const Tool& tool, const Arguments& arguments) const;

  const RpcId& id_;
  json::Value params_;
  ToolHost& host_;
  Span<char> answer_;
};

}  // namespace lobug
