$type ask(const uint32_t features[${NAME}_WORDS]);
$type ask(const uint32_t features[${NAME}_WORDS]) { return ${name}_predict(features); }
