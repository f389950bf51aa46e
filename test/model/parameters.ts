/** Returns the parameters for `fc.assert`: `runs` runs, unless the environment sets another number. A failure prints its seed and path. Set
 * WAYMARK_PROPERTY_SEED and WAYMARK_PROPERTY_PATH to them to reproduce it. WAYMARK_PROPERTY_RUNS is for longer searches. */
export const parameters = (runs: number) => {
  const { WAYMARK_PROPERTY_SEED: seed, WAYMARK_PROPERTY_PATH: path, WAYMARK_PROPERTY_RUNS: given } = process.env;
  return {
    numRuns: Number(given ?? runs),
    ...(seed === undefined ? {} : { seed: Number(seed) }),
    ...(path === undefined ? {} : { path }),
  };
};

/** Returns a property that does nothing once its time is up. So a slow machine makes fewer runs, and shrinking ends and the failure is
 * reported. Unlike fast-check's own limit, it interrupts no run: an interrupted run would continue during the tests that follow. */
export const within = <Given extends unknown[]>(
  ms: number,
  run: (...given: Given) => Promise<void>,
): ((...given: Given) => Promise<void>) => {
  let untilMs: number | undefined;
  return async (...given) => {
    untilMs ??= performance.now() + (process.env['WAYMARK_PROPERTY_RUNS'] === undefined ? ms : Number.POSITIVE_INFINITY);
    if (performance.now() < untilMs) await run(...given);
  };
};

const dayMs = 86_400_000;

/** The time limit of a test. It only catches tests that hang, even on a slow machine. A longer search takes as long as it needs. */
export const testMs = process.env['WAYMARK_PROPERTY_RUNS'] === undefined ? 600_000 : dayMs;
