// The coin tape where d = COINS, of which each clause knows its cycle and its place in it; 0: no coins.
#if COINS && N_LITERALS * COINS < 4294967296
typedef u32 Place;
#else
typedef u64 Place;
#endif

// The first automaton that tosses at a place of the cycle.
FN u32 tosser(u64 place) { return (u32)((Place)place * N_LITERALS / (COINS ? COINS : 1)); }

// Who tosses in q <= d updates: automata of one cycle, and perhaps the first of the next.
struct Tape {
    u64 key, next_key;
    u32 from, to, next_to;

    FN u32 n_tossed() const { return to - from + next_to; }
};

// `cycle_key` is that of the cycle.
FN Tape tape_of(u64 clause_key, u64 cycle_key, u64 cycle, u64 place, u32 q) {
    if (place >= COINS) place -= COINS, cycle_key = adtm_absorb(clause_key, ++cycle);
    const u64 end = place + q;
    Tape tape;
    tape.key = cycle_key;
    tape.from = tosser(place);
    tape.to = end >= COINS ? N_LITERALS : tosser(end);
    tape.next_to = end > COINS ? tosser(end - COINS) : 0;
    tape.next_key = end > COINS ? adtm_absorb(clause_key, cycle + 1) : 0;
    return tape;
}

// Of word w: who tosses, and whose coin says no.
FN void toss(const Tape& tape, u32 w, u32& tossed, u32& no) {
    tossed = span(tape.from, tape.to, w);
    no = tossed ? tossed & ~adtm_word(tape.key, w) : 0u;
    if (tape.next_to) {
        const u32 next = span(0, tape.next_to, w);
        tossed |= next;
        no |= next ? next & ~adtm_word(tape.next_key, w) : 0u;
    }
}
