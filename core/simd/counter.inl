// A bit-sliced counter: adds up bits for 512 lanes at once. Plane p holds bit p of every lane's count.

class Counter {
  public:
    static constexpr int kPlanes = 16;
    static constexpr uint32_t kMost = 65535;  // counts up to this

    // Adds 2^first in the lanes of `carry`.
    void add(Row512 carry, int first = 0) {
        for (int p = first; p < used; ++p) {
            const Row512 sum = planes[p] ^ carry;
            carry = planes[p] & carry;
            planes[p] = sum;
            if (carry.is_zero()) return;
        }
        if (carry.is_zero()) return;
        while (used < first) planes[used++] = Row512::zero();
        if (used < kPlanes) planes[used++] = carry;
    }

    // The same for rows with many bits, where looking for an early end costs more than it saves. Not to be mixed with add().
    void add_dense(Row512 carry) {
        for (int p = 0; p < used; ++p) {
            const Row512 sum = planes[p] ^ carry;
            carry = planes[p] & carry;
            planes[p] = sum;
        }
        if (++added == 1u << used) planes[used++] = carry;  // only now can a count reach the next bit
    }

    // Writes the 512 counts, 64 lanes of the given block type at a time.
    template <class Lanes>
    void store(typename Lanes::Element* counts) const {
        Lanes total[8];
        for (int word = 0; word < 8; ++word) total[word] = Lanes::splat(0);
        for (int p = 0; p < used; ++p) {
            uint64_t bits[8];
            planes[p].store(bits);
            // Adding is taking away the negative: without a saturating add, CPUs without one need fewer instructions.
            const auto minus_bit = static_cast<typename Lanes::Element>(0u - (1u << p));
            for (int word = 0; word < 8; ++word) total[word] = total[word].minus(Lanes::select(bits[word], minus_bit));
        }
        for (int word = 0; word < 8; ++word) total[word].store(counts + 64 * word);
    }

    // The sum of the counts, of all lanes or of those in a mask.
    uint64_t sum(const Row512* lanes = nullptr) const {
        uint64_t total = 0;
        for (int p = 0; p < used; ++p) {
            uint64_t bits[8];
            (lanes == nullptr ? planes[p] : planes[p] & *lanes).store(bits);
            for (int word = 0; word < 8; ++word) total += static_cast<uint64_t>(count_bits(bits[word])) << p;
        }
        return total;
    }

  private:
    int used = 0;
    uint32_t added = 0;
    Row512 planes[kPlanes];
};
