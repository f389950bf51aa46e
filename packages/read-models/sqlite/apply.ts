import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { Database } from 'better-sqlite3';
import type { Store } from '../projection/buffer.ts';
import { type ContradictoryEvent, factOf, project } from '../projection/projection.ts';
import type { ReadPosition } from '../read-models.ts';
import { sqlitePosition } from './reads.ts';

type Apply = (partition: number, after: number, events: readonly RecordedEvent[], to: ReadPosition) => boolean;

/** Creates `ReadModels.apply`, which must run within a transaction.
 * @throws NewerEvent */
export const sqliteApply = (db: Database, { lookup, write }: Store, contradicted?: ContradictoryEvent): Apply => {
  const positionOf = sqlitePosition(db);
  const move = db.prepare<[number, string, number, string]>(
    'INSERT OR REPLACE INTO position (partition, incarnation, position, event) VALUES (?, ?, ?, ?)',
  );

  const applyOne = (event: RecordedEvent): void => {
    const fact = factOf(event, contradicted);
    if (fact) for (const change of project(fact, lookup)) write(change);
  };

  return (partition, after, events, to) => {
    const reached = positionOf(partition);
    if (after !== (reached?.position ?? 0)) return false;
    // A position in another log does not match.
    if (reached && reached.incarnation !== to.incarnation) return false;
    for (const event of events) applyOne(event);
    move.run(partition, to.incarnation, to.position, to.event);
    return true;
  };
};
