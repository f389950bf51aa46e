import { setTimeout as sleep } from 'node:timers/promises';
import type { Mark, Refusal } from './ledger.ts';
import { unstarted } from './note.ts';
import type { Row } from './row.ts';
import { type Run, runLoad } from './run.ts';

async function* rows(count: number): AsyncGenerator<Row> {
  for (let row = 1; row <= count; row += 1) yield { row, line: row, end: row, body: '{}' };
}

/** Prepares a run of `count` rows that records what is sent, refused and noted. */
const aRun = (count: number, more: Partial<Run> = {}) => {
  const sent: number[] = [];
  const refusals: Refusal[] = [];
  const notes: (Mark & { readonly open: boolean })[] = [];
  const run: Run = {
    rows: rows(count),
    from: unstarted,
    send: async ({ row, line, end }) => {
      sent.push(row);
      await sleep(row % 3);
      return row % 10 === 0 ? { row, line, end, problems: { detail: 'no' } } : { row, line, end };
    },
    note: async (mark, open) => {
      notes.push({ ...mark, open });
    },
    onRefused: (refusal) => refusals.push(refusal),
    onMark: () => undefined,
    signal: new AbortController().signal,
    ...more,
  };
  return { run, sent, refusals, notes };
};

const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

describe('a load', () => {
  it('sends every row once and counts the outcomes', async () => {
    const { run, sent, refusals, notes } = aRun(200);
    expect(await runLoad(run)).toEqual({ mark: { row: 200, end: 200, created: 180, refused: 20 }, complete: true });
    expect(sent.toSorted((one, other) => one - other)).toEqual(upTo(200));
    expect(refusals.map(({ row }) => row)).toEqual(upTo(20).map((tens) => tens * 10));
    expect(notes.at(-1)).toEqual({ row: 200, end: 200, created: 180, refused: 20, open: false });
  });

  it('saves that rows may be in flight before it sends the first one', async () => {
    const { run, notes } = aRun(1);
    await runLoad(run);
    expect(notes[0]).toEqual({ ...unstarted, open: true });
  });

  it('skips the rows of an earlier run', async () => {
    const { run, sent } = aRun(30, { from: { row: 25, end: 25, created: 25, refused: 0 } });
    expect((await runLoad(run)).mark).toEqual({ row: 30, end: 30, created: 29, refused: 1 });
    expect(sent.toSorted()).toEqual([26, 27, 28, 29, 30]);
  });

  it('ends when it is interrupted, after all rows in flight are answered', async () => {
    const interrupted = new AbortController();
    const { run, sent, notes } = aRun(5_000, { signal: interrupted.signal });
    setTimeout(() => interrupted.abort(), 20);
    const { mark, complete } = await runLoad(run);
    expect(complete).toBe(false);
    expect(mark.row).toBe(Math.max(...sent));
    expect(notes.at(-1)).toMatchObject({ row: mark.row, open: false });
  });

  it('ends when a row cannot be sent, and saves that others may have been sent', async () => {
    const { run, notes } = aRun(500, {
      send: async ({ row, line, end }) => {
        if (row === 100) throw new Error('gone');
        return { row, line, end };
      },
    });
    await expect(runLoad(run)).rejects.toThrow('gone');
    expect(notes.at(-1)).toMatchObject({ row: 99, open: true });
  });

  it('ends when its progress cannot be saved', async () => {
    const { run } = aRun(50_000, {
      note: async (mark) => {
        if (mark.row > 0) throw new Error('disk full');
      },
    });
    await expect(runLoad(run)).rejects.toThrow('disk full');
  });
});
