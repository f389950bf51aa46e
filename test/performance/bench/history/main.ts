#!/usr/bin/env node
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { ask, pageAsOf, questionsOf, timesOf } from './answers.ts';
import { buildCases } from './as-of-cases.ts';
import { createFilling } from './fill.ts';
import { editsOfNumber, largeHistory } from './large-history.ts';
import { openMongoStore, openSqliteStore, type Store } from './stores.ts';

// Measures the history of a large account in SQLite, and in MongoDB if the environment names it: how fast it is filled, how large it is, how
// long answers take, and how many index entries pages as of a moment read.
//
//     node test/performance/bench/history/main.ts [--events 1000000] [--rows 1000000] [--mongodb-events 200000] [--mongodb-rows 100000]
//       [--samples 500] [--only sqlite|mongodb]

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    rows: { type: 'string', default: '1000000' },
    'mongodb-events': { type: 'string', default: '200000' },
    'mongodb-rows': { type: 'string', default: '100000' },
    samples: { type: 'string', default: '500' },
    only: { type: 'string' },
  },
});
const samples = Number(values.samples);
/** Edits of one number in an object with long texts. */
const numberEdits = 10_000;

const count = (number: number): string => Math.round(number).toLocaleString('en');
const print = (...lines: readonly string[]): void => void process.stdout.write(`${lines.join('\n')}\n`);

const withStore = async (open: () => Promise<Store>, use: (store: Store) => Promise<void>): Promise<void> => {
  const store = await open();
  try {
    await use(store);
  } finally {
    await store.remove();
  }
};

const measureLarge = async (name: string, { history, readRow, bytes }: Store, events: number): Promise<void> => {
  const filled = await createFilling(history)(largeHistory(events));
  const size = await bytes();
  const unit = await timesOf(samples, readRow);
  print(
    '',
    `${name}: ${count(filled.events)} events were applied at ${count(filled.events / filled.seconds)}/s. Their history takes`,
    `${count(size / filled.events)} bytes for an event, ${(size / filled.logBytes).toFixed(2)} times those of the log.`,
    '',
    `| ${name}, ${count(filled.events)} events | p50 | p99 | p50, compared with one row |`,
    '|---|---|---|---|',
  );
  const line = (title: string, { p50, p99 }: typeof unit): void =>
    print(`| ${title} | ${p50.toFixed(2)} ms | ${p99.toFixed(2)} ms | ${(p50 / unit.p50).toFixed(1)}× |`);
  line('one row', unit);
  for (const [title, next] of Object.entries(questionsOf(filled.events, filled.position)))
    line(title, await timesOf(samples, () => ask(history, next())));
};

const measureNumber = async (name: string, { history, bytes }: Store): Promise<void> => {
  const before = await bytes();
  const { logBytes } = await createFilling(history)(editsOfNumber(numberEdits));
  const times = ((await bytes()) - before) / logBytes;
  print(
    '',
    `${name}: ${count(numberEdits)} edits of one number in an object with a long text take ${times.toFixed(2)} times the bytes of the log.`,
  );
};

const measureCases = async (name: string, { history, entriesRead }: Store, rows: number): Promise<void> => {
  const cases = await buildCases(rows, createFilling(history));
  print('', `| ${name}, a page of 20 | index entries | time, once |`, '|---|---|---|');
  for (const { title, query, position } of cases) {
    const question = pageAsOf(position, query);
    const entries = await entriesRead(() => ask(history, question));
    const began = performance.now();
    await ask(history, question);
    print(`| ${title} | ${count(entries)} | ${(performance.now() - began).toFixed(1)} ms |`);
  }
};

const measure = async (name: string, open: () => Promise<Store>, events: number, rows: number): Promise<void> => {
  await withStore(open, (store) => measureLarge(name, store, events));
  await withStore(open, (store) => measureNumber(name, store));
  await withStore(open, (store) => measureCases(name, store, rows));
};

const url = process.env['WAYMARK_MONGODB_URL'];
const load = loadavg()[0] ?? 0;
if (values.only !== 'mongodb') await measure('SQLite', openSqliteStore, Number(values.events), Number(values.rows));
if (values.only !== 'sqlite' && url)
  await measure('MongoDB', () => openMongoStore(url), Number(values['mongodb-events']), Number(values['mongodb-rows']));
print('', `${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores; Node ${process.version}; load before ${load.toFixed(2)}`);
