/** The number of requests to each route. test/README.md says how to send more. */
export const requests = Number(process.env['WAYMARK_FUZZ_REQUESTS'] ?? 5_000);
/** The time limit for these requests, on a slow machine. */
export const batchMs = 120_000 + requests * 20;
/** The seed from which requests are made. */
export const seed = Number(process.env['WAYMARK_FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** Names the seed that reproduces a failure in its message. */
export const seeded = (work: () => Promise<void>) => async (): Promise<void> => {
  try {
    await work();
  } catch (error) {
    throw new Error(`WAYMARK_FUZZ_SEED=${seed}: ${(error as Error).message}`, { cause: error });
  }
};
