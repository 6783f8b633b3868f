static const $word_type ${name}_words[] = {$words};
static const uint32_t ${name}_masks[][2] = {$masks};
