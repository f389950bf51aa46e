import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { sqliteRebuild } from '../sqlite/read-models.ts';
import { applyAll } from './recorder.ts';

/** Returns a function that names temporary files, which are removed after the tests of the calling file. */
export const temporaryFiles = (): (() => string) => {
  const folder = mkdtempSync(join(tmpdir(), 'read-models-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  return () => join(folder, `${randomUUID()}.db`);
};

/** Fills a file by a rebuild that commits several times. */
export const rebuilt = async (file: string, events: readonly RecordedEvent[], batch: number): Promise<void> => {
  const rebuild = sqliteRebuild({ file, heldEventsMax: 100 });
  await applyAll(rebuild.apply, events, [batch]);
  rebuild.finish();
};
