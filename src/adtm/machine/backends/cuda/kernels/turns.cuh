// The rota for 32 automata at a time (core/common/rota.h has it for one): the upper halves of their phases are planes, four in a
// vector, from bit 16 on. Those whose upper half is that of a bound stay open.
#define PHASE_VECTORS 4

// Numbers that lie below a bound, looked at from the lowest bit on.
struct Below {
    u32 less = 0, equal = FULL;

    FN void look(u32 plane, u32 bound) {
        less = (~plane & (bound | less)) | (bound & less);
        equal &= ~(plane ^ bound);
    }
};

// A word that is `ahead` of its phase has wrapped around when it grew by `by` if phase + ahead < by: if the phase lies between
// -ahead and by - ahead, on the circle of 32 bits.
struct Turns {
    Below from, to;

    FN void look(const uint4& planes, u32 bit, u32 ahead, u32 by) {
        const u32 plane[4] = {planes.x, planes.y, planes.z, planes.w};
#pragma unroll
        for (u32 p = 0; p < 4; ++p) {
            from.look(plane[p], spread_bit(0u - ahead, bit + p));
            to.look(plane[p], spread_bit(by - ahead, bit + p));
        }
    }
    FN u32 found(u32 ahead, u32 by) const { return from.less ^ to.less ^ (0u - ahead > by - ahead ? FULL : 0u); }
    FN u32 open() const { return from.equal | to.equal; }
};
