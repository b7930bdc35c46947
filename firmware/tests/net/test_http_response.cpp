#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "lobug/net/http_response.h"
#include "support/scripted_random.h"
#include "support/text.h"

using namespace lobug;

namespace {

using Progress = HttpResponse::Progress;

struct Sink final : BodySink {
  std::string taken;
  std::uint32_t total = 12345;
  std::size_t stop_at = static_cast<std::size_t>(-1);
  bool empty_piece = false;
  bool take(Bytes piece, std::uint32_t of) override {
    empty_piece = empty_piece || piece.empty();
    taken.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    total = of;
    return taken.size() < stop_at;
  }
};

struct Answer {
  Progress progress = Progress::kMore;
  HttpFault fault = HttpFault::kNone;
  int status = 0;
  std::string body;
  std::uint32_t retry_after = 0;
};

bool operator==(const Answer& left, const Answer& right) {
  return left.progress == right.progress && left.fault == right.fault &&
         left.status == right.status && left.body == right.body &&
         left.retry_after == right.retry_after;
}

constexpr std::size_t kRoom = 600;

/// `cuts` says how long the next piece is; 0: all that is left.
template <typename Cuts>
Answer answer_to(std::string_view bytes, bool closes, Cuts cuts, BodySink* sink = nullptr,
                 std::size_t room = kRoom) {
  std::vector<unsigned char> buffer(room + 1, 0xEE);
  HttpResponse response;
  response.start(MutableBytes(buffer.data(), room), sink);
  while (!bytes.empty()) {
    const std::size_t size = cuts();
    const std::string piece(bytes.substr(0, size == 0 ? bytes.npos : size));
    response.feed(bytes_of(piece));
    bytes.remove_prefix(piece.size());
  }
  if (closes) response.end();
  CHECK(buffer[room] == 0xEE);
  return {response.progress(), response.fault(), response.status(), std::string(response.body()),
          response.retry_after_s()};
}

Answer whole(std::string_view bytes, bool closes = false, std::size_t room = kRoom) {
  return answer_to(bytes, closes, [] { return std::size_t{0}; }, nullptr, room);
}

HttpFault fault_of(std::string_view bytes, std::size_t room = kRoom) {
  const Answer answer = whole(bytes, false, room);
  return answer.progress == Progress::kFailed ? answer.fault : HttpFault::kNone;
}

const std::string kOk = "HTTP/1.1 200 OK\r\n";

const std::vector<std::string>& samples() {
  static const std::vector<std::string> all = {
      kOk + "Content-Length: 5\r\n\r\nhello",
      kOk + "content-length: 5\r\nContent-Length: 5\r\n\r\nhello and more",
      kOk + "Content-Length: 0\r\n\r\n",
      kOk + "Content-Length: 10\r\n\r\nshort",
      kOk + "\r\nuntil the end",
      "HTTP/1.0 200 OK\r\n\r\nold",
      kOk + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n",
      kOk + "Transfer-Encoding: Chunked\r\n\r\n0a\r\n0123456789\r\n0\r\nTrailer: x\r\nY: z\r\n\r\n",
      kOk + "Transfer-Encoding: chunked\r\n\r\n5\r\nhelloX\r\n",
      kOk + "Transfer-Encoding: chunked\r\n\r\n5 \t;a\r\nhello\r\nzz\r\n",
      "HTTP/1.1 204 No Content\r\n\r\n",
      "HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n",
      "HTTP/1.1 503 Busy\r\nRetry-After: 30\r\nContent-Length: 2\r\n\r\n{}",
      "HTTP/1.1 100 Continue\r\nRetry-After: 1\r\n\r\nHTTP/1.1 103 Hints\r\nLink: a\r\n\r\n"
      "HTTP/1.1 404 None\r\nContent-Length: 1\r\n\r\nx",
      kOk + "X: " + std::string(700, 'x') + "\r\n\r\n",
      kOk + "Content-Length: 601\r\n\r\n",
      kOk + "\r\n" + std::string(700, 'y'),
      kOk + "Transfer-Encoding: chunked\r\n\r\n2bd\r\n" + std::string(701, 'z') + "\r\n0\r\n\r\n",
      kOk + "Bad Name: x\r\n\r\n",
      "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
      "",
      "\r\n",
      "SSH-2.0-OpenSSH_9.2\r\n",
  };
  return all;
}

}  // namespace

TEST_CASE("a body of a length that was said") {
  CHECK(whole(kOk + "Content-Length: 5\r\n\r\nhello").body == "hello");
  CHECK(whole(kOk + "Content-Length: 5\r\n\r\nhello").progress == Progress::kDone);
  CHECK(whole(kOk + "CONTENT-LENGTH:5\r\n\r\nhello, and what nobody asked for").body == "hello");
  CHECK(whole(kOk + "Content-Length: 0\r\n\r\n").progress == Progress::kDone);
  CHECK(whole(kOk + "Content-Length: 5\r\n\r\nhell").progress == Progress::kMore);
  const Answer cut = whole(kOk + "Content-Length: 5\r\n\r\nhell", true);
  CHECK(cut.progress == Progress::kFailed);
  CHECK(cut.fault == HttpFault::kConnection);
}

TEST_CASE("a body that ends with the connection") {
  CHECK(whole(kOk + "\r\nall of it").progress == Progress::kMore);
  const Answer answer = whole(kOk + "\r\nall of it", true);
  CHECK(answer.progress == Progress::kDone);
  CHECK(answer.body == "all of it");
  CHECK(whole(kOk + "\r\n", true).progress == Progress::kDone);
  CHECK(whole(kOk + "X: y\r\n", true).fault == HttpFault::kConnection);
  CHECK(whole("", true).fault == HttpFault::kConnection);
}

TEST_CASE("a body in chunks") {
  const std::string head = kOk + "Transfer-Encoding: chunked\r\n\r\n";
  const Answer answer = whole(head + "5\r\nhello\r\nA;ext=\"1\"\r\n, device! \r\n0\r\n\r\n");
  CHECK(answer.progress == Progress::kDone);
  CHECK(answer.body == "hello, device! ");
  CHECK(whole(head + "0\r\n\r\n").progress == Progress::kDone);
  CHECK(whole(head + "00000005\r\nhello\r\n000\r\n\r\n").body == "hello");
  CHECK(whole(head + "0\r\nA: b\r\nC: d\r\n\r\n").progress == Progress::kDone);
  CHECK(whole(head + "5 \r\nhello\r\n0\t\r\n\r\n").progress == Progress::kDone);
  CHECK(whole(head + "0\r\n\r").progress == Progress::kMore);
  // Every digit, and the full number of them in every chunk.
  for (std::size_t size = 1; size < 16; ++size) {
    for (const char* digits : {"0123456789abcdef", "0123456789ABCDEF"}) {
      const std::string chunk =
          std::string("0000000") + digits[size] + "\r\n" + std::string(size, 'x') + "\r\n";
      const Answer twice = whole(head + chunk + chunk + "0\r\n\r\n");
      CHECK(twice.progress == Progress::kDone);
      CHECK(twice.body.size() == 2 * size);
    }
  }
  for (const char* bad : {"/", ":", "@", "G", "`", "g"}) {
    CHECK(fault_of(head + bad) == HttpFault::kProtocol);
    CHECK(fault_of(head + "1" + bad) == HttpFault::kProtocol);
  }
  CHECK(whole(head + "5\r\nhello\r\n", true).fault == HttpFault::kConnection);
  for (const char* bad :
       {"\r\n", ";x\r\n", " 5\r\nhello\r\n", "-5\r\n", "0x5\r\n", "g\r\n", "5\nhello",
        "5\r\nhello5\r\n", "5\r\nhello\n", "5\rhello", "5;\x01\r\n", "5;a\nb\r\n", "0\r\n\n",
        "0\r\nA: \x02\r\n\r\n", "0\r\nA: b\n\r\n", "0\r\nA\rB\r\n"}) {
    CAPTURE(bad);
    CHECK(fault_of(head + bad) == HttpFault::kProtocol);
  }
}

TEST_CASE("lengths that lie are refused") {
  for (const char* bad :
       {"Content-Length: 5\r\nContent-Length: 6\r\n", "Content-Length: -1\r\n",
        "Content-Length: +5\r\n", "Content-Length: 5 5\r\n", "Content-Length: 5, 5\r\n",
        "Content-Length: 0x5\r\n", "Content-Length:\r\n", "Content-Length: five\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: gzip\r\n",
        "Transfer-Encoding:\r\n", "Transfer-Encoding: identity\r\n",
        "Content-Encoding: gzip\r\n"}) {
    CAPTURE(bad);
    CHECK(fault_of(kOk + bad + "\r\n") == HttpFault::kProtocol);
  }
  CHECK(fault_of("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n") == HttpFault::kProtocol);
  CHECK(fault_of(kOk + "Content-Length: 4294967296\r\n\r\n") == HttpFault::kTooLarge);
  CHECK(fault_of(kOk + "Content-Length: 99999999999999999999\r\n\r\n") == HttpFault::kTooLarge);
  CHECK(whole(kOk + "Content-Encoding: identity\r\nContent-Length: 0\r\n\r\n").progress ==
        Progress::kDone);
}

TEST_CASE("what is no answer is refused") {
  for (const char* bad :
       {"\r\n", "SSH-2.0-OpenSSH\r\n", "HTTP/1.1 200 OK\n", "HTTP/1.1 101 Switching Protocols\r\n",
        "HTTP/1.1 200 OK\r\n folded: x\r\n", "HTTP/1.1 200 OK\r\nA: b\r\n folded\r\n",
        "HTTP/1.1 200 OK\r\nName : x\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n",
        "HTTP/1.1 200 OK\r\nA: b\rc\r\n", "HTTP/1.1 200 OK\r\nA: \x01\r\n", "HTTP/1.1 200 OK\r\n\n",
        "HTTP/1.1 200 OK\r\n\x01", "HTTP/2 200\r\n", "\x16\x03\x01"}) {
    CAPTURE(bad);
    CHECK(fault_of(bad) == HttpFault::kProtocol);
  }
}

TEST_CASE("an answer that has no body has none, whatever it says") {
  CHECK(whole("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello").body.empty());
  CHECK(whole("HTTP/1.1 204 No Content\r\n\r\n").progress == Progress::kDone);
  CHECK(whole("HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n").progress ==
        Progress::kDone);
}

TEST_CASE("interim answers are passed over, and what they said with them") {
  const Answer answer = whole(
      "HTTP/1.1 100 Continue\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n"
      "Retry-After: 7\r\n\r\nHTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\n{}");
  CHECK(answer.progress == Progress::kDone);
  CHECK(answer.status == 202);
  CHECK(answer.body == "{}");
  CHECK(answer.retry_after == 0);
  CHECK(whole("HTTP/1.1 100 Continue\r\n\r\n").status == 0);
  Sink sink;
  const Answer chunks = answer_to(
      "HTTP/1.1 100 Continue\r\nContent-Length: 9\r\n\r\n" + kOk +
          "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
      false, [] { return std::size_t{0}; }, &sink);
  CHECK(chunks.progress == Progress::kDone);
  CHECK(sink.total == 0);
  // A server that sends nothing else meets the limit of a head.
  std::string endless;
  while (endless.size() < 2 * kMostHeadBytes) endless += "HTTP/1.1 100 Continue\r\n\r\n";
  CHECK(fault_of(endless) == HttpFault::kTooLarge);
}

TEST_CASE("Retry-After is seconds, no more than a day") {
  const auto seconds = [](const std::string& value) {
    return whole("HTTP/1.1 503 Busy\r\nRetry-After: " + value + "\r\nContent-Length: 0\r\n\r\n")
        .retry_after;
  };
  CHECK(seconds("30") == 30);
  CHECK(seconds("0") == 0);
  CHECK(seconds("86400") == 86400);
  CHECK(seconds("86401") == 86400);
  CHECK(seconds("4294967295") == 86400);
  CHECK(seconds("Fri, 31 Dec 1999 23:59:59 GMT") == 0);
  CHECK(seconds("-5") == 0);
  CHECK(seconds("") == 0);
}

TEST_CASE("every length is bounded, and what just fits is taken") {
  // A body in the buffer.
  CHECK(whole(kOk + "Content-Length: 600\r\n\r\n" + std::string(600, 'x')).body.size() == 600);
  CHECK(fault_of(kOk + "Content-Length: 601\r\n\r\n") == HttpFault::kTooLarge);
  CHECK(whole(kOk + "\r\n" + std::string(600, 'x'), true).progress == Progress::kDone);
  CHECK(fault_of(kOk + "\r\n" + std::string(601, 'x')) == HttpFault::kTooLarge);
  const std::string head = kOk + "Transfer-Encoding: chunked\r\n\r\n";
  const std::string full = head + "258\r\n" + std::string(600, 'x') + "\r\n";
  CHECK(whole(full + "0\r\n\r\n").progress == Progress::kDone);
  CHECK(fault_of(full + "1\r\nx\r\n") == HttpFault::kTooLarge);
  CHECK(fault_of(head + "FFFFFFFF\r\n" + std::string(601, 'x')) == HttpFault::kTooLarge);
  // The size of a chunk and what is behind it, and trailers.
  CHECK(fault_of(head + "000000001\r\n") == HttpFault::kTooLarge);
  CHECK(fault_of(head + "5;" + std::string(256, 'x')) == HttpFault::kNone);
  CHECK(fault_of(head + "5;" + std::string(257, 'x')) == HttpFault::kTooLarge);
  CHECK(fault_of(head + "0\r\n" + std::string(4096, 'x')) == HttpFault::kNone);
  CHECK(fault_of(head + "0\r\n" + std::string(4097, 'x')) == HttpFault::kTooLarge);
  // A line, with its end, in the buffer; all lines of a head.
  const std::string line = "X: " + std::string(595, 'x') + "\r\n";
  CHECK(line.size() == 600);
  CHECK(whole(kOk + line + "\r\n", true).progress == Progress::kDone);
  CHECK(fault_of(kOk + "y" + line) == HttpFault::kTooLarge);
  std::string lines = kOk;
  for (int i = 0; i < 64; ++i) lines += "A: b\r\n";
  CHECK(whole(lines + "\r\n", true).progress == Progress::kDone);
  CHECK(fault_of(lines + "A: b\r\n\r\n") == HttpFault::kTooLarge);
  std::string large = kOk;
  while (large.size() + 100 < kMostHeadBytes) large += "X: " + std::string(95, 'x') + "\r\n";
  large += "Y: " + std::string(kMostHeadBytes - large.size() - 7, 'y') + "\r\n\r\n";
  REQUIRE(large.size() == kMostHeadBytes);
  // (More lines than 64 would be refused as such.)
  CHECK(whole(large, true).fault == HttpFault::kTooLarge);
  std::string fewer = kOk;
  for (int i = 0; i < 15; ++i) fewer += "X: " + std::string(495, 'x') + "\r\n";
  fewer += "Y: " + std::string(kMostHeadBytes - fewer.size() - 7, 'y') + "\r\n\r\n";
  REQUIRE(fewer.size() == kMostHeadBytes);
  CHECK(whole(fewer, true, 9000).progress == Progress::kDone);
  CHECK(fault_of("H" + fewer, 9000) == HttpFault::kProtocol);
  fewer.insert(kOk.size() + 3, "z");
  CHECK(fault_of(fewer, 9000) == HttpFault::kTooLarge);
  // A buffer that holds nothing.
  CHECK(fault_of(kOk, 0) == HttpFault::kTooLarge);
  CHECK(fault_of("HTTP/1.1 2", 5) == HttpFault::kTooLarge);
}

TEST_CASE("a sink takes the body of a good answer, of any size, and no other") {
  const auto all = [] { return std::size_t{0}; };
  Sink sink;
  const std::string large(100000, 'f');
  Answer answer =
      answer_to(kOk + "Content-Length: 100000\r\n\r\n" + large + "surplus", false, all, &sink);
  CHECK(answer.progress == Progress::kDone);
  CHECK(answer.body.empty());
  CHECK(sink.taken == large);
  CHECK(sink.total == 100000);
  CHECK_FALSE(sink.empty_piece);

  Sink unsaid;
  answer = answer_to(kOk + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", false, all,
                     &unsaid);
  CHECK(answer.progress == Progress::kDone);
  CHECK(unsaid.taken == "abc");
  CHECK(unsaid.total == 0);

  Sink none;
  answer = answer_to("HTTP/1.1 404 None\r\nContent-Length: 3\r\n\r\nabc", false, all, &none);
  CHECK(answer.body == "abc");
  CHECK(none.taken.empty());
  answer = answer_to("HTTP/1.1 206 Part\r\nContent-Length: 3\r\n\r\nabc", false, all, &none);
  CHECK(none.taken.empty());

  Sink enough;
  enough.stop_at = 4;
  answer = answer_to(
      kOk + "Content-Length: 9\r\n\r\n123456789", false, [] { return std::size_t{2}; }, &enough);
  CHECK(answer.progress == Progress::kFailed);
  CHECK(answer.fault == HttpFault::kStopped);
  CHECK(enough.taken.size() < 9);
  CHECK(enough.taken.size() >= 4);
}

TEST_CASE("however an answer is cut, it is the same") {
  ScriptedRandom random;
  for (const std::string& sample : samples()) {
    for (const bool closes : {false, true}) {
      const Answer expected = whole(sample, closes);
      CAPTURE(sample);
      CHECK(answer_to(sample, closes, [] { return std::size_t{1}; }) == expected);
      // At every single place, and at random ones.
      int different = 0;
      for (std::size_t cut = 1; cut < sample.size(); ++cut) {
        bool first = true;
        const auto once = [&] { return std::exchange(first, false) ? cut : 0; };
        if (!(answer_to(sample, closes, once) == expected)) ++different;
      }
      for (int i = 0; i < 50; ++i) {
        if (!(answer_to(sample, closes, [&] { return 1 + random.below(20); }) == expected))
          ++different;
      }
      CHECK(different == 0);
    }
  }
}

TEST_CASE("rubbish of any kind ends, within the buffer") {
  ScriptedRandom random;
  const std::vector<std::string>& from = samples();
  int failed = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = from[random.below(from.size())];
    for (std::size_t change = random.below(4); change > 0 && !bytes.empty(); --change) {
      const std::size_t at = random.below(bytes.size());
      switch (random.below(3)) {
        case 0:
          bytes[at] = static_cast<char>(random.next());
          break;
        case 1:
          bytes.erase(at, random.below(5));
          break;
        default:
          bytes.insert(at, from[random.below(from.size())].substr(0, random.below(40)));
          break;
      }
    }
    const Answer one = whole(bytes, true);
    const Answer cut = answer_to(bytes, true, [&] { return 1 + random.below(7); });
    if (!(one == cut) || one.progress == Progress::kMore) ++failed;
  }
  CHECK(failed == 0);
}
