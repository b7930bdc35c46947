// A pointer and a length. std::span came with C++20; the ESP32's compiler speaks C++17.
#pragma once

#include <cstddef>
#include <type_traits>

namespace lobug {

/// A view of `size()` consecutive values; owns nothing.
template <typename T>
class Span {
 public:
  constexpr Span() = default;
  constexpr Span(T* data, std::size_t size) : data_(data), size_(size) {}
  template <std::size_t N>
  constexpr Span(T (&array)[N]) : data_(array), size_(N) {}  // NOLINT(google-explicit-constructor)
  /// A Span<T> converts to a Span<const T>.
  template <typename U, typename = std::enable_if_t<std::is_convertible_v<U (*)[], T (*)[]>>>
  constexpr Span(const Span<U>& other)  // NOLINT(google-explicit-constructor)
      : data_(other.data()), size_(other.size()) {}

  constexpr T* data() const { return data_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T& operator[](std::size_t index) const { return data_[index]; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size_; }

  /// The first `count` values, or as many as there are.
  constexpr Span first(std::size_t count) const {
    return Span(data_, count < size_ ? count : size_);
  }
  /// The rest after the first `count` values; empty when there are fewer.
  constexpr Span drop(std::size_t count) const {
    return count < size_ ? Span(data_ + count, size_ - count) : Span(data_ + size_, 0);
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

using Bytes = Span<const unsigned char>;
using MutableBytes = Span<unsigned char>;

}  // namespace lobug
