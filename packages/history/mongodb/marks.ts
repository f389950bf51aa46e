import type { ErasureMark } from '../entries.ts';
import { markOf } from './rows.ts';
import type { Snapshot } from './snapshot.ts';

/** Returns the marks of the last erasures of some streams, by stream. */
export type MarksOf = (streams: readonly string[]) => Promise<ReadonlyMap<string, ErasureMark | undefined>>;

/** Creates a function that reads marks, each once. */
export const createMarks = ({ find }: Snapshot): MarksOf => {
  const marks = new Map<string, ErasureMark | undefined>();
  return async (streams) => {
    const asked = [...new Set(streams)].filter((stream) => !marks.has(stream));
    if (asked.length === 0) return marks;
    const rows = await find('mark', { _id: { $in: asked } }, { batchSize: asked.length + 1 });
    for (const stream of asked) marks.set(stream, undefined);
    for (const row of rows) marks.set(row._id, markOf(row));
    return marks;
  };
};
