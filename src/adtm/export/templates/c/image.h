
/* Sets the features of pixel i, counted row by row, where all were 0: an image can come pixel by pixel. */
static inline void ${name}_add_pixel(const ${name}_pixel *pixel, uint32_t i, uint32_t *features) {
    uint32_t bits[(${NAME}_PLANES + 31) / 32];
    ${name}_pixel_bits(pixel, bits);
    for (uint32_t bit = 0; bit < ${NAME}_PLANES; ++bit) {
        if (bits[bit / 32] >> (bit % 32) & 1) ${name}_set(features, bit * (${NAME}_HEIGHT * ${NAME}_WIDTH) + i, 1);
    }
}

/* The features of an image: its pixels row by row. */
static inline void ${name}_features(const ${name}_pixel *pixels, uint32_t features[${NAME}_WORDS]) {
    for (uint32_t w = 0; w < ${NAME}_WORDS; ++w) features[w] = 0;
    for (uint32_t i = 0; i < ${NAME}_HEIGHT * ${NAME}_WIDTH; ++i) ${name}_add_pixel(&pixels[i], i, features);
}
