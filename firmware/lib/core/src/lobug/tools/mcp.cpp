// Which method of the part of MCP (2024-11-05) that we have is asked for, if any.
#include "lobug/json/reader.h"
#include "lobug/tools/methods.h"
#include "lobug/tools/tools.h"

namespace lobug {

using json::Type;
using json::Value;

std::size_t answer_mcp(std::string_view payload, ToolHost& host, std::string_view version,
                       Span<char> answer) {
  const Value message = json::parse(payload);
  if (!message.exists()) {
    return write_rpc_error(answer, nullptr, RpcError::kParseError, "this is no JSON");
  }
  if (message.type() != Type::kObject) {
    return write_rpc_error(answer, nullptr, RpcError::kInvalidRequest,
                           "one request at a time, an object");
  }
  const Value method = message.member("method");
  // Answers to what we never ask.
  if (!method.exists() && (message.member("result").exists() || message.member("error").exists())) {
    return 0;
  }
  const Value id_given = message.member("id");
  const bool well_formed = message.member("jsonrpc").is("2.0") && method.type() == Type::kString;
  if (well_formed && !id_given.exists()) return 0;  // a notification: there are none of use to us
  RpcId id;
  if (!id.read(id_given)) {
    return write_rpc_error(answer, nullptr, RpcError::kInvalidRequest,
                           "the id is no number and no short text");
  }
  const Value params = message.member("params");
  const McpRequest request(id, params, host, answer);
  if (!well_formed) {
    return request.error(RpcError::kInvalidRequest, "this is no request of JSON-RPC 2.0");
  }
  if (params.exists() && params.type() != Type::kObject) {
    return request.error(RpcError::kInvalidParams, "params is no object");
  }
  if (method.is("tools/call")) return request.call_tool();
  if (method.is("tools/list")) return request.list_tools();
  if (method.is("initialize")) return request.initialize(version);
  if (method.is("ping")) return request.ping();
  return request.error(RpcError::kMethodNotFound, "there is no such method");
}

}  // namespace lobug
