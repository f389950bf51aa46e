#!/usr/bin/env node
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { notaryDirectory } from '@waymark/checkpoints/notary-directory.ts';
import { openPlace } from '@waymark/checkpoints/urls.ts';
import { resourceStream } from '@waymark/domain/streams.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { openEventStoreLog } from '@waymark/event-log/eventstoredb/event-log.ts';
import { sealFact, waymark } from '@waymark/event-log/seal.ts';
import { openSqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { type NotaryPorts, parseNotaryKeys, startNotary } from '@waymark/notary/app.ts';
import { openMongoProofStore } from '@waymark/proof-store/mongodb/proof-store.ts';
import { openSqliteProofStore } from '@waymark/proof-store/sqlite/proof-store.ts';
import { until } from '../client.ts';
import { pinpointParts } from '../pinpoint.ts';

// Measures how fast a notary reads a log, hashes it and fills the proof store, and what the growth of many accounts within one interval costs it: in
// SQLite, and in a cluster's engines if the environment names them, whose event store should be empty.
//
//     node test/performance/bench/notary/main.ts [--events 200000] [--cluster-events 50000] [--accounts 10000]

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '200000' },
    'cluster-events': { type: 'string', default: '50000' },
    accounts: { type: 'string', default: '10000' },
  },
});
const accounts = Number(values.accounts);
/** The number of appends that are sent together. */
const together = 500;
/** Long enough for an event of each account. */
const intervalMs = 20_000;
/** How long a step may take. */
const withinMs = 120_000;

const { media_credits: mediaCredits, ...sent } = JSON.parse(pinpointParts.join('1777777777777'));
const fields = { ...sent, mediaCredits, category: null, media: null };
const folder = mkdtempSync(join(tmpdir(), 'waymark-notary-'));
const number = (value: number): string => Math.round(value).toLocaleString('en');

let created = 0;
/** Appends events of all accounts in turn, each the first of a new pinpoint. */
const append = async (log: Pick<EventLog, 'append'>, events: number): Promise<void> => {
  for (let left = events; left > 0; left -= together) {
    const appends = Array.from({ length: Math.min(together, left) }, () => {
      created += 1;
      const account = `account-${created % accounts}`;
      const event = sealFact({ type: 'PinpointCreated', account, pinpoint: created, fields }, { account, origin: waymark });
      return log.append(resourceStream('pinpoint', created), [event], 'none');
    });
    await Promise.all(appends);
  }
};

type Stores = { readonly log: EventLog; readonly openStore: NotaryPorts['openStore'] };

const measure = async (name: string, { log, openStore }: Stores, events: number): Promise<void> => {
  await append(log, events);
  const directory = notaryDirectory(join(folder, name));
  const place = join(folder, `${name}-checkpoints`);
  mkdirSync(place);
  const logger = {
    info: () => undefined,
    warn: () => undefined,
    error: (_: object, message: string) => process.stderr.write(`${message}\n`),
  };
  const began = performance.now();
  const notary = startNotary({
    ...{ log, logger, intervalMs, openStore, ...directory },
    openPlace: () => openPlace(place),
    seeds: () => parseNotaryKeys(directory.key()),
  });
  const reached = async (): Promise<void> => {
    const { head } = await log.state();
    await until('the notary', async () => notary.status().position >= head, withinMs);
  };
  const files = (): number => readdirSync(place, { recursive: true }).length;
  try {
    await reached();
    const seconds = (performance.now() - began) / 1_000;
    await until('the first checkpoint', async () => notary.status().number === 1, withinMs);
    const before = { number: notary.status().number, files: files() };
    await append(log, accounts);
    await reached();
    await until('the second checkpoint', async () => notary.status().number === 2, withinMs);
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
    const after = { number: notary.status().number, files: files() };
    process.stdout.write(`${name}: ${number(events)} events of ${number(accounts)} accounts were read, hashed and stored at ${number(events / seconds)}/s.
${name}: the growth of all accounts cost ${after.number - before.number} signature and ${after.files - before.files} file.
`);
  } finally {
    await notary.close();
  }
};

const { WAYMARK_EVENTSTORE_URL: eventStore, WAYMARK_MONGODB_URL: mongodb } = process.env;
try {
  const log = await openSqliteEventLog({ file: join(folder, 'log.db') });
  await measure('SQLite', { log, openStore: async () => openSqliteProofStore(join(folder, 'proofs.db')) }, Number(values.events));
  await log.close();
  if (eventStore && mongodb) {
    const cluster = openEventStoreLog({ url: eventStore });
    const store = openMongoProofStore({ url: mongodb, database: `waymark-bench-notary-${process.pid}` });
    const openStore = async () => {
      await store.ensure();
      return { ...store, close: () => undefined };
    };
    await measure('The event store', { log: cluster, openStore }, Number(values['cluster-events']));
    await store.clear();
    await store.close();
    await cluster.close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
