import { storedFileOf } from '@waymark/domain/stored-files.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { scan } from '@waymark/event-log/scan.ts';
import type { Media } from '@waymark/media/media.ts';
import type { Pruned } from './api/answers.ts';
import { unfinishedImports } from './import/unfinished.ts';

/** A younger file may belong to an event that is not yet appended. */
const ageMinMs = 24 * 60 * 60 * 1000;

/** Removes the files that no event names and that are older than a day: they belong to requests that never recorded an event. Keeps the names
 * of erased files. */
export const pruneMedia = async (log: EventLog, media: Media): Promise<Pruned> => {
  const oldestMs = Date.now() - ageMinMs;
  const imports = await unfinishedImports(log);
  const named = await namedFiles(log);
  let removed = 0;
  let kept = 0;
  for await (const { name, erased, storedAtMs } of media.list()) {
    if (erased) continue;
    if (imports.length > 0 || named.has(name) || storedAtMs > oldestMs) {
      kept += 1;
    } else {
      await media.remove(name);
      removed += 1;
    }
  }
  return { removed, kept, unfinishedImports: imports };
};

/** Returns every file name in the events of the log, up to its present end. */
const namedFiles = async (log: EventLog): Promise<ReadonlySet<string>> => {
  const { head } = await log.state();
  const names = new Set<string>();
  await scan(log, { after: 0, through: head }, async (batch) => {
    for (const event of batch) {
      const file = storedFileOf(event);
      if (file) names.add(file.name);
    }
  });
  return names;
};
