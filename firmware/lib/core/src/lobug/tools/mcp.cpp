#include "lobug/tools/mcp.h"

#include <cstdint>

#include "lobug/base/text.h"
#include "lobug/json/reader.h"
#include "lobug/json/writer.h"
#include "lobug/tools/schema.h"

namespace lobug {
namespace {

using json::Type;
using json::Value;
using json::Writer;

// JSON-RPC 2.0: identifiers of requests, and how they fail.

enum class RpcError : std::int16_t {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
};

/// A request's identifier, to be given back as it came.
class RpcId {
 public:
  /// False when it is none that MCP allows.
  bool read(const Value& value);
  void write(Writer& json) const;

 private:
  bool number_ = false;
  Text<24> number_text_;
  Text<64> text_;
};

bool RpcId::read(const Value& value) {
  number_ = value.type() == Type::kNumber;
  if (number_) return number_text_.assign(value.raw());
  return value.text(text_);
}

void RpcId::write(Writer& json) const {
  if (number_) {
    json.raw(number_text_);
  } else {
    json.text(text_);
  }
}

/// Writes an answer that says why there is no result, and returns its length; 0 when it does not
/// fit. `id` is null when the request has none that could be read.
std::size_t write_rpc_error(Span<char> answer, const RpcId* id, RpcError code,
                            std::string_view message) {
  Writer json(answer);
  json.begin_object().name("jsonrpc").text("2.0").name("id");
  if (id != nullptr) {
    id->write(json);
  } else {
    json.raw("null");
  }
  json.name("error").begin_object();
  json.name("code").number(static_cast<std::int16_t>(code));
  json.name("message").text(message).end_object();
  return json.end_object().finish();
}

/// Begins an answer; its object and that of the result stay open.
void begin_rpc_result(Writer& json, const RpcId& id) {
  json.begin_object().name("jsonrpc").text("2.0").name("id");
  id.write(json);
  json.name("result").begin_object();
}

// The methods of MCP, as far as a server with tools alone has them.

/// What is the same in these versions of MCP is all that we have.
constexpr std::string_view kProtocolVersions[] = {"2024-11-05", "2025-06-18"};

/// One request that is well formed. Each method writes the answer and returns its length; 0 when it
/// does not fit.
class McpRequest {
 public:
  McpRequest(const RpcId& id, const Value& params, ToolHost& host, Span<char> answer)
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
  bool has(const Tool& tool) const;
  /// Place of the tool that the device has under that name; the number of all tools if none.
  std::size_t find(const Value& name) const;
  std::size_t use(const Tool& tool, const Arguments& arguments) const;

  const RpcId& id_;
  Value params_;
  ToolHost& host_;
  Span<char> answer_;
};

bool McpRequest::has(const Tool& tool) const {
  switch (tool.needs) {
    case Needs::kLight:
      return host_.has_light();
    case Needs::kBody:
      return host_.has_body();
    case Needs::kNothing:
      break;
  }
  return true;
}

std::size_t McpRequest::initialize(std::string_view version) const {
  const Value asked = params_.member("protocolVersion");
  if (asked.type() != Type::kString) {
    return error(RpcError::kInvalidParams, "protocolVersion is missing");
  }
  std::string_view spoken = kProtocolVersions[0];
  for (const std::string_view known : kProtocolVersions) {
    if (asked.is(known)) spoken = known;
  }
  Writer json(answer_);
  begin_rpc_result(json, id_);
  json.name("protocolVersion").text(spoken);
  json.name("capabilities").begin_object();
  json.name("tools").begin_object().end_object().end_object();
  json.name("serverInfo").begin_object();
  json.name("name").text("lobug").name("version").text(version).end_object();
  return json.end_object().end_object().finish();
}

std::size_t McpRequest::ping() const {
  Writer json(answer_);
  begin_rpc_result(json, id_);
  return json.end_object().end_object().finish();
}

std::size_t McpRequest::find(const Value& name) const {
  const Span<const Tool> tools = all_tools();
  std::size_t place = 0;
  while (place < tools.size() && !(name.is(tools[place].name) && has(tools[place]))) ++place;
  return place;
}

std::size_t McpRequest::list_tools() const {
  const Span<const Tool> tools = all_tools();
  const Value cursor = params_.member("cursor");
  const std::size_t first = cursor.exists() ? find(cursor) : 0;
  if (first == tools.size()) return error(RpcError::kInvalidParams, "the cursor is none of ours");
  // Behind the last tool of a page there has to be room for the name of the next.
  constexpr std::size_t kTail = sizeof(R"(],"nextCursor":""}})") + 40;
  Writer json(answer_);
  begin_rpc_result(json, id_);
  json.name("tools").begin_array();
  std::size_t listed = 0;
  std::string_view next;
  for (std::size_t place = first; place < tools.size(); ++place) {
    const Tool& tool = tools[place];
    if (!has(tool)) continue;
    const Writer::Mark mark = json.mark();
    json.begin_object().name("name").text(tool.name);
    json.name("description").text(tool.description).name("inputSchema");
    write_schema(json, tool.parameters);
    json.end_object();
    if (!json.fits() || json.room() < kTail) {
      json.rewind(mark);
      next = tool.name;
      break;
    }
    ++listed;
  }
  if (listed == 0) return error(RpcError::kInternalError, "no tool fits an answer");
  json.end_array();
  if (!next.empty()) json.name("nextCursor").text(next);
  return json.end_object().end_object().finish();
}

std::size_t McpRequest::call_tool() const {
  const Value name = params_.member("name");
  if (name.type() != Type::kString) {
    return error(RpcError::kInvalidParams, "the tool's name is missing");
  }
  const std::size_t place = find(name);
  if (place == all_tools().size()) return error(RpcError::kInvalidParams, "there is no such tool");
  const Tool& tool = all_tools()[place];
  Arguments arguments;
  const auto wrong = read_arguments(params_.member("arguments"), tool.parameters, arguments);
  if (!wrong.empty()) return error(RpcError::kInvalidParams, wrong);
  return use(tool, arguments);
}

std::size_t McpRequest::use(const Tool& tool, const Arguments& arguments) const {
  const ToolOutcome outcome = lobug::call_tool(tool.id, arguments, host_);
  Writer json(answer_);
  begin_rpc_result(json, id_);
  json.name("content").begin_array().begin_object();
  json.name("type").text("text").name("text").text(outcome.text);
  json.end_object().end_array();
  json.name("isError").boolean(!outcome.ok);
  return json.end_object().end_object().finish();
}

}  // namespace

// The part of MCP (2024-11-05) that the device has.
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
