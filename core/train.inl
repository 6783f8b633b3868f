// Learning of one bank, written once over a block of 64 lanes and compiled for every CPU target.
// It computes exactly what adtm/backends/reference.py defines, in another order. The tricks, and where they are:
//   window()    the next 64 steps are evaluated together: a clause is the AND of its included literals' 64-bit columns
//   step()      a step whose vote has reached the target is never entered; draws are pure functions, so nothing is lost
//   defer()     Type Ib feedback is only counted, 64 clauses at a time, while it cannot change any action
//   look()      when it may change an action, only the included automata are brought up to date: a short list per clause
//   settle()    all of it is applied in one sweep before the clause next fires; a coin that said no is a borrow of one, a
//               turn on the rota that falls into the fraction of a turn left over is a carry of one
//   refresh()   only a clause whose actions changed is evaluated again, for the rest of the window

template <class States>
class Learner {
    using Element = typename States::Element;
    static constexpr Element kBoundary = static_cast<Element>(Element{1} << (8 * sizeof(Element) - 1));
    static constexpr uint64_t kEven = 0x5555555555555555u;  // clauses of positive polarity

  public:
    explicit Learner(TrainJob* job_)
        : job(*job_), set(*job.settings), n(set.n_literals), blocks(job.n_padded / 64),
          clause_blocks((set.n_clauses + 63) / 64), low(static_cast<Element>(kBoundary - set.n_states)),
          high(static_cast<Element>(kBoundary - 1 + set.n_states)), step_size(static_cast<Element>(set.step)),
          select_key(absorb(absorb(set.seed, kSelect), job.bank)), coin_key(absorb(absorb(set.seed, kCoin), job.bank)),
          weak_key(absorb(absorb(set.seed, kWeak), job.bank)),
          eager(set.weak == Weak::bernoulli), rota(set.weak == Weak::rota) {
        first_clause = job.first_block * 64;
        last_clause = job.last_block * 64 < set.n_clauses ? job.last_block * 64 : set.n_clauses;
    }

    void prepare() {
        for (uint32_t j = first_clause; j < last_clause; ++j) {
            job.list_size[j] = job.list_capacity == 0 ? kNoList : 0;
            sweep(j, [](uint32_t, States v) { return v; });
        }
    }

    void train() {
        if (rota && set.determinism != 0) fill_at_toss();
        for (uint64_t first = 0; first < job.n_steps; first += kWindow) {
            const uint64_t left = job.n_steps - first;
            window(first, left < kWindow ? static_cast<uint32_t>(left) : kWindow);
        }
        for (uint32_t j = first_clause; j < last_clause; ++j) settle(j);
    }

  private:
    // A piece of the coin tape: automata from .. to - 1 toss, with the coins of one cycle.
    struct Stretch {
        uint64_t key;
        uint32_t from, to;
        uint32_t ahead;  // of the phases on the rota when the cycle starts
    };

    TrainJob& job;
    const Settings& set;
    const uint32_t n, blocks, clause_blocks;
    const Element low, high, step_size;
    const uint64_t select_key, coin_key, weak_key;
    const bool eager;  // Type Ib is applied at once: with a draw for every automaton there is nothing to gain by waiting
    const bool rota;  // weak moves in turn: an automaton has its turn when adding the rate makes its word wrap around
    uint32_t first_clause, last_clause;
    Stretch tape[kMaxPending + 2];  // see read_tape
    uint32_t turn = 0;  // which of the team's two vote buffers is next
    uint64_t in_window = 0;  // steps that exist: the last window may be short
    int32_t votes[kWindow];  // of this job's clauses
    int32_t totals[kWindow];  // of the whole bank

    Element* row(uint32_t j) const { return static_cast<Element*>(job.states) + static_cast<size_t>(j) * job.n_padded; }
    uint64_t* include_row(uint32_t j) const { return job.includes + static_cast<size_t>(j) * job.row_words; }
    uint64_t valid(uint32_t block) const { return block + 1 < blocks ? ~uint64_t{0} : bit_range(0, n - 64 * (blocks - 1)); }
    uint64_t clauses_in(uint32_t block) const {
        return block + 1 < clause_blocks ? ~uint64_t{0} : bit_range(0, set.n_clauses - 64 * (clause_blocks - 1));
    }
    uint16_t* list(uint32_t j) const { return job.lists + static_cast<size_t>(j) * job.list_capacity; }
    Element* depths(uint32_t j) const { return static_cast<Element*>(job.depths) + static_cast<size_t>(j) * job.list_capacity; }
    uint32_t unseen(uint32_t j) const { return static_cast<uint32_t>(job.limit[j] - job.left[j]); }

    // ---- evaluation ------------------------------------------------------------------------------------------------

    void window(uint64_t first, uint32_t size) {
        fill_columns(first, size);
        evaluate(size);
        share_votes(0, size);
        const int32_t target = static_cast<int32_t>(set.target);
        for (uint32_t i = 0; i < size; ++i) {
            const int32_t v = totals[i] < -target ? -target : totals[i] > target ? target : totals[i];
            const bool y = job.targets[first + i] != 0;
            const uint64_t gap = static_cast<uint64_t>(y ? target - v : target + v);  // selection probability times 2T
            if (gap == 0) continue;
            step(first + i, i, gap, y);
            share_votes(i + 1, size);
        }
    }

    void fill_columns(uint64_t first, uint32_t size) {
        for (uint32_t block = 0; block < blocks; ++block) {
            uint64_t* column = job.columns + 64 * block;
            for (uint32_t i = 0; i < size; ++i)
                column[i] = job.literals[static_cast<size_t>(job.rows[first + i]) * job.row_words + block];
            for (uint32_t i = size; i < kWindow; ++i) column[i] = 0;
            transpose64(column);
        }
        job.columns[job.n_padded] = ~uint64_t{0};
    }

    void evaluate(uint32_t size) {
        in_window = bit_range(0, size);
        for (uint32_t i = 0; i < kWindow; ++i) votes[i] = 0;
        for (uint32_t block = job.first_block; block < job.last_block; ++block) {
            uint64_t fired[64];
            for (uint32_t lane = 0; lane < 64; ++lane) {
                const uint32_t j = 64 * block + lane;
                fired[lane] = j < last_clause ? conjunction(j, in_window) : 0;
                job.outputs[j] = fired[lane];
            }
            transpose64(fired);
            for (uint32_t i = 0; i < size; ++i) {
                job.fires[i * clause_blocks + block] = fired[i];
                votes[i] += static_cast<int32_t>(2 * count_bits(fired[i] & kEven)) - static_cast<int32_t>(count_bits(fired[i]));
            }
        }
    }

    // AND of the columns of the included literals; an empty clause keeps every step (it gives 1 while learning).
    uint64_t conjunction(uint32_t j, uint64_t steps) const {
        if (job.list_size[j] == kNoList) return dense_conjunction(include_row(j), steps);
        const uint16_t* literal = list(j);
        const uint64_t* column = job.columns;
        for (const uint16_t* end = literal + job.list_size[j]; literal < end; literal += 8) {
            steps &= column[literal[0]] & column[literal[1]] & column[literal[2]] & column[literal[3]];
            steps &= column[literal[4]] & column[literal[5]] & column[literal[6]] & column[literal[7]];
            if (steps == 0) return 0;
        }
        return steps;
    }

    uint64_t dense_conjunction(const uint64_t* include, uint64_t steps) const {
        for (uint32_t block = 0; block < blocks; ++block) {
            const uint64_t* column = job.columns + 64 * block;
            for (uint64_t rest = include[block]; rest != 0; rest &= rest - 1) steps &= column[lowest_bit(rest)];
            if (steps == 0) return 0;
        }
        return steps;
    }

    // The actions of clause j changed at step i of the window: correct its outputs and votes for the steps after i.
    void refresh(uint32_t j, uint32_t i) {
        const uint64_t later = bit_range(i + 1, 64);
        const uint64_t now = conjunction(j, later & in_window);
        uint64_t flipped = (now ^ job.outputs[j]) & later;
        job.outputs[j] = now;
        const int32_t polarity = (j & 1) == 0 ? 1 : -1;
        const uint64_t bit = uint64_t{1} << (j & 63);
        for (; flipped != 0; flipped &= flipped - 1) {
            const uint32_t k = lowest_bit(flipped);
            uint64_t& fired = job.fires[k * clause_blocks + j / 64];
            votes[k] += (fired & bit) != 0 ? -polarity : polarity;
            fired ^= bit;
        }
    }

    // Add up the votes of all members of the team for steps from .. size - 1.
    void share_votes(uint32_t from, uint32_t size) {
        if (job.team == nullptr) {
            for (uint32_t i = from; i < size; ++i) totals[i] = votes[i];
            return;
        }
        int32_t* buffer = job.team->votes + static_cast<size_t>(turn) * job.team->n_members * kWindow;
        turn ^= 1;  // a member is at most one sync ahead, so two buffers are enough
        for (uint32_t i = from; i < size; ++i) buffer[job.member * kWindow + i] = votes[i];
        job.team->sync(job.team);
        for (uint32_t i = from; i < size; ++i) {
            int32_t sum = 0;
            for (uint32_t member = 0; member < job.team->n_members; ++member) sum += buffer[member * kWindow + i];
            totals[i] = sum;
        }
    }

    // ---- one learning step -----------------------------------------------------------------------------------------

    void step(uint64_t at, uint32_t i, uint64_t gap, bool y) {
        const uint64_t two_t = 2 * static_cast<uint64_t>(set.target);
        const bool everyone = gap == two_t;
        const uint32_t threshold = everyone ? 0 : static_cast<uint32_t>((gap << 32) / two_t);
        const bool weyl = set.selection == Selection::weyl;
        const uint64_t key = absorb(select_key, job.first_step + at);
        const uint32_t word = static_cast<uint32_t>(job.first_step + at) * kStep;
        if (!everyone && !weyl) job.ledger.selection_draws += last_clause - first_clause;

        const uint64_t type_i = y ? kEven : ~kEven;
        uint32_t n_work = 0;
        for (uint32_t block = job.first_block; block < job.last_block; ++block) {
            const uint64_t chosen = everyone ? ~uint64_t{0}
                                    : weyl   ? spread64(word, kClause, block, threshold)
                                             : below64(key, block, threshold);
            const uint64_t selected = chosen & clauses_in(block);
            const uint64_t fired = job.fires[i * clause_blocks + block];
            uint64_t todo = selected & fired;
            const uint64_t forget = selected & type_i & ~fired;
            if (forget != 0) todo |= defer(block, forget);
            for (; todo != 0; todo &= todo - 1) job.work[n_work++] = 64 * block + lowest_bit(todo);
        }
        const uint64_t* literals = job.literals + static_cast<size_t>(job.rows[at]) * job.row_words;
        for (uint32_t k = 0; k < n_work; ++k) {
            if (k + kAhead < n_work) prefetch_clause(job.work[k + kAhead], i);
            const uint32_t j = job.work[k];
            const bool fired = (job.outputs[j] >> i & 1) != 0;
            const bool changed = !fired ? look(j) : (type_i >> (j & 1) & 1) != 0 ? type_ia(j, literals) : type_ii(j, literals);
            if (changed) refresh(j, i);
        }
    }

    // A bank outgrows the nearest caches: fetch what the update of a clause will read while others are updated.
    static constexpr uint32_t kAhead = 3;
    void prefetch_clause(uint32_t j, uint32_t i) const {
        if (eager || (job.outputs[j] >> i & 1) != 0) {
            prefetch(row(j), job.n_padded * sizeof(Element));
        } else {
            prefetch(list(j), 64);
            prefetch(depths(j), 64);
        }
    }

    // Count one more Type Ib update for these clauses of a block; returns those that can wait no longer.
    uint64_t defer(uint32_t block, uint64_t clauses) {
        uint8_t* left = job.left + 64 * block;
        const U8x64 now = U8x64::load(left).subs(U8x64::select(clauses, 1));
        now.store(left);
        return zeros(now) & clauses;
    }

    // The lanes that are 0.
    template <class Lanes>
    static uint64_t zeros(Lanes v) {
        const Lanes one = Lanes::splat(1);
        return v.min(one).minus(one).sign_mask();
    }

    // ---- feedback --------------------------------------------------------------------------------------------------

    // The deferred updates of clause j may exclude an included automaton now. Bring the listed ones up to date.
    bool look(uint32_t j) {
        if (eager || job.list_size[j] == kNoList) return settle(j);
        const uint32_t q = unseen(j);
        const uint64_t u = job.updates[j] + job.behind[j];
        const uint32_t stretches = read_tape(j, u, q);
        const Moves moves = moves_in(q);
        const uint32_t reached = ahead(u) + moves.rest;
        uint16_t* entries = list(j);
        Element* depth = depths(j);
        uint32_t size = job.list_size[j];
        const uint32_t before = size;
        const States boundary = States::splat(kBoundary);
        States shallow = States::splat(static_cast<Element>(~Element{0}));
        for (uint32_t base = (size + 63) / 64 * 64; base != 0;) {  // last block first: removal takes entries from the end
            base -= 64;
            const uint32_t here = size - base < 64 ? size - base : 64;
            const uint64_t listed = bit_range(0, here);
            States down = States::splat(moves.whole);
            if (rota) down = down.adds(States::select(turns_of(phases_of(j), entries + base, here, reached, moves.rest), 1));
            for (uint32_t s = 0; s < stretches; ++s) down = down.minus(States::select(said_no(j, tape[s], entries + base, here), 1));
            const States v = States::load(depth + base).subs(down);
            v.store(depth + base);
            const uint64_t gone = ~v.sign_mask() & listed;
            shallow = shallow.min(v.adds(States::select(gone | ~listed, static_cast<Element>(~Element{0}))).minus(boundary));
            for (uint64_t rest = gone; rest != 0;) {
                const uint32_t k = highest_bit(rest);
                rest ^= uint64_t{1} << k;
                const uint32_t literal = entries[base + k];
                include_row(j)[literal / 64] &= ~(uint64_t{1} << (literal % 64));
                --size;
                entries[base + k] = entries[size];
                depth[base + k] = depth[size];
                entries[size] = blank();
            }
        }
        job.list_size[j] = static_cast<uint16_t>(size);
        job.behind[j] = static_cast<uint8_t>(job.behind[j] + q);
        const uint32_t room = kMaxPending - job.behind[j], limit = limit_for(j, shallow.lowest());
        job.limit[j] = job.left[j] = static_cast<uint8_t>(limit < room ? limit : room);
        if (room == 0) settle(j);
        return size != before;
    }

    // Apply all deferred Type Ib updates of clause j to its states.
    bool settle(uint32_t j) {
        if (job.behind[j] + unseen(j) == 0) return false;
        return catch_up(j, 0, [](uint32_t, States v) { return v; });
    }

    // Type Ia and its weak side: clause j fires on literals and is to fire on them again.
    bool type_ia(uint32_t j, const uint64_t* literals) {
        const States floor = States::splat(low), ceiling = States::splat(high);
        const bool bernoulli = set.weak == Weak::bernoulli;
        const uint64_t u = now(j), coins = toss(j, u), key = absorb(absorb(weak_key, j), u);
        const uint64_t* skips = job.skips;
        const uint32_t* phases = phases_of(j);
        const uint32_t reached = ahead(u + 1);
        uint64_t strong = 0, weak = 0;  // moves made
        const bool changed = catch_up(j, 1, [&](uint32_t block, States v) {
            const uint64_t on = literals[block];
            uint64_t up = on & valid(block), down = ~on & valid(block);
            if (coins != 0) up &= ~skips[block], down &= ~skips[block];
            if (rota) down &= turns64(phases + 64 * block, reached, set.weak_rate);
            if (bernoulli) {
                const uint64_t seldom = below64(key, block, set.weak_rate);
                down &= seldom;
                if (!set.boost) up &= ~seldom;
            }
            strong += count_bits(up);
            weak += count_bits(down);
            v = v.adds(States::select(up, step_size)).min(ceiling);
            return v.subs(States::select(down, 1)).max(floor);
        });
        const uint64_t half = n / 2;  // of x and not x exactly one holds
        job.ledger.type_ia_strong_offered += half;
        job.ledger.type_ia_strong_skipped += half - strong;
        job.ledger.type_ia_weak_offered += half;
        job.ledger.type_ia_weak_skipped += half - weak;
        job.ledger.coins += bernoulli ? (set.boost ? half : n) : coins;
        return changed;
    }

    // Type II: clause j fires on literals and should not; its excluded false literals move towards inclusion.
    bool type_ii(uint32_t j, const uint64_t* literals) {
        const States ceiling = States::splat(high);
        const uint64_t* include = include_row(j);
        const uint64_t coins = toss(j, now(j));
        const uint64_t *tosses = job.tosses, *skips = job.skips;
        uint64_t offered = 0, skipped = 0, tossed = 0;
        const bool changed = catch_up(j, 1, [&](uint32_t block, States v) {
            uint64_t up = ~literals[block] & ~include[block] & valid(block);
            offered += count_bits(up);
            if (coins != 0) {
                tossed += count_bits(up & tosses[block]);
                skipped += count_bits(up & skips[block]);
                up &= ~skips[block];
            }
            return v.adds(States::select(up, step_size)).min(ceiling);
        });
        job.ledger.type_ii_offered += offered;
        job.ledger.type_ii_skipped += skipped;
        job.ledger.coins += tossed;
        return changed;
    }

    // The clause's clock with its deferred updates.
    uint64_t now(uint32_t j) const { return job.updates[j] + job.behind[j] + unseen(j); }

    // Sweep clause j with all its deferred Type Ib updates, then `move`, which is `own` further updates of the clause.
    template <class Move>
    bool catch_up(uint32_t j, uint32_t own, Move move) {
        const uint32_t q = job.behind[j] + unseen(j);
        const uint64_t u = job.updates[j];
        job.updates[j] += q + own;
        if (q == 0) return sweep(j, move);
        job.ledger.type_ib_offered += static_cast<uint64_t>(q) * n;
        const States floor = States::splat(low);
        if (set.weak == Weak::bernoulli) {
            const uint64_t key = absorb(absorb(weak_key, j), u);
            uint64_t moved = 0;
            const bool changed = sweep(j, [&](uint32_t block, States v) {
                const uint64_t moves = below64(key, block, set.weak_rate) & valid(block);
                moved += count_bits(moves);
                return move(block, v.subs(States::select(moves, 1)).max(floor));
            });
            job.ledger.coins += n;
            job.ledger.type_ib_skipped += n - moved;
            return changed;
        }
        const uint32_t stretches = read_tape(j, u, q);
        if (stretches != 0) count_skips(j, stretches);
        const uint8_t* skipped = job.skipped;
        const Moves moves = moves_in(q);
        const States down = States::splat(moves.whole);
        if (rota) {
            const uint32_t* phases = phases_of(j);
            const uint32_t reached = ahead(u) + moves.rest;
            uint64_t carried = 0;
            const bool changed = sweep(j, [&](uint32_t block, States v) {
                const uint64_t carry = turns64(phases + 64 * block, reached, moves.rest) & valid(block);
                carried += count_bits(carry);
                States by = down.adds(States::select(carry, 1));
                if (stretches != 0) by = by.minus(States::from_bytes(skipped + 64 * block));
                return move(block, v.subs(by).max(floor));
            });
            job.ledger.type_ib_skipped += static_cast<uint64_t>(q - moves.whole) * n - carried;
            return changed;
        }
        if (stretches == 0) return sweep(j, [&](uint32_t block, States v) { return move(block, v.subs(down).max(floor)); });
        return sweep(j, [&](uint32_t block, States v) {
            return move(block, v.subs(down.minus(States::from_bytes(skipped + 64 * block))).max(floor));
        });
    }

    // Apply `move` to every block of states of clause j, after which nothing is pending; renew its include mask, its list
    // and its limit. True if an action changed.
    template <class Move>
    bool sweep(uint32_t j, Move move) {
        Element* states = row(j);
        uint64_t* include = include_row(j);
        const States boundary = States::splat(kBoundary);
        States shallow = States::splat(static_cast<Element>(~Element{0}));
        bool changed = false;
        const uint32_t n_blocks = blocks;  // a local copy: stores of bytes may alias any member
        for (uint32_t block = 0; block < n_blocks; ++block) {
            const States v = move(block, States::load(states + 64 * block));
            v.store(states + 64 * block);
            const uint64_t mask = v.sign_mask();
            if (mask != include[block]) {
                edit_list(j, block, mask ^ include[block], mask);
                include[block] = mask;
                changed = true;
            }
            shallow = shallow.min(v.minus(boundary));  // depth of an included automaton; excluded ones wrap above all
        }
        if (changed && job.list_size[j] == kNoList) rebuild_list(j);
        if (!eager) fill_depths(j);
        job.behind[j] = 0;
        job.limit[j] = job.left[j] = limit_for(j, shallow.lowest());
        return changed;
    }

    void fill_depths(uint32_t j) {
        if (job.list_size[j] == kNoList) return;
        const Element* states = row(j);
        const uint16_t* entries = list(j);
        Element* depth = depths(j);
        for (uint32_t k = 0, size = job.list_size[j]; k < size; ++k) depth[k] = states[entries[k]];
    }

    // Weak updates until the shallowest included automaton, at this depth above the boundary, is excluded.
    uint8_t limit_for(uint32_t j, uint32_t depth) const {
        if (eager) return 1;
        if (depth >= kBoundary) return kMaxPending;  // nothing is included
        const uint64_t limit = rota ? updates_for(j, depth) : depth + 1;
        return static_cast<uint8_t>(limit < kMaxPending ? limit : kMaxPending);
    }

    // ---- rota ------------------------------------------------------------------------------------------------------

    // Weak moves of any automaton in some updates: so many for all, one more for those whose word wraps around by `rest`.
    struct Moves {
        Element whole;
        uint32_t rest;
    };
    Moves moves_in(uint32_t q) const {
        const uint64_t turns = rota ? static_cast<uint64_t>(q) * set.weak_rate : static_cast<uint64_t>(q) << 32;
        return {static_cast<Element>(turns >> 32), static_cast<uint32_t>(turns)};
    }

    // Where the words of the automata of clause j start.
    const uint32_t* phases_of(uint32_t j) const { return job.phases + static_cast<size_t>(kPhaseStride) * j; }

    // How far the words of a clause are ahead of their phases at its clock u.
    uint32_t ahead(uint64_t u) const { return static_cast<uint32_t>(u) * set.weak_rate; }

    // Updates until one of the included automata at this depth, the shallowest there are, has had depth + 1 turns.
    uint64_t updates_for(uint32_t j, uint32_t depth) const {
        uint32_t furthest = ~0u;  // without a list, as if the next turn were due
        if (job.list_size[j] != kNoList) {
            const uint32_t* phases = phases_of(j);
            const uint32_t reached = ahead(job.updates[j] + job.behind[j]);
            const uint16_t* entries = list(j);
            const States level = States::splat(static_cast<Element>(kBoundary + depth));
            furthest = 0;
            for (uint32_t base = 0, size = job.list_size[j]; base < size; base += 64) {
                const uint64_t listed = bit_range(0, size - base < 64 ? size - base : 64);
                uint64_t rest = zeros(States::load(depths(j) + base).minus(level)) & listed;
                for (; rest != 0; rest &= rest - 1) {
                    const uint32_t x = phases[entries[base + lowest_bit(rest)]] + reached;
                    furthest = x > furthest ? x : furthest;
                }
            }
        }
        return (((uint64_t{depth} + 1) << 32) - furthest + set.weak_rate - 1) / set.weak_rate;
    }

    // Automaton k tosses at update ((k + 1) d - 1) / n of a cycle (the inverse of the tape); its coin matters in its turn.
    void fill_at_toss() {
        for (uint32_t k = 0; k < n; ++k)
            job.at_toss[k] = ahead(((uint64_t{k} + 1) * set.determinism - 1) / n + 1);
    }

    // ---- lists of included literals --------------------------------------------------------------------------------

    // Entries past the end name the column of ones, so that evaluation can read a list in groups of eight.
    uint16_t blank() const { return static_cast<uint16_t>(job.n_padded); }

    // Some actions of a block changed: bring the clause's list up to date.
    void edit_list(uint32_t j, uint32_t block, uint64_t flipped, uint64_t mask) {
        uint32_t size = job.list_size[j];
        if (size == kNoList) return;
        uint16_t* entries = list(j);
        for (; flipped != 0; flipped &= flipped - 1) {
            const uint32_t bit = lowest_bit(flipped);
            const uint16_t literal = static_cast<uint16_t>(64 * block + bit);
            if ((mask >> bit & 1) != 0) {
                if (size == job.list_capacity) {
                    job.list_size[j] = kNoList;
                    return;
                }
                if (size % 8 == 0)
                    for (uint32_t k = 0; k < 8; ++k) entries[size + k] = blank();
                entries[size++] = literal;
            } else {
                uint32_t at = 0;
                while (entries[at] != literal) ++at;
                entries[at] = entries[--size];
                entries[size] = blank();
            }
        }
        job.list_size[j] = static_cast<uint16_t>(size);
    }

    // A clause that had too many literals for its list gets it back when they fit with room to spare.
    void rebuild_list(uint32_t j) {
        const uint64_t* include = include_row(j);
        uint32_t included = 0;
        for (uint32_t block = 0; block < blocks; ++block) included += count_bits(include[block]);
        if (4 * included > 3 * job.list_capacity || job.list_capacity == 0) return;
        job.list_size[j] = 0;
        for (uint32_t block = 0; block < blocks; ++block) edit_list(j, block, include[block], include[block]);
    }

    // ---- coins -----------------------------------------------------------------------------------------------------

    // The coin tape of clause j for updates u .. u + q - 1: fills `tape`, returns the number of stretches. In a cycle of d
    // updates each automaton tosses once; update u tosses for floor(r n / d) .. floor((r + 1) n / d) - 1, r = u mod d.
    uint32_t read_tape(uint32_t j, uint64_t u, uint32_t q) {
        const uint64_t d = set.determinism;
        if (d == 0) return 0;
        const uint64_t key = absorb(coin_key, j);
        uint64_t cycle = d == 1 ? u : u / d, r = u - cycle * d;
        uint32_t stretches = 0;
        for (uint64_t rest = q; rest != 0; ++cycle, r = 0) {
            const uint64_t here = rest < d - r ? rest : d - r;
            const uint32_t from = r == 0 ? 0 : static_cast<uint32_t>(r * n / d);
            const uint32_t to = r + here == d ? n : static_cast<uint32_t>((r + here) * n / d);
            rest -= here;
            if (from != to) tape[stretches++] = {absorb(key, cycle), from, to, ahead(cycle * d)};
        }
        return stretches;
    }

    // Automaton k has bit k mod 32 of word k / 32 of its cycle; 0 says no. Calls say(block, tossed, no) with bit masks for
    // the blocks of one group of 512 automata that toss.
    template <class Say>
    static void read_coins(const Stretch& stretch, uint32_t group, Say say) {
        if (stretch.from >= group + 512 || stretch.to <= group) return;
        uint64_t coin[8];
        words16(stretch.key, group / 32).store(coin);
        const uint32_t first = stretch.from > group ? (stretch.from - group) / 64 : 0;
        const uint32_t last = stretch.to - group < 512 ? (stretch.to - group + 63) / 64 : 8;
        for (uint32_t k = first; k < last; ++k) {
            const uint32_t start = group + 64 * k;
            uint64_t tossed = ~uint64_t{0};
            if (stretch.from > start) tossed &= bit_range(stretch.from - start, 64);
            if (stretch.to < start + 64) tossed &= bit_range(0, stretch.to - start);
            say(k, tossed, tossed & ~coin[k]);
        }
    }

    // Coins of one update: sets `tosses` and `skips` where there are any, returns their number.
    uint64_t toss(uint32_t j, uint64_t u) {
        if (read_tape(j, u, 1) == 0) return 0;
        for (uint32_t group = 0; group < 64 * blocks; group += 512) {
            uint64_t *tosses = job.tosses + group / 64, *skips = job.skips + group / 64;
            for (uint32_t k = 0; k < 8; ++k) tosses[k] = skips[k] = 0;
            read_coins(tape[0], group, [&](uint32_t k, uint64_t tossed, uint64_t no) { tosses[k] = tossed, skips[k] = no; });
        }
        return tape[0].to - tape[0].from;
    }

    // Coins of several updates: counts in `skipped` the moves that each automaton loses. Lanes past the last automaton
    // may count anything: they stay at the lowest state.
    void count_skips(uint32_t j, uint32_t stretches) {
        uint64_t coins = 0, noes = 0;
        for (uint32_t s = 0; s < stretches; ++s) coins += tape[s].to - tape[s].from;
        const uint32_t literals = n;
        for (uint32_t group = 0; group < literals; group += 512) {
            Counter counter;
            for (uint32_t s = 0; s < stretches; ++s) {
                const Stretch& stretch = tape[s];
                if (stretch.from >= group + 512 || stretch.to <= group) continue;
                const Row512 no = (words16(stretch.key, group / 32) ^ U32x16::splat(~0u)).row();
                const bool whole = stretch.from <= group && (stretch.to >= group + 512 || stretch.to == literals);
                const Row512 said = whole ? no : no & lanes(stretch.from, stretch.to, group);
                counter.add_dense(rota ? said & in_turn(j, stretch, group) : said);
            }
            counter.template store<U8x64>(job.skipped + group);
            const Row512 real = group + 512 <= literals ? Row512::zero() : lanes(0, literals, group);
            noes += counter.sum(group + 512 <= literals ? nullptr : &real);
        }
        job.ledger.coins += coins;
        job.ledger.type_ib_skipped += noes;
    }

    // The automata of a group of 512 that have their turn on the rota when they toss.
    Row512 in_turn(uint32_t j, const Stretch& stretch, uint32_t group) const {
        const uint32_t* phases = phases_of(j) + group;
        const U32x16 start = U32x16::splat(stretch.ahead), rate = U32x16::splat(set.weak_rate);
        uint64_t mask[8] = {};
        for (uint32_t k = 0; k < 512; k += 16) {
            const U32x16 x = U32x16::load(phases + k) + U32x16::load(job.at_toss + group + k) + start;
            mask[k / 64] |= static_cast<uint64_t>(x.less(rate)) << (k % 64);
        }
        return Row512::load(mask);
    }

    // The automata from .. to - 1 as bits of the group of 512 that starts at `group`.
    static Row512 lanes(uint32_t from, uint32_t to, uint32_t group) {
        uint64_t mask[8];
        for (uint32_t k = 0; k < 8; ++k) mask[k] = span(from, to, group + 64 * k);
        return Row512::load(mask);
    }

    // Bits of the block that starts at `start` which lie in from .. to - 1.
    static uint64_t span(uint32_t from, uint32_t to, uint32_t start) {
        const auto inside = [start](uint32_t x) { return x < start ? 0 : x - start < 64 ? x - start : 64; };
        return bit_range(inside(from), inside(to));
    }

    // The same for up to 64 listed literals of one stretch: bit k is set when entry k loses a move.
    uint64_t said_no(uint32_t j, const Stretch& stretch, const uint16_t* entries, uint32_t size) {
        uint32_t* coin = reinterpret_cast<uint32_t*>(job.skips);
        for (uint32_t group = stretch.from / 512 * 512; group < stretch.to; group += 512)
            words16(stretch.key, group / 32).store(coin + group / 32);
        const U32x16 minus_from = U32x16::splat(0u - stretch.from), length = U32x16::splat(stretch.to - stretch.from);
        uint64_t no = 0;
        for (uint32_t k = 0; k < size; k += 16) {
            const U32x16 literal = U32x16::from_u16(entries + k);
            const uint32_t said = (literal + minus_from).less(length) & ~static_cast<uint32_t>(literal.bits_of(coin));
            no |= static_cast<uint64_t>(said) << k;
        }
        if (!rota) return no;
        uint64_t lost = 0;  // turns
        for (uint64_t rest = no & bit_range(0, size); rest != 0; rest &= rest - 1) {
            const uint32_t k = lowest_bit(rest);
            lost |= static_cast<uint64_t>(phases_of(j)[entries[k]] + job.at_toss[entries[k]] + stretch.ahead < set.weak_rate) << k;
        }
        return lost;
    }
};

static void prepare8(TrainJob* job) { Learner<U8x64>(job).prepare(); }
static void prepare16(TrainJob* job) { Learner<U16x64>(job).prepare(); }
static void train8(TrainJob* job) { Learner<U8x64>(job).train(); }
static void train16(TrainJob* job) { Learner<U16x64>(job).train(); }
