// Answers for rows that come over the serial line: numbers, one for each column, each with a space after it.
#include <$name.h>
$rounding
void setup() { Serial.begin(115200); }

void loop() {
    if (!Serial.available()) return;
$reading
    uint32_t features[${NAME}_WORDS];
$coding
$answering
}
