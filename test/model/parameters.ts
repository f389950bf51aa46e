/** What `fc.assert` is given: so many runs, unless the environment says otherwise.
 * A failure prints its seed and path: with WAYMARK_PROPERTY_SEED and WAYMARK_PROPERTY_PATH set to them it comes again.
 * WAYMARK_PROPERTY_RUNS is for longer searches. */
export const parameters = (runs: number) => {
  const { WAYMARK_PROPERTY_SEED: seed, WAYMARK_PROPERTY_PATH: path, WAYMARK_PROPERTY_RUNS: given } = process.env;
  return {
    numRuns: Number(given ?? runs),
    ...(seed === undefined ? {} : { seed: Number(seed) }),
    ...(path === undefined ? {} : { path }),
  };
};

/** A property that does nothing any more once its time is up: a slow machine makes fewer runs, and shrinking comes to an end, so that
 * what was found is told. Unlike fast-check's own limit it cuts no run off, which would go on behind the tests that follow. */
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

/** What a test may take: on a slow machine, too, it only catches what hangs. A longer search takes as long as it takes. */
export const testMs = process.env['WAYMARK_PROPERTY_RUNS'] === undefined ? 600_000 : dayMs;
