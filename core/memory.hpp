// Memory of the core: filled with zeros unless said otherwise, aligned to a pair of cache lines, freed with its owner.
#pragma once
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace adtm {

constexpr uint32_t round_up(uint32_t x, uint32_t to) { return (x + to - 1) / to * to; }

// Large pieces ask for huge pages. The rows of a bank are read in random order: small pages would cost a page fault
// each at the start, and slow look-ups of addresses later.
class Memory {
  public:
    explicit Memory(size_t bytes, bool zeroed = true);
    ~Memory();
    Memory(Memory&& other) noexcept : data_(std::exchange(other.data_, nullptr)), align_(other.align_) {}
    Memory& operator=(Memory&&) = delete;
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    void* data() const { return data_; }
    void release();

  private:
    void* data_;
    std::align_val_t align_;
};

template <class T>
class Buffer {
  public:
    explicit Buffer(size_t n, bool zeroed = true) : size_(n), memory_(n * sizeof(T), zeroed) {}
    T* data() const { return static_cast<T*>(memory_.data()); }
    size_t size() const { return size_; }
    void release() { memory_.release(); }

  private:
    size_t size_;
    Memory memory_;
};

}  // namespace adtm
