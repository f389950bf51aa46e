import { resourceOfStream } from '@waymark/domain/streams.ts';
import type { HistoryReads } from '../../history.ts';
import { seenStreams } from '../presence.ts';
import { type Changed, type Compared, changeBetween } from './changed.ts';
import type { Candidate, EntrySearch } from './entry-walk.ts';

/** Creates the search for the objects of an account that differ. */
export const objectSearch = (reads: HistoryReads, compared: Compared): EntrySearch => ({
  compared,
  named: async (entries) => {
    const candidates = entries.flatMap(({ stream, position }) => {
      const id = resourceOfStream(stream)?.id;
      return id === undefined ? [] : [{ stream, place: { position, id } }];
    });
    return { candidates, through: null };
  },
  differing: (candidates) => changedObjects(reads, compared, candidates),
});

/** Returns those objects that differ and whose last entry is the one that named them. */
const changedObjects = async (
  reads: HistoryReads,
  { account, from, to }: Compared,
  candidates: readonly Candidate[],
): Promise<readonly Changed[]> => {
  const after = await reads.lastEntries(distinct(candidates), to);
  const last = candidates.filter(({ stream, place }) => after.get(stream)?.position === place.position);
  const before = await reads.lastEntries(distinct(last), from);
  const ends = distinct(last).flatMap((stream) => after.get(stream) ?? []);
  const [was, is] = await Promise.all([
    seenStreams(reads, { account, at: from }, before.values()),
    seenStreams(reads, { account, at: to }, ends),
  ]);
  return last.flatMap(({ stream, place }) => {
    const change = changeBetween(was.has(stream), is.has(stream));
    return change === undefined ? [] : [{ stream, change, place }];
  });
};

const distinct = (candidates: readonly Candidate[]): readonly string[] => [...new Set(candidates.map(({ stream }) => stream))];
