/** Events that are read, hashed and stored at once: about 15 ms. Fewer would store the rows of objects that change often again and again. */
export const batchEvents = 1_000;
/** How often the notary looks for new events, in milliseconds. */
export const pollMs = 500;
/** With more accounts, the thread does not end while there is nothing to do: the state of their trees would have to pass between threads. */
export const quietAccountsMax = 1_000;
