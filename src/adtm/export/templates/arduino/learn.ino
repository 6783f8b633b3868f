// Learns from rows that come over the serial line: numbers, one for each column, then $target_is, each with a
// space after it.
// It prints its answer to each row before it learns from it.
#include <$name.h>
$rounding
static ${name}_machine machine; // all of its memory

void setup() {
    Serial.begin(115200);
    ${name}_$begin(&machine);
}

void loop() {
    if (!Serial.available()) return;
$reading
    uint32_t features[${NAME}_WORDS];
$coding
$answering
$teaching
}
