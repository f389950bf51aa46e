import type { Database } from 'better-sqlite3';
import type { ReadPosition } from '../read-models.ts';
import { sqlitePosition } from './reads.ts';

type Apply<Batch> = (partition: number, after: number, batch: Batch, to: ReadPosition) => boolean;

/** Creates a function that writes a batch and moves the position, or does neither. It must run within a transaction. */
export const sqliteApply = <Batch>(db: Database, write: (batch: Batch) => void): Apply<Batch> => {
  const positionOf = sqlitePosition(db);
  const move = db.prepare<[number, string, number, string]>(
    'INSERT OR REPLACE INTO position (partition, incarnation, position, event) VALUES (?, ?, ?, ?)',
  );

  return (partition, after, batch, to) => {
    const reached = positionOf(partition);
    if (after !== (reached?.position ?? 0)) return false;
    // A position in another log does not match.
    if (reached && reached.incarnation !== to.incarnation) return false;
    write(batch);
    move.run(partition, to.incarnation, to.position, to.event);
    return true;
  };
};
