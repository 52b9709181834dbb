// chiavdf's squarings behind a C interface: its headers are its interface, and define what they declare, so all of it is
// one unit of translation.
#include "include.h"
#include "bit_manipulation.h"
#include "double_utility.h"
#include "parameters.h"
#include "integer.h"
#include "alloc.hpp"
#include "vdf_new.h"
#include "nucomp.h"
#include "picosha2.h"
#include "proof_common.h"
#if defined(__x86_64__)
#include "asm_main.h"
#include "threading.h"
#include "avx512_integer.h"
#include "vdf_fast.h"
#endif
#include "create_discriminant.h"

#if defined(__x86_64__)
// What the writer of the assembler defines for itself.
bool use_divide_table = false;
int gcd_base_bits = 50;
int gcd_128_max_iter = 3;
std::string asmprefix = "cel_";
bool enable_all_instructions = false;
#endif

namespace {
// Limbs of a beyond which a form is reduced again: half of the discriminant's.
constexpr int LIMBS = 8;
constexpr int BITS = 1024;

struct Squarer {
    integer discriminant, root_4;
    form value;
    PulmarkReducer reducer;

    explicit Squarer(std::vector<uint8_t> seed)
        : discriminant(CreateDiscriminant(seed, BITS)), root_4(root(-discriminant, 4)),
          value(form::generator(discriminant)) {}

    void nudupl() {
        nudupl_form(value, value, discriminant, root_4);
        if (std::abs(value.a.impl->_mp_size) > LIMBS) reducer.reduce(value);
    }
};
}

extern "C" {
Squarer *squarer_new(const uint8_t *seed, size_t length) {
    static const bool ready = [] {
        init_gmp();
        set_rounding_mode();
        return true;
    }();
    (void)ready;
    return new Squarer(std::vector<uint8_t>(seed, seed + length));
}

void squarer_nudupl(Squarer *squarer, uint64_t count) {
    for (uint64_t done = 0; done < count; done++) squarer->nudupl();
}

// Returns false when it finds a form corrupt, or where there is no assembler.
bool squarer_phased(Squarer *squarer, uint64_t count) {
#if defined(__x86_64__)
    for (uint64_t done = 0; done < count;) {
        square_state_type state;
        state.pairindex = 0;
        const uint64_t fast = repeated_square_fast_single_thread(
            state, squarer->value, squarer->discriminant, squarer->root_4, 0, count - done, nullptr);
        if (fast == ~uint64_t(0)) return false;
        done += fast;
        // It gives up before a squaring that is not for it.
        if (fast == 0) {
            squarer->nudupl();
            squarer->reducer.reduce(squarer->value);
            done++;
        }
    }
    return true;
#else
    (void)squarer, (void)count;
    return false;
#endif
}

// The reduced form, in chiavdf's encoding.
void squarer_form(Squarer *squarer, uint8_t *encoded) {
    squarer->reducer.reduce(squarer->value);
    const std::vector<unsigned char> bytes = SerializeForm(squarer->value, BITS);
    std::copy(bytes.begin(), bytes.end(), encoded);
}
}
