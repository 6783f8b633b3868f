/* An image is HEIGHT rows of WIDTH pixels, each of PLANES bits: feature (bit * HEIGHT + row) * WIDTH + column is a bit of
   a pixel. Its patches lie in ROWS and COLUMNS. */
enum {
    ${NAME}_HEIGHT = $height,
    ${NAME}_WIDTH = $width,
    ${NAME}_PLANES = $planes,
    ${NAME}_PATCH_HEIGHT = $patch_height,
    ${NAME}_PATCH_WIDTH = $patch_width,
    ${NAME}_STRIDE_DOWN = $stride_down, /* pixels from a patch to the next below it, and beside it */
    ${NAME}_STRIDE_RIGHT = $stride_right,
    ${NAME}_ROWS = $rows,
    ${NAME}_COLUMNS = $columns,
    ${NAME}_PATCH_FEATURES = $patch_features /* its pixels, row > 0, row > 1, ..., column > 0, column > 1, ... */
};
