    return ${name}_answer(votes);
