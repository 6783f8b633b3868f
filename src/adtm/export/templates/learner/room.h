    const uint32_t room = ${name}_size(self->include[b][j][0], self->include[b][j][1]) < ${NAME}_MAX_LITERALS;
