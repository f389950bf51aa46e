/** Processor time of this thread, in milliseconds, that `work` takes: the least of several runs, so that other load does not count. */
const leastMs = async (work: () => unknown, runs: number): Promise<number> => {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run += 1) {
    const before = process.threadCpuUsage();
    await work();
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
};

/** A text of about so many characters. */
export type Shape = { readonly said: string; readonly text: (characters: number) => string };
export type Parser = { readonly parse: (text: string) => unknown; readonly charactersMax: number };

/** Four times the length costs four times as much where cost is linear, and sixteen times where it is quadratic. */
const factor = 4;
const linearMax = 9;
/** Below it, a clock says little. */
const countsMs = 25;
const looks = [3, 5, 9];

/** What a parser costs for a shape, if that grows faster than its length. Looked at again, and longer, before it counts. */
export const costFault = async ({ parse, charactersMax }: Parser, { said, text }: Shape): Promise<string | undefined> => {
  const [short, long] = [text(charactersMax / factor), text(charactersMax)];
  let told = '';
  for (const runs of looks) {
    const longMs = await leastMs(() => parse(long), runs);
    if (longMs < countsMs) return undefined;
    const shortMs = await leastMs(() => parse(short), runs);
    if (longMs < linearMax * shortMs) return undefined;
    told = `${said}: ${shortMs} ms for ${short.length} characters, ${longMs} ms for ${long.length}`;
  }
  return told;
};
