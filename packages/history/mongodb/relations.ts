import { resourceOfStream } from '@waymark/domain/streams.ts';
import type { ErasureMark, RelationChange } from '../entries.ts';
import type { HistoryReads } from '../history.ts';
import { rowsTogether } from './limits.ts';
import type { MarksOf } from './marks.ts';
import type { Snapshot } from './snapshot.ts';

/** Creates `HistoryReads.relationChanges`. A change counts no longer once the content that it belongs to is erased. Such changes are deleted
 * soon, so few are read in vain. */
export const createRelationChanges =
  ({ find }: Snapshot, marksOf: MarksOf): HistoryReads['relationChanges'] =>
  async (stream, before, limit) => {
    const changes: RelationChange[] = [];
    const together = Math.min(limit, rowsTogether);
    for (let from = before; changes.length < limit; ) {
      const filter = { stream, position: { $lt: from } };
      const options = { sort: { position: -1 }, limit: together, batchSize: together + 1, projection: { _id: 0 } } as const;
      const rows = await find('relation', filter, options);
      const marks = await marksOf([stream, ...rows.map(({ other }) => other)]);
      changes.push(...rows.filter((row) => isLeft(row, marks)));
      if (rows.length < together) break;
      from = rows.at(-1)?.position ?? 0;
    }
    return changes.slice(0, limit);
  };

/** Whether a change was not erased. The members of a list are content of the list, the place of a happening is content of the happening. */
const isLeft = ({ stream, position, other }: RelationChange, marks: ReadonlyMap<string, ErasureMark | undefined>): boolean => {
  const [own, others] = [resourceOfStream(stream)?.resource, resourceOfStream(other)?.resource];
  if (own === 'list' && others === 'pinpoint' && position < (marks.get(stream)?.from ?? 0)) return false;
  return (others !== 'list' && others !== 'happening') || position >= (marks.get(other)?.from ?? 0);
};
