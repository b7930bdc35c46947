// JSON-RPC 2.0: what requests are called by, and how they fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lobug/base/span.h"
#include "lobug/base/text.h"
#include "lobug/json/reader.h"
#include "lobug/json/writer.h"

namespace lobug {

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
  bool read(const json::Value& value);
  void write(json::Writer& json) const;

 private:
  bool number_ = false;
  Text<24> number_text_;
  Text<64> text_;
};

/// Writes an answer that says why there is no result, and returns its length; 0 when it does not
/// fit. `id` is null when the request has none that could be read.
std::size_t write_rpc_error(Span<char> answer, const RpcId* id, RpcError code,
                            std::string_view message);

/// Begins an answer; its object and that of the result stay open.
void begin_rpc_result(json::Writer& json, const RpcId& id);

}  // namespace lobug
