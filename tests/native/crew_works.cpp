// How threads find work: shares cover every clause block once and follow the speed of the members, a thread that asks in time
// is admitted between two windows, one that asks too late is sent away, and at the start nobody is sent to a bank without
// steps.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "../../core/crew.hpp"

using namespace adtm;

#define CHECK(holds) \
    if (!(holds)) std::printf("line %d: %s\n", __LINE__, #holds), std::exit(1)

namespace {

struct Member {
    std::vector<uint64_t> even, odd;
    std::vector<Seat> seats;
    explicit Member(uint32_t capacity) : even(65), odd(65), seats(2 * capacity) {}
    void lead(BankTeam* team) { team->lend(even.data(), odd.data(), seats.data()); }
};

// As a kernel does: through the pointers of the plain struct, and every window of a team has a meeting.
bool next(Team* team, uint32_t member, Share* share) { return team->next(team, member, share); }
bool nothing(void*) { return false; }
void meet(Team* team, uint32_t member, const Share& share) {
    if (share.n_members > 1) team->meet(team, member, share.n_members, 128 * share.window, nothing, nullptr);
}

void shares_cover_every_block_once() {
    for (uint32_t blocks = 1; blocks < 20; ++blocks) {
        for (uint32_t n_members = 1; n_members <= blocks; ++n_members) {
            BankTeam team;
            team.set_up(1000, blocks, 16, 1);
            team.begin(n_members);
            uint32_t end = 0;
            for (uint32_t member = 0; member < n_members; ++member) {
                const Share share = team.share_of(member, 1);
                CHECK(share.window == 1 && share.n_members == n_members);
                CHECK(share.first_block == end && share.first_block < share.last_block);
                end = share.last_block;
            }
            CHECK(end == blocks);
        }
    }
}

// Balances until nothing moves any more; returns how often something did. `speed` is the time that a block takes a member.
uint32_t balance(Shares* shares, const std::vector<double>& speed) {
    for (uint32_t moved = 0;; ++moved) {
        std::vector<uint32_t> before;
        std::vector<double> busy;
        for (uint32_t member = 0; member < speed.size(); ++member) {
            before.push_back(shares->size(member));
            busy.push_back(speed[member] * shares->size(member));
        }
        shares->balance(busy.data());
        bool same = true;
        for (uint32_t member = 0; member < speed.size(); ++member) same &= before[member] == shares->size(member);
        if (same) return moved;
        CHECK(moved < 20);
    }
}

void members_that_make_others_wait_hand_blocks_over() {
    Shares shares;
    shares.divide(63, 16);
    CHECK(balance(&shares, std::vector<double>(16, 1.0)) == 0);  // equals keep what they have
    std::vector<double> speed(16, 1.0);
    speed[5] = 2.0;
    speed[10] = 4.0;
    CHECK(balance(&shares, speed) > 0);
    CHECK(shares.size(5) == 2 && shares.size(10) == 1);
    uint32_t end = 0;
    for (uint32_t member = 0; member < 16; ++member) {
        CHECK(shares.first(member) == end);
        CHECK(speed[member] != 1.0 || shares.size(member) == 4 || shares.size(member) == 5);
        end += shares.size(member);
    }
    CHECK(end == 63);
    CHECK(balance(&shares, std::vector<double>(16, 1.0)) > 0);  // and take them back when they are as quick again
    for (uint32_t member = 0; member < 16; ++member) CHECK(shares.size(member) == 3 || shares.size(member) == 4);
}

void windows_are_as_many_as_the_steps_need() {
    for (const uint64_t n_steps : {1u, 63u, 64u, 65u, 640u}) {
        BankTeam team;
        Member leader(2);
        team.set_up(n_steps, 5, 2, 1);
        team.begin(1);
        leader.lead(&team);
        Share share = team.share_of(0, 0);
        uint64_t windows = 1;
        while (next(&team, 0, &share)) CHECK(share.window == windows++);
        CHECK(windows == (n_steps + 63) / 64);
    }
}

// The other comes only when this one has done all it had to do meanwhile, and has then said that nothing is left.
void a_member_that_waits_uses_the_time() {
    BankTeam bank_team;
    Team& team = bank_team;
    Member leader(2);
    bank_team.set_up(64, 5, 2, 1);
    bank_team.begin(2);
    leader.lead(&bank_team);
    std::atomic<int> left{5};
    std::thread other([&] {
        while (left.load() >= 0) std::this_thread::yield();
        team.meet(&team, 1, 2, 0, nothing, nullptr);
    });
    const auto work = [](void* left) { return static_cast<std::atomic<int>*>(left)->fetch_sub(1) > 0; };
    team.meet(&team, 0, 2, 0, work, &left);
    other.join();
    CHECK(left == -1);
}

void a_thread_joins_between_two_windows_or_is_too_late() {
    BankTeam team;
    Member leader(2);
    uint32_t member = 0;
    Share share{};
    team.set_up(640, 5, 2, 1);
    CHECK(!team.join(&member, &share));  // nobody has begun
    team.begin(1);
    leader.lead(&team);
    CHECK(team.attraction() > 0);
    std::thread joins([&] {
        CHECK(team.join(&member, &share));
        CHECK(member == 1 && share.window == 2 && share.n_members == 2);
        for (meet(&team, member, share); next(&team, member, &share); meet(&team, member, share))
            CHECK(share.n_members == 2);
        CHECK(share.window == 9);
    });
    while (team.attraction() > 0) std::this_thread::yield();  // until the place is taken: there are two at most
    Share own = team.share_of(0, 0);
    for (uint64_t window = 1; next(&team, 0, &own); ++window) {
        CHECK(own.window == window && own.n_members == (window < 2 ? 1u : 2u));
        CHECK(own.first_block == 0 && own.last_block == (window < 2 ? 5u : 2u));
        meet(&team, 0, own);
    }
    joins.join();
    BankTeam other;
    other.set_up(64, 5, 2, 1);
    other.begin(1);
    leader.lead(&other);
    own = other.share_of(0, 0);
    CHECK(!next(&other, 0, &own));
    CHECK(!other.join(&member, &share));  // the bank is done
    CHECK(other.attraction() == 0);
}

void a_member_that_is_slow_ends_up_with_less() {
    BankTeam team;
    Member leader(2);
    team.set_up(64 * 50, 10, 2, 1);
    team.begin(2);
    leader.lead(&team);
    std::thread slow([&] {
        Share share = team.share_of(1, 0);
        CHECK(share.last_block - share.first_block == 5);
        do {
            std::this_thread::sleep_for(std::chrono::microseconds(200));
            meet(&team, 1, share);
        } while (next(&team, 1, &share));
        CHECK(share.last_block == 10 && share.last_block - share.first_block < 5);
    });
    Share share = team.share_of(0, 0);
    do meet(&team, 0, share);
    while (next(&team, 0, &share));
    slow.join();
    CHECK(share.first_block == 0 && share.last_block > 5);
}

void everybody_begins_at_a_bank_that_has_steps() {
    const uint64_t start[] = {0, 0, 1, 700, 700, 764};
    const double costs[] = {1, 1, 1, 1, 1};
    for (uint32_t n_threads = 1; n_threads < 12; ++n_threads) {
        Crew crew(start, 5, 3, n_threads, costs);
        const uint32_t most = crew.most_workers() < n_threads ? crew.most_workers() : n_threads;
        CHECK(most == (n_threads < 9 ? n_threads : 9));  // three banks with steps, three blocks each
        crew.prepare(most);
        std::vector<int> seen(5 * 3);
        for (uint32_t worker = 0; worker < most; ++worker) {
            Place place{};
            CHECK(crew.first_place(worker, &place));
            CHECK(place.bank == 1 || place.bank == 2 || place.bank == 4);
            CHECK(place.share.window == 0 && place.member < place.share.n_members);
            CHECK(seen[3 * place.bank + place.member]++ == 0);
            if (worker == 0) CHECK(place.bank == 2);  // the most costly first
        }
        Place none{};
        CHECK(!crew.first_place(most, &none));
    }
}

}  // namespace

int main() {
    shares_cover_every_block_once();
    members_that_make_others_wait_hand_blocks_over();
    windows_are_as_many_as_the_steps_need();
    a_member_that_waits_uses_the_time();
    a_thread_joins_between_two_windows_or_is_too_late();
    a_member_that_is_slow_ends_up_with_less();
    everybody_begins_at_a_bank_that_has_steps();
    std::printf("the crew works\n");
    return 0;
}
