#include "lobug/tools/methods.h"

#include "lobug/tools/calls.h"

namespace lobug {
namespace {

using json::Type;
using json::Value;
using json::Writer;

/// What is the same in these versions of MCP is all that we have.
constexpr std::string_view kProtocolVersions[] = {"2024-11-05", "2025-06-18"};

}  // namespace

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

}  // namespace lobug
