// Appends, 64 at a time, and prints the stream of every acknowledged append, until the process is killed.

import { openSqliteEventLog } from '../sqlite/event-log.ts';
import { newStream, someEvents } from './some-events.ts';

const log = await openSqliteEventLog({ file: process.argv[2] ?? '' });

const appendForEver = async (): Promise<never> => {
  for (;;) {
    const stream = newStream();
    await log.append(stream, someEvents(2), 'none');
    process.stdout.write(`${stream}\n`);
  }
};

await Promise.all(Array.from({ length: 64 }, appendForEver));
