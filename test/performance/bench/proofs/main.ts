#!/usr/bin/env node
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { proofRoutes } from '@waymark/auditor/proofs/proofs.ts';
import type { Handler, Routes } from '@waymark/http/call.ts';
import { createSeals } from '@waymark/http/paging/seals.ts';
import { openMongoProofStore } from '@waymark/proof-store/mongodb/proof-store.ts';
import type { ProofStore } from '@waymark/proof-store/proof-store.ts';
import { openSqliteProofStore } from '@waymark/proof-store/sqlite/proof-store.ts';
import { quantile } from '../statistics.ts';
import { account, checkpoints, eventOf, fillStore } from './large-trees.ts';

// Measures how long the proofs of a large account take, verified, without HTTP and without the read of the log: in SQLite, and in MongoDB if the
// environment names it.
//
//     node test/performance/bench/proofs/main.ts [--events 1000000] [--accounts 10000] [--samples 2000]

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    accounts: { type: 'string', default: '10000' },
    samples: { type: 'string', default: '2000' },
  },
});
const [events, accounts, samples] = [Number(values.events), Number(values.accounts), Number(values.samples)];
/** The goal for the 99th quantile, in milliseconds. */
const goalMs = 10;

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const number = (value: number): string => Math.round(value).toLocaleString('en');
const below = (limit: number): number => Math.floor(Math.random() * limit);

/** The requests that are measured, each with random parameters. */
const requests: Readonly<Record<string, () => readonly [route: keyof Routes, query: string]>> = {
  'inclusion of a random event': () => {
    const objects = Math.ceil(events / 5);
    return ['GET /audit/v1/proofs/inclusion', `kind=pinpoints&id=${1 + below(objects - 1)}&revision=${below(4)}`];
  },
  'consistency with the last checkpoint': () => ['GET /audit/v1/proofs/consistency', `from=${checkpoints - 1}`],
};

const measure = async (name: string, store: ProofStore): Promise<void> => {
  const perSecond = await fillStore(store, events, accounts);
  print(
    `\n${name}: ${number(events)} events of one account were applied at ${number(perSecond)}/s, beside ${number(accounts - 1)} other accounts.\n`,
  );
  print(`| ${name} | first | p50 | p99 | goal |\n|---|---|---|---|---|`);
  const log = {
    read: async (stream: string, from: number) => [eventOf(stream, from)],
    owners: async () => [account],
    lastRevisions: async () => [5],
  };
  const routes = proofRoutes({ reads: store, log }, { seals: createSeals(['key'], 'log'), base: '' });
  for (const [title, next] of Object.entries(requests)) {
    const times: number[] = [];
    for (let nth = 0; nth < samples; nth += 1) {
      const [route, query] = next();
      const began = performance.now();
      await answer(routes[route], query);
      times.push(performance.now() - began);
    }
    const [first = 0, ...others] = times;
    const ms = [first, quantile(others, 0.5), quantile(others, 0.99)].map((one) => `${one.toFixed(2)} ms`);
    print(`| ${title} | ${ms.join(' | ')} | ≤ ${goalMs} ms |`);
  }
};

const answer = async (handler: Handler | undefined, query: string): Promise<void> => {
  const access = { account, application: 'one', token: 't', scopes: ['audit' as const] };
  const call = { request: {} as IncomingMessage, body: undefined as never, url: `/?${query}`, requestId: 'r', access, parameters: {} };
  const answered = await handler?.(call);
  if (answered?.status !== 200) throw new Error(`The request ${query} was not answered.`);
};

const measureSqlite = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-proofs-'));
  const file = join(folder, 'proofs.db');
  const store = openSqliteProofStore(file);
  try {
    await measure('SQLite', store);
    store.close();
    print(`\nThe file has ${number(statSync(file).size / events)} bytes for an event.`);
  } finally {
    store.close();
    rmSync(folder, { recursive: true });
  }
};

const measureMongodb = async (url: string): Promise<void> => {
  const store = openMongoProofStore({ url, database: `waymark-bench-proofs-${process.pid}` });
  try {
    await store.ensure();
    await measure('MongoDB', store);
  } finally {
    await store.clear();
    await store.close();
  }
};

await measureSqlite();
const url = process.env['WAYMARK_MONGODB_URL'];
if (url !== undefined && url !== '') await measureMongodb(url);
