/** How many requests each route gets. */
export const requests = Number(process.env['WAYMARK_FUZZ_REQUESTS'] ?? 5_000);
/** What they may take, on a slow machine. */
export const batchMs = 120_000 + requests * 20;
/** What they are made from. */
export const seed = Number(process.env['WAYMARK_FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** A failure says with which seed it comes again. */
export const seeded = (work: () => Promise<void>) => async (): Promise<void> => {
  try {
    await work();
  } catch (error) {
    throw new Error(`WAYMARK_FUZZ_SEED=${seed}: ${(error as Error).message}`, { cause: error });
  }
};
