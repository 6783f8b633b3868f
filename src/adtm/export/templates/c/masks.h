static const $word_type ${name}_words[] = {$words};
static const uint32_t ${name}_masks[][2] = {$masks};

/* Where the masks of a rule are: pointers, as indices would take a processor's registers for the tables too. */
typedef struct {
    const $word_type *word;
    const uint32_t (*mask)[2];
} ${name}_place;
