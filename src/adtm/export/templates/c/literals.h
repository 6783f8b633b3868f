static const $count_type ${name}_counts[] = {$counts}; /* literals of each rule */
static const $literal_type ${name}_literals[] = {$literals};

/* Where the literals of a rule are, and their number. */
typedef struct {
    const $count_type *count;
    const $literal_type *literal;
} ${name}_place;
