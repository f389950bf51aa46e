/** Processor time of this thread, in milliseconds, that it takes to do `work` so many times: the least of several runs, so that other load does not count. */
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

/** A text of about so many characters. */
export type Shape = { readonly said: string; readonly text: (characters: number) => string };
export type Parser = { readonly parse: (text: string) => unknown; readonly charactersMax: number };

/** A text, and as many shorter ones that are as long together: they cost the same where cost is linear, and the text sixteen times as much where it is
 * quadratic. One short text would be over within a tick of the clock, which is 4 ms. */
const factor = 16;
/** A text may cost so many times as much as the shorter ones: its buffers are large, and come from the system each time. */
const costMax = 5;
/** Below it, a clock says little. */
const countsMs = 25;
const looks = [3, 5, 9];

/** What a parser costs for a shape, if that grows faster than its length. Looked at again, and longer, before it counts. */
export const costFault = async ({ parse, charactersMax }: Parser, { said, text }: Shape): Promise<string | undefined> => {
  const [short, long] = [text(charactersMax / factor), text(charactersMax)];
  let told = '';
  for (const runs of looks) {
    const longMs = await leastMs(() => parse(long), 1, runs);
    if (longMs < countsMs) return undefined;
    const shortMs = await leastMs(() => parse(short), factor, runs);
    if (longMs < costMax * shortMs) return undefined;
    told = `${said}: ${shortMs} ms for ${factor} times ${short.length} characters, ${longMs} ms for ${long.length}`;
  }
  return told;
};
