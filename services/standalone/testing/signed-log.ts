import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckpointPlace } from '@waymark/checkpoints/place.ts';
import { fillLog } from '@waymark/checkpoints/testing/some-log.ts';
import { signerOf, someNotary } from '@waymark/checkpoints/testing/some-notary.ts';
import { openPlace } from '@waymark/checkpoints/urls.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { openSqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { openLogReader } from '@waymark/event-log/sqlite/reader.ts';
import { checkLog } from '../operator/check-log.ts';
import { rowsIn, writeRows } from './log-rows.ts';

type OpenPlace = (() => Promise<CheckpointPlace>) | null;

/** Makes a log with four checkpoints, which are published in a directory, once for all tests of a file. Tests change copies of it. */
export const useSignedLog = () => {
  const root = mkdtempSync(join(tmpdir(), 'waymark-tampering-'));
  const [published, intact, old] = [join(root, 'published'), join(root, 'log.db'), join(root, 'old.db')];
  let [rows, key, copies]: [readonly RecordedEvent[], string, number] = [[], '', 0];

  beforeAll(async () => {
    mkdirSync(published);
    const log = await openSqliteEventLog({ file: intact });
    key = signerOf((await log.state()).installation).verifierKey;
    const sign = someNotary(log, await openPlace(published));
    let parts = 0;
    await fillLog(log, async () => {
      await sign();
      parts += 1;
      if (parts === 2) for (const end of ['', '-wal']) cpSync(`${intact}${end}`, `${old}${end}`);
    });
    await sign();
    await log.close();
    rows = rowsIn(intact);
  });
  afterAll(() => rmSync(root, { recursive: true }));

  const copyOf = (file: string): string => {
    copies += 1;
    const copy = join(root, `copy-${copies}.db`);
    cpSync(file, copy);
    return copy;
  };
  return {
    /** The file. */
    intact,
    /** The file as it was after two checkpoints. */
    old,
    rows: () => rows,
    key: () => key,
    copyOf,
    openPublished: () => openPlace(published),
    openUnavailable: () => openPlace(join(root, 'gone')),
    /** Returns a copy with other rows. */
    tampered: (change: (rows: readonly RecordedEvent[]) => readonly RecordedEvent[]): string => {
      const file = copyOf(intact);
      writeRows(file, change(rows));
      return file;
    },
    /** Returns what `verify` finds in a log. */
    found: async (file: string, keys: readonly string[] = [key], openTo: OpenPlace = () => openPlace(published)) => {
      const { reader, close } = openLogReader(file);
      const state = reader.state();
      close();
      return checkLog(file, state, { openPlace: openTo, keys: async () => keys, firstWithinMs: 0 });
    },
    /** Returns the index of the row of an event. */
    at: (stream: string, revision: number): number => rows.findIndex((row) => row.stream === stream && row.revision === revision),
  };
};
