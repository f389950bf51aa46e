// Appends until the disk is full, shows that reads still work, and continues as soon as there is room again. Prints one line for each step.

import { setTimeout as pause } from 'node:timers/promises';
import { LogUnavailable } from '../event-log.ts';
import { openSqliteEventLog } from '../sqlite/event-log.ts';
import { newStream, someEvent } from './some-events.ts';

// A write beyond the limit must fail, as on a full disk, instead of ending the process.
process.on('SIGXFSZ', () => {});

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const log = await openSqliteEventLog({ file: process.argv[2] ?? '', onFailure: () => {} });
const content = JSON.stringify({ description: 'x'.repeat(10_000) });

const append = async (): Promise<boolean> => {
  const stream = newStream();
  try {
    await log.append(stream, [someEvent(content), someEvent(content)], 'none');
    say(`appended ${stream}`);
    return true;
  } catch (error) {
    say(`${error instanceof LogUnavailable ? 'refused' : 'undecided'} ${stream}`);
    return false;
  }
};

while (await append());
const { head } = await log.state();
say(`full ${head}`);
while (!(await append())) await pause(100);
await log.close();
say('closed');
