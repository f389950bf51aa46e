/** Events that are read and hashed at once: about 5 ms. */
export const batchEvents = 250;
/** How often the notary looks for new events, in milliseconds. */
export const pollMs = 500;
