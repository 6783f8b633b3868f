$type ask(const ${name}_row *row);
$type ask(const ${name}_row *row) {
    uint32_t features[${NAME}_WORDS];
    ${name}_features(row, features);
    return ${name}_predict(features);
}
