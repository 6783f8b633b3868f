enum { ${NAME}_T = $T };

$value
