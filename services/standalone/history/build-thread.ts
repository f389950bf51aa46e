// The thread that builds a history from the log, to compare it with the one in use. `build.ts` starts it.

import { parentPort, workerData } from 'node:worker_threads';
import { openLogReader } from '@waymark/event-log/sqlite/reader.ts';
import { openSqliteHistory } from '@waymark/history/sqlite/history.ts';
import { applyRange, partition } from '../read-side/apply-log.ts';
import type { BuildData } from './build.ts';

const { log: logFile, file, upTo } = workerData as BuildData;

const { reader, close } = openLogReader(logFile);
const { incarnation } = reader.state();
const history = openSqliteHistory(file);
await history.apply(partition, 0, [], { incarnation, position: 0, event: '' });
await applyRange(history, reader.after, incarnation, { after: 0, through: upTo });
while (await history.clean());
await history.close();
close();
parentPort?.postMessage('built');
