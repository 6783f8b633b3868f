// As much of Arduino as a generated sketch needs: its serial line is standard input and output, on an AVR its USART.
#pragma once
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __AVR__
#include <avr/io.h>

struct Text {
    char text[24];
    double toDouble() const { return atof(text); }
    long toInt() const { return atol(text); }
};

struct SerialLine {
    void begin(long) { UCSR0B = _BV(RXEN0) | _BV(TXEN0); }
    bool available() { return UCSR0A & _BV(RXC0); }
    char read() {
        while (!available()) {
        }
        return (char)UDR0;
    }
    Text readStringUntil(char end) {
        Text text;
        uint8_t n = 0;
        for (char next = read(); next != end; next = read()) text.text[n++] = next;
        text.text[n] = 0;
        return text;
    }
    void write(char letter) {
        while (!(UCSR0A & _BV(UDRE0))) {
        }
        UDR0 = (uint8_t)letter;
    }
    void println(const char *text) {
        while (*text) write(*text++);
        write('\n');
    }
    void println(double x) { char text[24]; println(dtostrf(x, 0, 4, text)); }
    void println(uint32_t x) { char text[12]; println(ultoa(x, text, 10)); }
    void println(uint8_t x) { println((uint32_t)x); }
};
#else
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
#endif
static SerialLine Serial;
void setup();
void loop();
int main() {
    setup();
#ifdef __AVR__
    for (;;) loop();
#else
    while (Serial.available()) loop();
#endif
}
