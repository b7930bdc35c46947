#include "lobug/update/updater.h"

namespace lobug {

FirmwareWriter::FirmwareWriter(FirmwareSlot& slot, Crypto& crypto) : slot_(slot), crypto_(crypto) {}

FirmwareWriter::~FirmwareWriter() { abandon(); }

bool FirmwareWriter::begin(const FirmwareOffer& offer) {
  abandon();
  written_ = 0;
  size_ = offer.size;
  fault_ = UpdateFault::kNone;
  if (!parse_sha256(offer.sha256, expected_)) {
    fault_ = UpdateFault::kWrongHash;
  } else if (size_ == 0) {
    fault_ = UpdateFault::kWrongSize;
  } else if (size_ > slot_.capacity()) {
    fault_ = UpdateFault::kTooLarge;
  } else if (!slot_.begin(size_)) {
    fault_ = UpdateFault::kWriteFailed;
  }
  if (fault_ != UpdateFault::kNone) return false;
  crypto_.sha256_begin();
  writing_ = true;
  return true;
}

bool FirmwareWriter::take(Bytes piece, std::uint32_t total) {
  if (!writing_) return false;
  if ((total != 0 && total != size_) || piece.size() > size_ - written_) {
    return fail(UpdateFault::kWrongSize);
  }
  if (piece.empty()) return true;
  if (!slot_.write(piece)) return fail(UpdateFault::kWriteFailed);
  crypto_.sha256_add(piece);
  written_ += static_cast<std::uint32_t>(piece.size());
  return true;
}

UpdateFault FirmwareWriter::finish() {
  if (!writing_) return fault_ != UpdateFault::kNone ? fault_ : UpdateFault::kIncomplete;
  if (written_ != size_) {
    fail(UpdateFault::kIncomplete);
    return fault_;
  }
  writing_ = false;
  if (crypto_.sha256_end() != expected_) {
    fault_ = UpdateFault::kWrongHash;
  } else if (!slot_.activate()) {
    fault_ = UpdateFault::kWriteFailed;
  }
  if (fault_ != UpdateFault::kNone) slot_.abandon();
  return fault_;
}

void FirmwareWriter::abandon() {
  if (!writing_) return;
  writing_ = false;
  if (fault_ == UpdateFault::kNone) fault_ = UpdateFault::kIncomplete;
  crypto_.sha256_end();  // a digest that was begun is ended, so that nothing of it is left behind
  slot_.abandon();
}

std::uint8_t FirmwareWriter::percent() const {
  if (size_ == 0) return 0;
  return static_cast<std::uint8_t>(static_cast<std::uint64_t>(written_) * 100 / size_);
}

bool FirmwareWriter::fail(UpdateFault fault) {
  fault_ = fault;
  abandon();
  return false;
}

}  // namespace lobug
