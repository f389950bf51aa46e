/** Returns the processor time of this thread, in milliseconds, for `times` calls of `work`. It is the minimum of several runs, so that
 * other load does not count. */
const leastMs = async (work: () => unknown, times: number, runs: number): Promise<number> => {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run += 1) {
    const before = process.threadCpuUsage();
    for (let time = 0; time < times; time += 1) await work();
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
};

/** A pattern, with a function that returns a text of about the given number of characters. */
export type Shape = { readonly description: string; readonly text: (characters: number) => string };
export type Parser = { readonly parse: (text: string) => unknown; readonly charactersMax: number };

/** The number of short texts that are together as long as the long text. Both cost the same if the cost is linear. If it is quadratic, the
 * long text costs sixteen times as much. A single short text would take less than a tick of the clock, which is 4 ms. */
const factor = 16;
/** The long text may cost this many times as much as the short ones. Its buffers are large, and the system allocates them each time. */
const costMax = 5;
/** Below this time, the clock is too coarse. */
const clockMinMs = 25;
const runsPerAttempt = [3, 5, 9];

/** Returns a description of the cost if it grows faster than the length of the text. A suspected fault is measured again, with more runs,
 * before it is reported. */
export const costFault = async ({ parse, charactersMax }: Parser, { description, text }: Shape): Promise<string | undefined> => {
  const [short, long] = [text(charactersMax / factor), text(charactersMax)];
  let fault = '';
  for (const runs of runsPerAttempt) {
    const longMs = await leastMs(() => parse(long), 1, runs);
    if (longMs < clockMinMs) return undefined;
    const shortMs = await leastMs(() => parse(short), factor, runs);
    if (longMs < costMax * shortMs) return undefined;
    fault = `${description}: ${shortMs} ms for ${factor} times ${short.length} characters, ${longMs} ms for ${long.length}`;
  }
  return fault;
};
