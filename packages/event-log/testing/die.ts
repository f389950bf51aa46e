// Lets its writer's thread die, and prints the outcome of the append that was in progress.

import { AppendUndecided } from '../event-log.ts';
import { openSqliteEventLog } from '../sqlite/event-log.ts';
import { dying } from './recorder-follower.ts';
import { recorder } from './recorders.ts';
import { newStream, someEvent } from './some-events.ts';

const log = await openSqliteEventLog({ file: process.argv[2] ?? '', ...recorder() });
log.append(newStream(), [someEvent(dying)], 'none').catch((error) => {
  console.log(error instanceof AppendUndecided ? 'undecided' : String(error));
});
setInterval(() => {}, 1_000);
