// As much of Arduino as a generated sketch needs: its serial line is standard input and output.
#pragma once
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include <iostream>
#include <string>

struct Text {
    std::string text;
    double toDouble() const { return atof(text.c_str()); }
    long toInt() const { return atol(text.c_str()); }
};

struct SerialLine {
    void begin(long) {}
    bool available() { return !(std::cin >> std::ws).eof(); }
    Text readStringUntil(char end) {
        Text text;
        std::getline(std::cin, text.text, end);
        return text;
    }
    template <class T> void println(T x) { std::cout << +x << "\n"; }
};
static SerialLine Serial;
void setup();
void loop();
int main() {
    setup();
    while (Serial.available()) loop();
}
