import { existsSync } from 'node:fs';
import { loggedCheckpointIn } from '@waymark/checkpoints/logged.ts';
import { notaryDirectory } from '@waymark/checkpoints/notary-directory.ts';
import { checkpointsStream } from '@waymark/domain/streams.ts';
import { readEnd } from '@waymark/event-log/read-stream.ts';
import { openSqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';

/** Returns whether the last checkpoint of a restored log is the last one that the notary has signed, according to its directory. If not, the
 * notary signs nothing until an operator orders it to begin, unless the place of its checkpoints has the same one and it has the same key. */
export const notaryContinues = async (logFile: string, directory: string): Promise<boolean> => {
  const log = await openSqliteEventLog({ file: logFile });
  try {
    const { event } = await readEnd(log, checkpointsStream);
    return (event && loggedCheckpointIn(event))?.note === lastSigned(directory);
  } finally {
    await log.close();
  }
};

const lastSigned = (directory: string): string | undefined => {
  if (!existsSync(directory)) return undefined;
  const record = notaryDirectory(directory).openRecord();
  try {
    return record.last()?.note;
  } finally {
    record.close();
  }
};
