/** Adding a growth or a checkpoint, with all attempts. */
export const writeMs = 20_000;
/** Rows that one step of clearing deletes. */
export const clearedTogether = 1_000;
