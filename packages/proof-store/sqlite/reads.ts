import type { Database } from 'better-sqlite3';
import { rootsIn } from '../checkpoint-roots.ts';
import { leavesMax, milestonesMax, type ProofReads, type StoredCheckpoint, tileNodes } from '../proof-store.ts';
import { leavesIn, leavesInPages, tileOf } from '../tile-growth.ts';

type CheckpointRow = readonly [
  sequence: number,
  origin: string,
  number: number,
  note: string,
  announces: number,
  incarnation: string,
  through: number,
];
const checkpointColumns = 'sequence, origin, number, note, announces, incarnation, through';
const tilesTogether = leavesMax / tileNodes;

// `= (SELECT ?)` and `LIMIT ? + 0`: with plain parameters, SQLite plans a statement again each time it runs.

/** Creates the reads of a store over one connection. */
export const sqliteReads = (db: Database): ProofReads => {
  const last = db.prepare<[], CheckpointRow>(`SELECT ${checkpointColumns} FROM checkpoint ORDER BY sequence DESC LIMIT 1`).raw();
  const one = db
    .prepare<[string, number], CheckpointRow>(`SELECT ${checkpointColumns} FROM checkpoint WHERE origin = (SELECT ?) AND number = ?`)
    .raw();
  const marked = db
    .prepare<[number], CheckpointRow>(`SELECT ${checkpointColumns} FROM checkpoint WHERE milestone ORDER BY sequence DESC LIMIT ? + 0`)
    .raw();
  const rootPages = db
    .prepare<[number, number], string>(
      `SELECT roots FROM roots WHERE sequence >= (SELECT base FROM checkpoint WHERE sequence = ?) AND sequence <= ? ORDER BY sequence, number`,
    )
    .pluck();
  const hashes = db
    .prepare<[string, number, number], Buffer>('SELECT hashes FROM tile WHERE account = (SELECT ?) AND level = ? AND number = ?')
    .pluck();
  const leaves = db
    .prepare<[string, number, number], string>(
      'SELECT leaves FROM tile WHERE account = (SELECT ?) AND level = 0 AND number >= ? ORDER BY number LIMIT ? + 0',
    )
    .pluck();
  const pages = db
    .prepare<[string, string, number, number], string>(
      'SELECT places FROM page WHERE account = (SELECT ?) AND stream = (SELECT ?) AND number >= ? ORDER BY number LIMIT ? + 0',
    )
    .pluck();
  return {
    latest: async () => all(last.get()).map(toCheckpoint)[0],
    checkpoints: async (origin, numbers) =>
      [...new Set(numbers)].sort((first, other) => first - other).flatMap((number) => all(one.get(origin, number)).map(toCheckpoint)),
    milestones: async () => marked.all(milestonesMax).reverse().map(toCheckpoint),
    roots: async (sequence) => rootsIn(rootPages.all(sequence, sequence)),
    tiles: async (account, keys) => keys.map(({ level, index }) => hashes.get(account, level, index)),
    leaves: async (account, from) => leavesIn(account, from, leaves.all(account, tileOf(from), tilesTogether)),
    leavesOf: async (account, stream, from) =>
      leavesInPages(account, stream, from, pages.all(account, stream, tileOf(from), tilesTogether)),
  };
};

const toCheckpoint = ([sequence, origin, number, note, announces, incarnation, through]: CheckpointRow): StoredCheckpoint => ({
  ...{ sequence, origin, number, note, incarnation, through },
  announces: announces === 1,
});

const all = <Value>(value: Value | undefined): readonly Value[] => (value === undefined ? [] : [value]);
