#include "lobug/tools/jsonrpc.h"

namespace lobug {

bool RpcId::read(const json::Value& value) {
  number_ = value.type() == json::Type::kNumber;
  if (number_) return number_text_.assign(value.raw());
  return value.text(text_);
}

void RpcId::write(json::Writer& json) const {
  if (number_) {
    json.raw(number_text_);
  } else {
    json.text(text_);
  }
}

std::size_t write_rpc_error(Span<char> answer, const RpcId* id, RpcError code,
                            std::string_view message) {
  json::Writer json(answer);
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

void begin_rpc_result(json::Writer& json, const RpcId& id) {
  json.begin_object().name("jsonrpc").text("2.0").name("id");
  id.write(json);
  json.name("result").begin_object();
}

}  // namespace lobug
