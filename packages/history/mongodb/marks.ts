import type { ErasureMark } from '../entries.ts';
import { createKeyedRows } from './keyed-rows.ts';
import { markOf } from './rows.ts';
import type { Snapshot } from './snapshot.ts';

/** Returns the marks of the last erasures of some streams, by stream. */
export type MarksOf = (streams: readonly string[]) => Promise<ReadonlyMap<string, ErasureMark | undefined>>;

/** Creates a function that reads marks, each once. */
export const createMarks = ({ findByIds }: Snapshot): MarksOf => {
  const marks = createKeyedRows(async (streams: readonly string[]) => {
    const rows = await findByIds('mark', streams);
    return new Map(rows.map((row) => [row._id, markOf(row)]));
  });
  return async (streams) =>
    new Map(await Promise.all([...new Set(streams)].map(async (stream) => [stream, await marks.get(stream)] as const)));
};
