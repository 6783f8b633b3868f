// Training: a team of blocks for each bank, and the six rules of a step (docs/spec.md) by their names.
//
// A window of 32 steps is evaluated at once, a lane for each step. The first step with a gap selects clauses, gives them
// feedback, and changes the votes of the steps after it; then the next step with a gap has its turn. Type Ib that cannot
// exclude a literal is only counted (`pending`), and given together with the clause's next update.
//
// Compiled for: N_LITERALS, N_STATES, PLANES of a state (8, 16), WEAK (0 every, 1 rota, 2 bernoulli), COINS (d, 0 if infinite),
// MISSES (0: AND; else planes that count failed literals), LEARNED weights, WIDE (masks, columns and weights in global memory),
// SPLIT (a warp for each chunk of a clause's words, else one for the clause), HELD (2: states and phases in shared memory, 1:
// phases, 0: neither), TEAM (blocks of a bank), THREADS, BLOCKS (that a processor runs at a time, at least), PATCHES of an
// image (0: none; else patches.cuh has more, and STRINGS are the words of an image), FEW (clauses of a block: with patches each
// belongs to a warp, without they need no lists). With patches only the next step is evaluated ahead.
#define WARPS (THREADS / 32)
#define MOST_PENDING (1u << 20)
#define PHASE_WORDS(clauses) (WEAK == 1 ? ADTM_PHASE_STRIDE / 32 * (clauses) + CHUNK * CHUNKS : 0)
#define TWICE (PATCHES ? 2 : 1)
#define OWNED (PATCHES && FEW)
#define IMAGES (PATCHES ? 3 : 1)  // whose columns there are: of a step, the next, and the one after it
#define STEP_WORDS (3 * 32)  // of the steps of a window
#define OWN_PIXELS 3  // words of columns whose places a thread keeps
enum { IB, IA, II, SETTLE, NOTHING };

// What a block holds in shared memory: arrays over its own clauses, after them what belongs to the window.
struct Shared {
    // With COINS a clause's clock counts cycles, `place` is that in the cycle, and `cycle_key` that of the cycle, if the clause
    // has work.
    u64 *clock, *coin_key, *cycle_key, *select_key;
    u32 *steps, *work, *fires, *pending, *safe, *changed, *stale, *said, *rows, *columns, *include, *states, *place,
        *patch;
    // What a clause says to its best patches, and which these are. With patches, these, `fires` and `votes` are there twice:
    // for a step and for the next.
    u32 *best, *patches;
    u32* failed;  // what each warp has found in its part of a clause, for as many clauses as there are warps
    int *size, *grown, *votes, *weights;
    uint16_t *lists, *phases;  // of the phases the upper halves, in words as the planes are
    uint4* phase_planes;
    Clause* clauses;
    u32* n_work;
    Mail* mail;
};

template <class Element>
FN Element* take(unsigned char*& at, u32 n) {
    Element* const found = (Element*)at;
    at += n * sizeof(Element);
    return found;
}

// `shared_bytes` of machine.py counts the same. What is read as vectors comes first.
FN Shared carve(unsigned char* at, u32 clauses, u32 outputs) {
    Shared s;
    s.clauses = take<Clause>(at, clauses);
    s.rows = take<u32>(at, WIDE ? 0 : 2 * 32 * ROW);
    s.include = take<u32>(at, WIDE ? 0 : clauses * MASK);
    s.lists = take<uint16_t>(at, LISTS ? clauses * LIST : 0);
    s.states = take<u32>(at, HELD == 2 ? clauses * WORDS * PLANES : 0);
    s.phase_planes = take<uint4>(at, HELD ? PHASE_WORDS(clauses) * PHASE_VECTORS : 0);
    s.columns = take<u32>(at, COLUMNAR ? (IMAGES * COLUMNS + 3) / 4 * 4 : 0);
    s.votes = take<int>(at, TWICE * 32);
    s.mail = take<Mail>(at, 1);
    s.select_key = take<u64>(at, 32);
    s.steps = take<u32>(at, 2 * STEP_WORDS);  // samples, outputs and targets of a window and of the next
    s.clock = take<u64>(at, clauses);
    s.coin_key = take<u64>(at, COINS ? clauses : 0);
    s.cycle_key = take<u64>(at, COINS ? clauses : 0);
    s.n_work = take<u32>(at, 3);  // of a step and of the next; the third: clauses without lists
    s.work = take<u32>(at, clauses);
    s.place = take<u32>(at, COINS ? clauses : 0);
    s.fires = take<u32>(at, TWICE * clauses);
    s.pending = take<u32>(at, clauses);
    s.safe = take<u32>(at, clauses);
    s.changed = take<u32>(at, clauses);
    s.stale = take<u32>(at, clauses);  // whose lists are those of a former window
    s.size = take<int>(at, clauses);
    s.grown = take<int>(at, clauses);
    s.said = take<u32>(at, MISSES && !PATCHES ? SAID * clauses : 0);
    s.patch = take<u32>(at, PATCHES ? clauses : 0);
    s.best = take<u32>(at, PATCHES ? TWICE * clauses : 0);
    s.patches = take<u32>(at, TWICE * clauses * KEPT);
    s.weights = take<int>(at, WIDE ? 0 : clauses * outputs);
    s.phases = take<uint16_t>(at, HELD ? 32 * PHASE_WORDS(clauses) : 0);
    s.failed = take<u32>(at, LOOK_TOGETHER ? WARPS * WARPS * (SAID + 1) : 0);
    return s;
}

struct Block {
    const Bank bank;
    Shared s;
    const u32 rank, base, n_clauses, stride, tid, lane, warp;  // base: the block's first clause; stride: of weights
    u32 in_window, output;  // steps of the window; the output of this lane's step
    const u32* rows;  // the literals of the window
    u32 round;  // exchanges so far
    u32 counts[N_COUNTS];  // since the last `report`
    u64 ib, ib_skipped;  // which may be many at once
    // What a sweep of a clause, or of a part of it, has found.
    struct Swept {
        u32 c, part, clock;  // the clause, and its clock afterwards
        u32 changed, lost;  // whether literals came or went, whether one went
        int grown;  // how many more there are
        u32 depth[SWEPT], which[SWEPT];  // of each lane's words the included automata nearest to exclusion
    } last;  // of this warp; c is FULL where nothing is left to be found out
#if PATCHES && !OWNED
    Pixels pixels[OWN_PIXELS];
#endif

    FN static u32 valid(u32 w) { return span(0, N_LITERALS, w); }
    FN int* weight(u32 of, u32 c) const { return s.weights + (size_t)of * stride + c; }
    FN u32* include(u32 c) const { return s.include + (size_t)c * MASK; }
    FN u32* states(u32 c, u32 w) const {
        return (HELD == 2 ? s.states : bank.states + (size_t)base * WORDS * PLANES) + ((size_t)c * WORDS + w) * PLANES;
    }
#if WEAK == 1
    FN const u32* phases(u32 c) const { return bank.phases + (size_t)ADTM_PHASE_STRIDE * (base + c); }
    // The upper half of an automaton's phase.
    FN u32 phase_from(u32 c, u32 automaton) const {
        return HELD ? (u32)s.phases[ADTM_PHASE_STRIDE * c + automaton] << 16 : phases(c)[automaton] & 0xFFFF0000u;
    }
    // Planes of the phases of a clause's words; from the first four planes to the next four is a stride.
    FN const uint4* phase_planes(u32 c, u32& vectors_apart) const {
        const u32 first = ADTM_PHASE_STRIDE / 32 * c;
        vectors_apart = HELD ? PHASE_WORDS(n_clauses) : bank.phase_words;
        return HELD ? s.phase_planes + first : bank.phase_planes + ADTM_PHASE_STRIDE / 32 * base + first;
    }
#endif

    // The clock of a clause.
    FN u64 clock(u32 c) const { return COINS ? s.clock[c] * COINS + s.place[c] : s.clock[c]; }
    FN void set_clock(u32 c, u64 u) const {
        s.clock[c] = COINS ? u / (COINS ? COINS : 1) : u;
        if (COINS) s.place[c] = (u32)(u % (COINS ? COINS : 1));
    }
    FN void tick(u32 c, u64 clock, u32 by) const {
        if (!COINS) {
            s.clock[c] = clock + by;
            return;
        }
        const u64 place = (u64)s.place[c] + by;  // by <= d
        s.clock[c] = clock + (place >= COINS);
        s.place[c] = (u32)(place >= COINS ? place - COINS : place);
    }

    // Who tosses in q updates of a clause, `later` updates from now.
    FN Tape tape(u32 c, u32 later, u32 q) const {
        return tape_of(s.coin_key[c], s.cycle_key[c], s.clock[c], (u64)s.place[c] + later, q);
    }
    FN void begin_tape(u32 c) const {
        if (COINS) s.cycle_key[c] = adtm_absorb(s.coin_key[c], s.clock[c]);
    }

    // The most Type Ib updates that may wait: with coins, so many that no automaton tosses twice.
    FN u32 most_pending() const {
        if (WEAK == 2 || (WEAK == 1 && COINS)) return 0;
        return COINS && COINS - 1 < MOST_PENDING ? (u32)(COINS - 1) : MOST_PENDING;
    }

    FN void count(u32 kind, u32 offered, u32 moved) {
        counts[kind] += __popc(offered);
        counts[kind + 1] += __popc(offered & ~moved);
    }

    // The votes of all blocks, known to every thread: a lane has a step. While they travel, the warp renews the list of a clause
    // that it has changed, if clauses are so many that few change twice in a window.
    FN int team_votes(u32 changed = FULL) {
        __syncthreads();
        send(*s.mail, s.votes, round, rank, tid);
#if LISTS && !PATCHES
        if (TEAM > 1 && n_clauses > 4 * WARPS && changed != FULL) renew_list(changed);
#endif
        return receive(*s.mail, s.votes[lane], round++, tid, lane);
    }

#if !PATCHES
    FN Said outputs(u32 c, u32 steps) const {
        const u32 most = most_of((u32)s.size[c], bank.most_votes);
#if WIDE
        return failed_by_columns(include(c), s.columns, steps, lane).votes(most);
#else
#if COLUMNAR
        if (s.size[c] <= LISTED) return failed_by_columns(include(c), s.columns, steps, lane).votes(most);
#endif
        Said found[1];
        said_by_rows<1>({include(c)}, rows, {most}, steps, lane, found);
        return found[0];
#endif
    }

#if LOOK_TOGETHER
    // The same by all warps: each looks at its part of the clause, then one of them has the whole.
    FN void look_at_part(u32 c, u32 steps, u32 place) const {
        const Failed found = failed_by_columns(include(c), s.columns, steps, lane, warp, WARPS);
        u32* const at = s.failed + (place * WARPS + warp) * (SAID + 1);
        if (lane) return;
#pragma unroll
        for (int p = 0; p < SAID; ++p) at[p] = found.misses[p];
        at[SAID] = found.over;
    }
    FN Said of_parts(u32 place, u32 most, u32 steps) const {
        Failed found(steps);
        const u32* const at = s.failed + (place * WARPS + lane) * (SAID + 1);
        if (lane < WARPS) {
#pragma unroll
            for (int p = 0; p < SAID; ++p) found.misses[p] = at[p];
            found.over = at[SAID];
        }
        __syncwarp();
        found.join(1);
        return found.votes(most);
    }
#endif

    FN void keep(u32 c, const Said& now) const {
        s.fires[c] = now.fired();
#if MISSES
#pragma unroll
        for (int p = 0; p < SAID; ++p) s.said[c * SAID + p] = now.planes[p];
#endif
    }

    FN Said kept(u32 c) const {
        Said before;
#if MISSES
#pragma unroll
        for (int p = 0; p < SAID; ++p) before.planes[p] = s.said[c * SAID + p];
#else
        before.planes[0] = s.fires[c];
#endif
        return before;
    }

    // Rules 1 and 2 for all clauses and steps of the window.
    FN void evaluate() {
        int mine = 0;
#if LISTS
        for (u32 first = 32 * warp; first < n_clauses; first += 32 * WARPS) mine += votes_by_lists(first);
        __syncthreads();
#endif
#if WIDE || (COLUMNAR && !LISTS)
        for (u32 c = warp; c < n_clauses; c += WARPS) mine += votes_of(c, outputs(c, in_window));
#else
        const u32 n = LISTS ? s.n_work[2] : n_clauses;
        if (n > 2 * WARPS)
            for (u32 k = warp; k < n; k += 4 * WARPS) mine += votes_by_rows<4>(k, n);
        else if (warp < n) mine += votes_by_rows<2>(warp, n);
#endif
        if (mine) atomicAdd(&s.votes[lane], mine);
    }

    FN int votes_of(u32 c, const Said& now) const {
        if (lane == 0) keep(c, now);
        return *weight(output, c) * now.at(lane);
    }

#if LISTS
    // Of 32 clauses, a lane for each; those without a list are work for later.
    FN int votes_by_lists(u32 first) const {
        const u32 c = min(first + lane, n_clauses - 1), n = min(32u, n_clauses - first), size = (u32)s.size[c];
        const bool listed = lane < n && size <= LISTED;
        Said now = said_by_list(s.lists + c * LIST, s.columns, listed ? size : 0, most_of(size, bank.most_votes),
                                listed ? in_window : 0);
        if (listed) keep(c, now);
        int mine = 0;
        if (__any_sync(FULL, now.fired())) {
            const int own = listed ? *weight(0, c) : 0;
            const u32 plus = __ballot_sync(FULL, own == 1 || !listed), minus = __ballot_sync(FULL, own == -1);
#pragma unroll
            for (int p = 0; p < SAID; ++p) now.planes[p] = transpose32(now.planes[p], lane);  // now a lane has a step
            if (bank.n_outputs == 1 && (plus | minus) == FULL) {
#pragma unroll
                for (int p = 0; p < SAID; ++p)
                    mine += (__popc(now.planes[p] & plus) - __popc(now.planes[p] & minus)) << p;
            } else {
#pragma unroll 4
                for (u32 k = 0; k < n; ++k) mine += *weight(output, first + k) * now.at(k);
            }
        }
        if (lane < n && !listed) s.work[atomicAdd(&s.n_work[2], 1u)] = c;
        return mine;
    }
#endif
#if !WIDE
    // Of some of the n clauses without lists, which share the reading of the rows.
    template <int N>
    FN int votes_by_rows(u32 first, u32 n) const {
        const u32* masks[N];
        u32 most[N], c[N];
        Said now[N];
#pragma unroll
        for (u32 k = 0; k < N; ++k) {
            const u32 at = min(first + k * WARPS, n - 1);
            c[k] = LISTS ? s.work[at] : at;
            masks[k] = include(c[k]), most[k] = most_of((u32)s.size[c[k]], bank.most_votes);
        }
        said_by_rows<N>(masks, rows, most, in_window, lane, now);
        int mine = 0;
#pragma unroll
        for (u32 k = 0; k < N; ++k)
            if (first + k * WARPS < n) mine += votes_of(c[k], now[k]);
        return mine;
    }
#endif
#else  // PATCHES

    FN u32* columns(u32 i) const { return s.columns + i % 3 * COLUMNS; }
    FN int* votes_at(u32 i) const { return s.votes + i % 2 * 32; }
    FN u32 at_step(u32 c, u32 i) const { return i % 2 * n_clauses + c; }

    // Rules 1 and 2 for step i.
    FN void evaluate(u32 i) const {
        const u32 of = __shfl_sync(FULL, output, i);
        int mine = 0;
#pragma unroll 1
        for (u32 c = warp; c < n_clauses; c += WARPS) mine += *weight(of, c) * (int)look(c, i);
        if (lane == 0 && mine) atomicAdd(&votes_at(i)[i], mine);
    }

    // The most that a clause says to one of the 32 patches of word w of step i, and to which of them.
    FN u32 said_to(u32 c, u32 i, u32 w, u32& which) const {
        const u32 size = (u32)s.size[c], most = most_of(size, bank.most_votes), patches = span(0, PATCHES, w);
        const u32* of_word = columns(i) + min(w, PATCH_WORDS - 1);
#if LISTS && !BY_VECTORS
        if (size <= LISTED)
            return most_said(said_by_list(s.lists + c * LIST, of_word, size, most, patches, lane, PATCH_LANES), which);
#endif
        return most_said(said_by_mask(include(c), of_word, most, patches, lane), which);
    }

    // The most that a clause says to any patch of step i.
    FN u32 look(u32 c, u32 i) const {
        const u32 at = at_step(c, i);
#if BY_VECTORS
        if (s.size[c] <= LISTED) {
            const uint4 found = patches_by_list(s.lists + c * LIST, columns(i), (u32)s.size[c], lane);
            const u32 any = any_of(found), w = 4 * lane;
            if (lane == 0) s.best[at] = any, s.fires[at] = any << i;
            if (!any) return 0;
            u32* const to = s.patches + at * KEPT + w;
            if (w < KEPT) to[0] = found.x;
            if (w + 1 < KEPT) to[1] = found.y;
            if (w + 2 < KEPT) to[2] = found.z;
            if (w + 3 < KEPT) to[3] = found.w;
            return any;
        }
#endif
        u32 said = 0, which = 0;
        for (u32 first = 0; first < PATCH_WORDS; first += 32)
            said = max(said, said_to(c, i, first + lane % PATCH_LANES, which));
        const u32 most = __reduce_max_sync(FULL, said);
        if (lane == 0) s.best[at] = most, s.fires[at] = (u32)(most > 0) << i;
        if (KEPT && lane < PATCH_WORDS) s.patches[at * KEPT + lane] = said == most ? which : 0;
        return most;
    }

    // Of the patches of word w of step i, those to which a clause says the most.
    FN u32 best_of(u32 c, u32 i, u32 w) const {
        if (KEPT) return w < PATCH_WORDS ? s.patches[at_step(c, i) * KEPT + w] : 0;
        u32 which;
        return said_to(c, i, w, which) == s.best[at_step(c, i)] ? which : 0;
    }

    // The patch that a clause learns from if it fires at step i: one of the best. The highest bit of s.patch tells whether
    // there are several, of which a word chooses.
    FN void choose(u32 c, u32 i) const {
        if (!s.best[at_step(c, i)]) return;
        u32 which = best_of(c, i, lane), scan = sum_up_to(__popc(which), lane), more = 0;
        for (u32 first = 32; first < PATCH_WORDS; first += 32) more += __popc(best_of(c, i, first + lane));
        if (PATCH_WORDS > 32) more = __reduce_add_sync(FULL, more);
        const u32 total = more + __shfl_sync(FULL, scan, 31), j = base + c;
        const u64 now = clock(c) + s.pending[c];
        const u32 word =
            bank.weyl ? adtm_weyl_patch(j, now) : adtm_word(adtm_absorb(adtm_absorb(bank.patch_key, j), now), 0);
        u32 left = total > 1 ? (u32)((u64)total * word >> 32) : 0;
        for (u32 first = 0;;) {
            const u32 found = __ballot_sync(FULL, scan > left);
            if (found) {
                const u32 w = __ffs(found) - 1;
                u32 bits = __shfl_sync(FULL, which, w), before = __shfl_sync(FULL, scan, w) - __popc(bits);
                for (; before < left; ++before) bits &= bits - 1;
                if (lane == 0) s.patch[c] = (32 * (first + w) + __ffs(bits) - 1) | (u32)(total > 1) << 31;
                return;
            }
            left -= __shfl_sync(FULL, scan, 31), first += 32;
            which = best_of(c, i, first + lane), scan = sum_up_to(__popc(which), lane);
        }
    }

    // Rules 1 to 6 for the steps of a window, of which the first two have their columns. While votes travel, patches are
    // chosen, the next step is evaluated, and the columns of the one after it are made. The clauses that then change are
    // evaluated again.
    FN void slide(u32 n_steps, u32 sample, int target, u32 first, u32& list) {
        evaluate(0);
#pragma unroll 1
        for (u32 i = 0; i < n_steps; ++i) {
            __syncthreads();
            send(*s.mail, votes_at(i), round, rank, tid);
            const int mine = votes_at(i)[i];
            if (i + 2 < n_steps) fill(i + 2, sample, OWNED && n_clauses < WARPS ? n_clauses : 0);
#pragma unroll 1
            for (u32 c = warp; c < n_clauses; c += WARPS) choose(c, i);
            if (i + 1 < n_steps) evaluate(i + 1);
            const u32 of = __shfl_sync(FULL, output, i);
            const int aim = __shfl_sync(FULL, target, i);
#if OWNED
            bound();
            __syncwarp();
            const Chances own = chances(warp < n_clauses, warp, i, of, bank.first_step + first + i);
            __syncwarp();  // before the first lane changes what all have read
#endif
            const adtm_goal goal = goal_of(receive(*s.mail, mine, round++, tid, i), aim);
            if (!goal.gap) continue;
            count_selection(goal);
#if OWNED
            const int change = learn_own(i, goal, of, own);
#else
            u32 changed;
            const int change = learn(i, goal, of, first, list, changed);
            list ^= 1;
#endif
            if (change) atomicAdd(&votes_at(i + 1)[lane], change);
        }
        __syncthreads();
    }

    // The columns of step i, made by all warps from one on.
    FN void fill(u32 i, u32 sample, u32 first_warp = 0) const {
        if (warp < first_warp) return;
        const size_t there = (size_t)__shfl_sync(FULL, sample, i) * bank.row_words;
        const u32* const strings = WIDE ? bank.literals + there : rows + i * ROW;
        u32 done = 0;
#if !OWNED
#pragma unroll
        for (u32 k = 0; k < OWN_PIXELS; ++k)
            if (tid + k * THREADS < PIXELS * PATCH_WORDS) fill_word(columns(i), strings, pixels[k]);
        done = OWN_PIXELS * THREADS;
#endif
        fill_pixels(columns(i), strings, tid - 32 * first_warp + done, THREADS - 32 * first_warp);
    }
#endif

    FN u32 largest_gap() const { return bank.value ? bank.T : 2 * bank.T; }
    FN adtm_goal goal_of(int votes, int target) const {
        return bank.value ? adtm_value_goal(votes, target, bank.T) : adtm_class_goal(votes, target, bank.T);
    }
    FN void count_selection(const adtm_goal& goal) {
        if (tid == 0 && rank == 0 && !bank.weyl && goal.gap < goal.span) counts[COUNT_SELECTION] += bank.n_clauses;
    }

    // What decides about a clause at step i of the window, but for the goal.
    struct Chances {
        u32 gap;  // the smallest at which it is selected: its word lies below 2^32 gap / largest_gap
        u32 waiting, safe;
        bool fires, pro;
    };
    FN Chances chances(bool mine, u32 c, u32 i, u32 of, u64 step) const {
        // All that may be needed, at once: what waits for memory waits together.
        const u32 j = base + c;
        const u32 word = bank.weyl ? adtm_weyl_selection(step) + j * ADTM_WEYL_CLAUSE : adtm_word(s.select_key[i], j);
        const u64 gap = ((u64)word + 1) * largest_gap() + FULL;
        return {mine ? (u32)(gap >> 32) : FULL, mine ? s.pending[c] + 1 : 0, mine ? s.safe[c] : 0,
                mine && s.fires[i % TWICE * n_clauses + c] >> i & 1, mine && *weight(of, c) >= 0};
    }

    // Rule 4: what a clause must do. Type Ib that may wait is counted.
    FN u32 given(u32 c, const Chances& now, const adtm_goal& goal) const {
        const bool selected = now.gap <= goal.gap, type_i = now.pro == (goal.up != 0);
        const u32 kind = !type_i ? II : now.fires ? IA : IB;
        const bool works = selected && (now.fires || (type_i && now.waiting > now.safe));
        if (selected && kind == IB && !works && (!OWNED || lane == 0)) s.pending[c] = now.waiting;
        return works ? kind : NOTHING;
    }
    FN void begin(u32 c) const {
        s.safe[c] = most_pending(), s.changed[c] = 0, s.grown[c] = 0;
        begin_tape(c);
    }

    // Which clauses have work to do at step i of the window: a list.
    FN void select(u32 i, const adtm_goal& goal, u32 of, u64 step, u32 list) {
        if (32 * warp >= n_clauses) return;
#pragma unroll 1
        for (u32 c0 = 32 * warp; c0 < n_clauses; c0 += THREADS) {
            const u32 c = c0 + lane;
            const u32 kind = given(c, chances(c < n_clauses, c, i, of, step), goal);
            const bool push = kind != NOTHING;
            const u32 pushing = __ballot_sync(FULL, push);
            if (pushing) {
                u32 at = 0;
                if (n_clauses <= 32) {  // this warp is the only one
                    if (lane == 0) s.n_work[list] = __popc(pushing);
                } else {
                    if (lane == 0) at = atomicAdd(&s.n_work[list], (u32)__popc(pushing));
                    at = __shfl_sync(FULL, at, 0);
                }
                at += __popc(pushing & ((1u << lane) - 1));
                if (push) s.work[at] = c | kind << 30, begin(c);
            }
        }
    }

#if WEAK == 1
    // Who wraps around on the rota, of the words that are swept, when all are `ahead` after they grew by `by`.
    FN void turns(u32 c, u32 part, u32 ahead, u32 by, u32 (&found)[SWEPT]) const {
        const u32 first = CHUNK * SWEPT * part, mine = min(lane, CHUNK - 1);
        Turns turns[SWEPT];
        u32 apart;
        const uint4* const planes = phase_planes(c, apart) + first + mine;
#pragma unroll
        for (u32 v = 0; v < PHASE_VECTORS; ++v) {
            uint4 four[SWEPT];
#pragma unroll
            for (u32 k = 0; k < SWEPT; ++k) four[k] = planes[v * apart + CHUNK * k];
#pragma unroll
            for (u32 k = 0; k < SWEPT; ++k) turns[k].look(four[k], 16 + 4 * v, ahead, by);
        }
#pragma unroll
        for (u32 k = 0; k < SWEPT; ++k) {
            found[k] = turns[k].found(ahead, by);
            for (u32 left = turns[k].open(); left; left &= left - 1) {  // seldom: the lower halves decide
                const u32 automaton = __ffs(left) - 1, phase = phases(c)[32 * (first + CHUNK * k + mine) + automaton];
                const u32 bit = 1u << automaton;
                found[k] = adtm_rota_turn(phase, ahead, by) ? found[k] | bit : found[k] & ~bit;
            }
        }
    }
#elif WEAK == 2
    // Whose draw says yes to the weak move at update u, of word w.
    FN u32 seldom(u32 c, u64 u, u32 w, u32 rate) const {
        const u64 key = adtm_absorb(adtm_absorb(bank.weak_key, base + c), u);
        u32 mask = 0;
#pragma unroll 8
        for (u32 k = 0; k < 32; ++k) mask |= (u32)(adtm_word(key, 32 * w + k) < rate) << k;
        return mask;
    }
#endif

    // The word of the literals that a clause learns from.
    FN u32 learned_from(u32 c, u32 part, const u32* row, u32 w, bool mine) {
#if PATCHES
        const u32 patch = s.patch[c];
        counts[COUNT_PATCH] += lane == 0 && part == 0 && !bank.weyl && patch >> 31;
        return literals_of(row, patch & 0x7FFFFFFF, CHUNK * part, min(CHUNK, WORDS - CHUNK * part), lane);
#else
        return mine ? row[w] : 0;
#endif
    }

    // Rule 5 for some chunks of a clause's words, a lane for each word: the Type Ib that waited, then the feedback of this step.
    FN void sweep(u32 c, u32 kind, u32 part, const u32* row) {
        const u32 q = s.pending[c] + (kind == IB), first = CHUNK * SWEPT * part + lane;
        const bool firing = kind == IA || kind == II;
        const u64 u = clock(c), now = u + q;
        const Clause clause = s.clauses[c];
        u32 x[SWEPT][PLANES], literals[SWEPT];
#pragma unroll
        for (u32 k = 0; k < SWEPT; ++k) {
            const u32 w = first + CHUNK * k;
            const bool mine = lane < CHUNK && w < WORDS;
            const u32* const at = states(c, w);
#pragma unroll
            for (int p = 0; p < PLANES; p += 4) {
                const uint4 v = mine ? *(const uint4*)(at + p) : make_uint4(0, 0, 0, 0);
                x[k][p] = v.x, x[k][p + 1] = v.y, x[k][p + 2] = v.z, x[k][p + 3] = v.w;
            }
            literals[k] = firing ? learned_from(c, SWEPT * part + k, row, w, mine) : 0u;
        }
        Tape waited = {}, present = {};
        if (COINS && WEAK != 2 && q) waited = tape(c, 0, q);
        if (COINS && (WEAK != 2 || kind == II) && firing) present = tape(c, q, 1);
        if (lane == 0 && part == 0) count_ib(q, clause.rate, waited.n_tossed());
        u32 past[SWEPT] = {}, turn[SWEPT] = {};
#if WEAK == 1
        if (q) turns(c, part, adtm_rota_ahead(now, clause.rate), adtm_rota_turns(q, clause.rate).rest, past);
        if (kind == IA && !MISSES) turns(c, part, adtm_rota_ahead(now + 1, clause.rate), clause.rate, turn);
#endif
        last.c = c, last.part = part, last.clock = (u32)(now + firing), last.changed = last.lost = 0, last.grown = 0;
#pragma unroll
        for (u32 k = 0; k < SWEPT; ++k) {
            const u32 w = first + CHUNK * k;
            const bool mine = lane < CHUNK && w < WORDS;
            const u32 valid = mine ? this->valid(w) : 0u, before = x[k][PLANES - 1] & valid;
            if (q) type_ib(x[k], c, q, w, valid, u, clause, waited, past[k]);
            if (firing) fired(x[k], c, kind == IA, q, w, valid, u, clause, present, literals[k], turn[k]);
            const u32 after = x[k][PLANES - 1] & valid;
            if (mine) {
                u32* const at = states(c, w);
#pragma unroll
                for (int p = 0; p < PLANES; p += 4)
                    store_vector<HELD == 2>(at + p, x[k][p], x[k][p + 1], x[k][p + 2], x[k][p + 3]);
                if (before != after) include(c)[w] = after;
            }
            last.which[k] = after;
            last.depth[k] = most_pending() && after ? shallowest(x[k], last.which[k]) : FULL;
            last.changed |= before ^ after, last.lost |= before & ~after;
            last.grown += (int)(__popc(after) - __popc(before));
        }
        last.changed = __any_sync(FULL, last.changed != 0);
        if (last.changed) last.grown = __reduce_add_sync(FULL, last.grown);
        if (PATCHES && last.changed) last.lost = __any_sync(FULL, last.lost != 0);
    }

    // What the warps that share a clause have found.
    FN void note() const {
        if (lane == 0 && last.changed) s.changed[last.c] = 1, atomicAdd(&s.grown[last.c], last.grown);
    }

    // How often q updates of Type Ib move every automaton; those that they move once more are counted by each lane.
    FN static u32 whole_moves(u32 q, u32 rate) {
        return WEAK == 0 ? q - 1 : WEAK == 1 ? adtm_rota_turns(q, rate).whole : 0;
    }
    FN void count_ib(u32 q, u32 rate, u32 n_tossed) {
        if (!q) return;
        ib += (u64)q * N_LITERALS;
        ib_skipped += (u64)(q - whole_moves(q, rate)) * N_LITERALS;
        counts[COUNT_COINS] += WEAK == 2 ? N_LITERALS : n_tossed;
    }

    // All automata weakly down, q times.
    FN void type_ib(u32 (&x)[PLANES], u32 c, u32 q, u32 w, u32 valid, u64 u, const Clause& clause, const Tape& tape,
                    u32 turn) {
        u32 tossed = 0, no = 0, once = valid;
        if (COINS && WEAK != 2) toss(tape, w, tossed, no);
        if (WEAK == 1) once &= turn;
#if WEAK == 2
        once &= seldom(c, u, w, clause.rate);
#endif
        once &= ~no;
        ib_skipped -= __popc(once);
        const u32 whole = whole_moves(q, clause.rate);
        if (whole) subtract(x, FULL, whole < (1u << PLANES) - 1 ? whole : (1u << PLANES) - 1, once, LOWEST);
        else move_one<false>(x, once, LOWEST);
    }

    // The clause fires. If it should (Type Ia): true literals strongly up, false ones weakly down; where failed literals are
    // tolerated, those that are excluded strongly down. If not (Type II): false literals that are excluded strongly up.
    FN void fired(u32 (&x)[PLANES], u32 c, bool should, u32 q, u32 w, u32 valid, u64 u, const Clause& clause,
                  const Tape& tape, u32 literals, u32 turn) {
        const u32 excluded = ~x[PLANES - 1];
        u32 up = ~literals & valid & excluded, down = 0, tossed = 0, no = 0;
        if (COINS && (WEAK != 2 || !should)) toss(tape, w, tossed, no);
        u32 strong = ~no;
        if (should) {
            up = (u32)s.size[c] < bank.max_literals ? literals & valid : 0u;
            down = ~literals & valid & (MISSES ? excluded : FULL);
            u32 weak = ~no;
#if WEAK == 1
            weak &= turn;
#elif WEAK == 2
            if (!MISSES || !bank.boost) {
                weak = seldom(c, u + q, w, clause.rate);
                if (!bank.boost) strong = ~weak;
            }
            counts[COUNT_COINS] += __popc(((MISSES == 0) ? down : bank.boost ? 0u : down) | (bank.boost ? 0u : up));
#endif
            if (MISSES) weak = strong;
            count(COUNT_IA_STRONG, up, strong);
            count(COUNT_IA_WEAK, down, weak);
            if (!MISSES || clause.step == 1) move_one<false>(x, down & weak, LOWEST);
        } else {
            count(COUNT_II, up, strong);
        }
        if (COINS) counts[COUNT_COINS] += __popc(tossed & (up | down));
        if (clause.step == 1) move_one<true>(x, up & strong, HIGHEST);
        else if (MISSES) move_by(x, up & strong, down & strong, clause.step, LOWEST, HIGHEST);
        else add(x, up & strong, clause.step, HIGHEST);
    }

    // How long the Type Ib of the clause may wait that was swept last: until its first literal may be lost, of the included
    // automata nearest to exclusion. On the rota that is a number of turns at least, with PLANES - 1 bits before the point.
    FN void bound() {
        if (!most_pending() || last.c == FULL) return;
        const u32 c = last.c;
        u32 soonest = last.depth[0];
#pragma unroll
        for (u32 k = 1; k < SWEPT; ++k) soonest = min(soonest, last.depth[k]);
        soonest = __reduce_min_sync(FULL, soonest);
        last.c = FULL;
        if (soonest == FULL) return;
#if WEAK == 1
        const Clause clause = s.clauses[c];
        const u32 ahead = adtm_rota_ahead(last.clock, clause.rate), first = CHUNK * SWEPT * last.part + lane;
        u32 word = 0;  // of the one that is nearest to its turn
#pragma unroll
        for (u32 k = 0; k < SWEPT; ++k) {
            if (last.depth[k] != soonest) continue;
            const u32 of_word = 32 * (first + CHUNK * k);
            u32 left = last.which[k];
#pragma unroll 1
            for (u32 n = 0; n < 3 && left; ++n) {
                const u32 low = __ffs(left) - 1, high = 31 - __clz(left);
                word = max(word, max(phase_from(c, of_word + low) + ahead, phase_from(c, of_word + high) + ahead));
                left &= ~(1u << low | 1u << high);
            }
            if (left) word = FULL;  // of many automata: the bound for any phase
        }
        word = __reduce_max_sync(FULL, word);
        word += min(0xFFFFu, ~word);  // whatever the lower halves are
        soonest = __umulhi(soonest << (32 - PLANES) | ~word >> PLANES, clause.inverse_rate);
#endif
        if (lane == 0) atomicMin(&s.safe[c], soonest);
    }

    FN u32 later_than(u32 i) const { return FULL << i << 1 & in_window; }

    // After all chunks of a clause: its clock, rule 6, and what both mean for the votes of the steps after i.
    FN int finish(u32 c, u32 kind, u32 i, u32 of, bool up, bool changed, int grown, bool lost = true) {
        const u32 later = later_than(i), pending = s.pending[c];
        const u64 clock = s.clock[c];
        const int size = s.size[c] + grown, now = *weight(output, c);
#if PATCHES
        const int before = later ? (int)s.best[at_step(c, i + 1)] : 0;
#else
        const Said before = kept(c);
#endif
        int learned = now;
#if LEARNED
        const int old = *weight(of, c);
        int next = old;
        if (kind != IB) {
            const int most_weight = bank.largest_weight;
            const int least = bank.sided && old >= 0 ? 1 : -most_weight,
                      largest = bank.sided && old < 0 ? -1 : most_weight;
            next = max(least, min(largest, old + (up ? 1 : -1)));
            if (output == of) learned = next;
        }
#endif
        __syncwarp();
        if (lane == 0) {
            tick(c, clock, pending + 1);
            s.pending[c] = 0;
            s.size[c] = size;
            if (changed) s.stale[c] = 1;
#if LEARNED
            *weight(of, c) = next;
#endif
        }
        __syncwarp();
#if PATCHES
#if LISTS
        if (changed) make_list(include(c), (u32)size, s.lists + c * LIST, lane);
        __syncwarp();
#endif
        const bool again = changed && later && (MISSES || before || lost);  // more literals make no AND fire
        const int after = again ? (int)look(c, i + 1) : before;
        return later && lane == i + 1 ? learned * after - now * before : 0;
#else
        if (!later || (!changed && !(LEARNED && __any_sync(FULL, learned != now)))) return 0;
#if LOOK_TOGETHER
        const Said after = changed ? of_parts(warp, most_of((u32)size, bank.most_votes), later) : before;
#else
        const Said after = changed ? outputs(c, later) : before;
#endif
        if (changed && lane == 0) keep(c, after);
        return later >> lane & 1 ? learned * after.at(lane) - now * before.at(lane) : 0;
#endif
    }

#if OWNED
    // Rules 4 to 6 for the clause that this warp owns, at step i of the window.
    FN int learn_own(u32 i, const adtm_goal& goal, u32 of, const Chances& own) {
        const u32 kind = given(warp, own, goal);
        if (kind == NOTHING) return 0;
        if (lane == 0) begin(warp);
        __syncwarp();
        sweep(warp, kind, 0, columns(i));
        return finish(warp, kind, i, of, goal.up != 0, last.changed, last.grown, last.lost);
    }

#else
    // Rules 4 to 6 for step i of the window: how the votes change of the steps after it, one for each lane. `changed` is the last
    // clause that this warp has finished, if it has changed.
    FN int learn(u32 i, const adtm_goal& goal, u32 of, u32 first, u32 list, u32& changed) {
        select(i, goal, of, bank.first_step + first + i, list);
        __syncthreads();
        const u32 n_work = s.n_work[list];
        if (tid == 0) s.n_work[list ^ 1] = 0;
#if PATCHES
        const u32* row = columns(i);
#else
        const u32* row = WIDE ? bank.literals + (size_t)bank.rows[first + i] * bank.row_words : rows + i * ROW;
#endif
        int change = 0;
#if PARTS == 1
        for (u32 k = warp; k < n_work; k += WARPS) {
            const u32 c = s.work[k] & 0x3FFFFFFF, kind = s.work[k] >> 30;
            sweep(c, kind, 0, row);
            bound();
            change += finish(c, kind, i, of, goal.up != 0, last.changed, last.grown, last.lost);
            changed = last.changed ? c : FULL;
        }
#else
        for (u32 k = warp; k < n_work * PARTS; k += WARPS) {
            const u32 c = s.work[k / PARTS] & 0x3FFFFFFF, kind = s.work[k / PARTS] >> 30;
            bound();
            sweep(c, kind, k % PARTS, row);
            note();
        }
        __syncthreads();
#if LOOK_TOGETHER
        for (u32 first = 0; first < n_work; first += WARPS) {
            const u32 k = first + warp;
            if (first) __syncthreads();
            for (u32 z = first; later_than(i) && z < min(first + WARPS, n_work); ++z)
                if (s.changed[s.work[z] & 0x3FFFFFFF]) look_at_part(s.work[z] & 0x3FFFFFFF, later_than(i), z - first);
            __syncthreads();
            if (k >= n_work) continue;
#else
        for (u32 k = WARPS - 1 - warp; k < n_work; k += WARPS) {  // warps that have perhaps swept nothing
#endif
            const u32 c = s.work[k] & 0x3FFFFFFF, kind = s.work[k] >> 30;
            change += finish(c, kind, i, of, goal.up != 0, s.changed[c], s.grown[c]);
            changed = s.changed[c] ? c : FULL;
        }
        bound();  // while others finish
#endif
        return change;
    }

#endif
#if !PATCHES
    // Rules 3 to 6 for the next step of the window that has a gap; whether there was one.
    FN bool step(u32& ahead, int& votes, int target, u32 first, u32 list) {
        const adtm_goal mine = goal_of(votes, target);
        const u32 active = __ballot_sync(FULL, mine.gap > 0) & ahead;
        if (!active) return false;
        const u32 i = __ffs(active) - 1, of = __shfl_sync(FULL, output, i);
        adtm_goal goal;
        goal.gap = __shfl_sync(FULL, mine.gap, i), goal.span = mine.span, goal.up = __shfl_sync(FULL, mine.up, i);
        count_selection(goal);
        u32 changed = FULL;
        const int change = learn(i, goal, of, first, list, changed);
        if (change) atomicAdd(&s.votes[lane], change);
        votes = team_votes(changed);
        ahead = later_than(i);
        return true;
    }
#endif

    // Lets the samples, outputs and targets of the steps of the window that begins with `first` come to shared memory.
    FN u32* steps(u32 first) const { return s.steps + first / 32 % 2 * STEP_WORDS + lane; }
    FN void fetch_steps(u32 first) const {
        const u32 at = min(first + lane, bank.n_steps - 1);
        if (warp || first >= bank.n_steps) return;
        copy_word(steps(first), bank.rows + at);
        copy_word(steps(first) + 32, bank.outputs + at);
        copy_word(steps(first) + 64, bank.targets + at);
    }

    // Lets the rows of a window's samples come to shared memory.
    FN void fetch(u32 sample, u32* to) const {
        for (u32 i = warp; !WIDE && i < 32; i += WARPS) {
            const uint4* row = (const uint4*)(bank.literals + (size_t)__shfl_sync(FULL, sample, i) * bank.row_words);
            for (u32 v = lane; v < ROW_VECTORS; v += 32) copy_vector((uint4*)(to + i * ROW) + v, row + v);
        }
    }

    // Column after column: what the 32 samples say to a feature and to its negation.
    FN void turn_rows(u32 sample) const {
        if (PATCHES || (!COLUMNAR && !WIDE)) return;
        const u32* mine = WIDE ? bank.literals + (size_t)sample * bank.row_words : rows + lane * ROW;
        const u32 features = N_LITERALS / 2, words = (features + 31) / 32, at_once = WIDE ? 4 : 2;
#pragma unroll 1
        for (u32 first = warp; first < words; first += at_once * WARPS) {  // what waits, waits together
            u32 x[at_once];
#pragma unroll
            for (u32 k = 0; k < at_once; ++k) x[k] = mine[min(first + k * WARPS, words - 1)];
#pragma unroll
            for (u32 k = 0; k < at_once; ++k) x[k] = transpose32(x[k], lane);
#pragma unroll
            for (u32 k = 0; k < at_once; ++k) {
                const u32 feature = 32 * (first + k * WARPS) + lane;
                if (feature < features) s.columns[feature] = x[k], s.columns[features + feature] = ~x[k];
            }
        }
    }

#if LISTS && !PATCHES
    FN void renew_list(u32 c) const {
        make_list(include(c), (u32)s.size[c], s.lists + c * LIST, lane);
        if (lane == 0) s.stale[c] = 0;
    }
#endif

    // The lists of clauses that have changed.
    FN void renew_lists() const {
#if LISTS && !PATCHES
        for (u32 first = warp; first < n_clauses; first += 32 * WARPS) {
            const u32 mine = first + lane * WARPS;
            for (u32 left = __ballot_sync(FULL, mine < n_clauses && s.stale[min(mine, n_clauses - 1)]); left;
                 left &= left - 1)
                renew_list(first + (__ffs(left) - 1) * WARPS);
        }
#endif
    }

    FN void load() {
        const u32* there = bank.states + (size_t)base * WORDS * PLANES;
        for (u32 k = tid; HELD == 2 && k < n_clauses * WORDS * PLANES; k += THREADS) s.states[k] = there[k];
        for (u32 k = tid; k < n_clauses * MASK; k += THREADS) {
            const u32 c = k / MASK, w = k % MASK;
            s.include[k] = w < WORDS ? there[(c * WORDS + w) * (size_t)PLANES + PLANES - 1] & valid(w) : 0;
        }
#if WEAK == 1
        const u32 apart = PHASE_WORDS(n_clauses);
        for (u32 k = tid; HELD && k < 32 * apart; k += THREADS) s.phases[k] = (uint16_t)(phases(0)[k] >> 16);
        for (u32 k = tid; HELD && k < PHASE_VECTORS * apart; k += THREADS)
            s.phase_planes[k] =
                bank.phase_planes[(size_t)(k / apart) * bank.phase_words + ADTM_PHASE_STRIDE / 32 * base + k % apart];
#endif
        for (u32 c = tid; c < n_clauses; c += THREADS) {
            set_clock(c, bank.clocks[base + c]);
            if (COINS) s.coin_key[c] = adtm_absorb(bank.coin_key, base + c);
            s.pending[c] = 0, s.safe[c] = 0, s.stale[c] = 1;
            s.clauses[c] = bank.clauses[base + c];
            for (u32 of = 0; !WIDE && of < bank.n_outputs; ++of)
                *weight(of, c) = bank.weights[of * bank.n_clauses + base + c];
        }
        if (tid < 2) s.n_work[tid] = 0;
#if PATCHES
        for (u32 image = 0; image < IMAGES; ++image) fill_places(columns(image), tid, THREADS);
#if !OWNED
#pragma unroll
        for (u32 k = 0; k < OWN_PIXELS; ++k) pixels[k] = pixels_of(tid + k * THREADS);
#endif
#else
        if (COLUMNAR && tid == 0) s.columns[ALWAYS] = FULL;
#endif
        __syncthreads();
        for (u32 c = warp; c < n_clauses; c += WARPS) {
            int size = 0;
            for (u32 w = lane; w < WORDS; w += 32) size += __popc(include(c)[w]);
            size = __reduce_add_sync(FULL, size);
            if (lane == 0) s.size[c] = size;
#if LISTS && PATCHES
            make_list(include(c), (u32)size, s.lists + c * LIST, lane);
#endif
        }
    }

    FN void save() {
        for (u32 c = tid; c < n_clauses; c += THREADS) begin_tape(c);
        __syncthreads();
        for (u32 k = warp; k < n_clauses * PARTS; k += WARPS)
            if (s.pending[k / PARTS]) sweep(k / PARTS, SETTLE, k % PARTS, nullptr);
        __syncthreads();
        u32* there = bank.states + (size_t)base * WORDS * PLANES;
        for (u32 k = tid; HELD == 2 && k < n_clauses * WORDS * PLANES; k += THREADS) there[k] = s.states[k];
        for (u32 c = tid; c < n_clauses; c += THREADS) {
            bank.clocks[base + c] = clock(c) + s.pending[c];
            for (u32 of = 0; !WIDE && LEARNED && of < bank.n_outputs; ++of)
                bank.weights[of * bank.n_clauses + base + c] = *weight(of, c);
        }
        report();
    }

    // The counts of all threads to the ledger of the bank.
    FN void report() {
#pragma unroll
        for (int k = 0; k < N_COUNTS; ++k) {
            const u64 mine = k == COUNT_IB ? ib : k == COUNT_IB + 1 ? ib_skipped : counts[k], sum = sum_of_lanes(mine);
            if (lane == 0 && sum) atomicAdd(&bank.counts[k], sum);
            counts[k] = 0;
        }
        ib = ib_skipped = 0;
    }

    FN void train() {
        u32 list = 0, buffer = 0;
        fetch_steps(0), fetch_steps(32);
        wait_for_copies();
        __syncthreads();
        if (bank.n_steps) fetch(*steps(0), s.rows);
        for (u32 first = 0; first < bank.n_steps; first += 32, buffer ^= 1) {
            const u32 left = bank.n_steps - first;
            rows = s.rows + buffer * 32 * ROW;
            in_window = left < 32 ? (1u << left) - 1 : FULL;
            wait_for_copies();
            __syncthreads();
            const u32 sample = steps(first)[0];
            const int target = (int)steps(first)[64];
            output = steps(first)[32];
            if (left > 32) fetch(*steps(first + 32), s.rows + (buffer ^ 1) * 32 * ROW);
            turn_rows(sample);
            renew_lists();
            if (tid == 0) s.n_work[2] = 0;
            if (tid < TWICE * 32) s.votes[tid] = 0;
            if (warp == 0) s.select_key[lane] = adtm_absorb(bank.select_key, bank.first_step + first + lane);
#if PATCHES
            fill(0, sample), fill(1, sample);
#endif
            __syncthreads();
            if (left > 64) fetch_steps(first + 64);  // where this window's were, which all have read
#if PATCHES
            slide(min(left, 32u), sample, target, first, list);
#else
            evaluate();
            int votes = team_votes();
            u32 ahead = in_window;
            while (step(ahead, votes, target, first, list)) list ^= 1;
#endif
            if (first % 2048 == 2016) report();  // before 32 bits are full
        }
        __syncthreads();
    }
};

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) CLUSTER train(const Bank* banks) {
    SHARED_MEMORY(memory);
    const Bank bank = banks[blockIdx.x / TEAM];
    const u32 tid = threadIdx.x, rank = blockIdx.x % TEAM, share = (bank.n_clauses + TEAM - 1) / TEAM;
    const u32 base = min(rank * share, bank.n_clauses);
    Block block{bank,
                carve(memory, share, bank.n_outputs),
                rank,
                base,
                min(share, bank.n_clauses - base),
                WIDE ? bank.n_clauses : share,
                tid,
                tid & 31,
                tid >> 5,
                0,
                0,
                nullptr,
                0,
                {},
                0,
                0,
                {FULL}};
    if (WIDE) {
        block.s.include = bank.include + (size_t)base * WORDS;
        block.s.columns = bank.columns + (size_t)rank * (PATCHES ? IMAGES * COLUMNS : 32 * WORDS);
        block.s.weights = bank.weights + base;
    }
    open_mail(*block.s.mail, tid);
    block.load();
    block.train();
    block.save();
    meet_team();
}
