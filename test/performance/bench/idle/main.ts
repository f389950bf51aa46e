#!/usr/bin/env node
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ask, call } from '../client.ts';
import { limits } from '../limits.ts';
import { pinpointParts } from '../pinpoint.ts';
import { residentBytes } from '../process.ts';
import { processTicks, ticksPerSecond } from '../processor-ticks.ts';
import { restart, type Server, startServer } from '../server.ts';
import { median } from '../statistics.ts';
import { bare, crud, type Subject, waymark } from '../subjects.ts';

// Measures the resident memory and the processor time of an idle server, and the time of its start: Waymark, the hand-written CRUD and bare
// node:http take turns. Each server starts on a directory that it has used before, waits, answers requests, and waits again. No garbage collection
// is forced.
//
//     node test/performance/bench/idle/main.ts [--rounds 3] [--requests 10000] [--seconds 60]

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    requests: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '60' },
  },
});
const requests = Number(values.requests);
const megabyte = 1_000_000;

type Sample = {
  readonly seconds: number;
  readonly fresh: number;
  readonly used: number;
  /** While it waits after the requests. */
  readonly processorMsPerSecond: number;
};
type Measured = { readonly subject: Subject; readonly server: Server; readonly path: string; readonly samples: Sample[] };

/** Starts a server for the first time, with one pinpoint, and stops it. */
const prepare = async (subject: Subject, directory: string): Promise<Measured> => {
  const server = await startServer(subject, directory);
  const body = pinpointParts.join('1777777777777');
  const { id } = (await call(`${server.base}/v3.0/pinpoints`, { method: 'POST', token: server.token, body })) as { readonly id: number };
  await server.stop();
  return { subject, server, path: `/v3.0/pinpoints/${id}`, samples: [] };
};

/** Returns bare node:http, which sends the response that the CRUD sends. */
const prepareBare = async (like: Measured, directory: string): Promise<Measured> => {
  const { base, stop } = await restart(like.subject, like.server);
  const { body } = await ask(base + like.path, { token: like.server.token });
  await stop();
  return prepare(bare({ headers: [['content-type', 'application/json']], body }), directory);
};

const send = async (base: string, { path, server }: Measured): Promise<void> => {
  let sent = 0;
  const client = async (): Promise<void> => {
    while (sent < requests) {
      sent += 1;
      await call(base + path, { token: server.token });
    }
  };
  await Promise.all(Array.from({ length: limits.connections }, client));
};

const measure = async (measured: Measured): Promise<Sample> => {
  const { base, pid, seconds, stop } = await restart(measured.subject, measured.server);
  await delay(limits.idleSeconds * 1_000);
  const fresh = residentBytes(pid) / megabyte;
  await send(base, measured);
  const before = processorMs(pid);
  await delay(Number(values.seconds) * 1_000);
  const processorMsPerSecond = (processorMs(pid) - before) / Number(values.seconds);
  const used = residentBytes(pid) / megabyte;
  await stop();
  return { seconds, fresh, used, processorMsPerSecond };
};

const processorMs = (pid: number): number => {
  const { user = 0, system = 0 } = processTicks(pid) ?? {};
  return ((user + system) / ticksPerSecond) * 1_000;
};

const directory = mkdtempSync(join(tmpdir(), 'waymark-idle-'));
process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
const written = await prepare(crud, join(directory, 'crud'));
const floor = await prepareBare(written, join(directory, 'bare'));
const product = await prepare(waymark, join(directory, 'waymark'));
for (let round = 0; round < Number(values.rounds); round += 1)
  for (const measured of [floor, written, product]) measured.samples.push(await measure(measured));

const of = ({ samples }: Measured, key: keyof Sample): number => median(samples.map((sample) => sample[key]));
const memory = (title: string, key: 'fresh' | 'used'): string => {
  const cells = [floor, written, product].map((measured) => of(measured, key).toFixed(0));
  return `| ${[title, ...cells, `+${(of(product, key) - of(floor, key)).toFixed(0)} MB over node:http`].join(' | ')} |`;
};
const waiting = [floor, written, product].map((measured) => of(measured, 'processorMsPerSecond').toFixed(1));
const starts = [floor, written, product].map((measured) => of(measured, 'seconds').toFixed(2));
process.stdout.write(
  [
    '| median of the rounds | node:http | CRUD | Waymark | Waymark, compared |',
    '|---|---|---|---|---|',
    memory(`resident MB, ${limits.idleSeconds} s after the start`, 'fresh'),
    memory(`resident MB, ${values.seconds} s after ${requests} requests`, 'used'),
    `| ${['processor ms a second, while it waits', ...waiting, ''].join(' | ')} |`,
    `| ${['seconds to the first 200', ...starts, `${(of(product, 'seconds') / of(written, 'seconds')).toFixed(2)} × the CRUD`].join(' | ')} |`,
    '',
  ].join('\n'),
);
