#!/usr/bin/env node
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { limits } from '../limits.ts';
import { median } from '../statistics.ts';
import { counterOf } from './counters.ts';
import { recordAnswers, startFloor } from './floor.ts';
import { type Load, loads, prepared, type World } from './load.ts';
import { costOf, type Row, table } from './report.ts';
import { type Build, startBuild } from './subject.ts';

// Measures the processor time of a request, by thread, before and after a change. Two builds, each in its own checkout, take turns.
//
//     node test/performance/bench/processor-time/main.ts --before CHECKOUT [--after CHECKOUT] [--rounds 7] [--requests 4000] [--valgrind]
//
// With --valgrind, valgrind counts the instructions, which takes minutes for each build. The numbers do not depend on the load of the machine, so one round
// is enough; with few requests, what V8 compiles counts the most.
//
// In each round the old build runs twice. A difference between the builds that is no larger than the one between these two runs means
// nothing. A node:http server with the same I/O is the floor.

const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    after: { type: 'string', default: join(import.meta.dirname, '../../../..') },
    rounds: { type: 'string', default: '7' },
    requests: { type: 'string', default: '4000' },
    valgrind: { type: 'boolean', default: false },
  },
});
if (values.before === undefined) throw new Error('--before CHECKOUT is required: the build to compare with, with its libraries installed');
const [before, after] = [resolve(values.before), resolve(values.after)];
const [rounds, requests] = [Number(values.rounds), Number(values.requests)];
const counter = counterOf(values.valgrind);

type Costs = Readonly<Record<string, Row>>;

/** Runs all loads against a server.
 * @returns the cost per request of each load, by thread */
const costsOf = async (subject: World): Promise<Costs> => {
  const rows: Record<string, Row> = {};
  for (const [name, load] of Object.entries<Load>(loads)) {
    await load(subject, Math.ceil(requests / 4));
    await pause(limits.followMs);
    rows[name] = await costOf(counter, { ...subject.build, requests }, async () => {
      await load(subject, requests);
      await pause(limits.followMs);
    });
  }
  return rows;
};

/** Starts a server, uses it, and stops it. */
const withServer = async <Result>(
  start: (directory: string) => Promise<Build>,
  use: (subject: World) => Promise<Result>,
): Promise<Result> => {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-processor-time-'));
  let build: Build | undefined;
  try {
    build = await start(directory);
    return await use(await prepared(build));
  } finally {
    await build?.stop();
    rmSync(directory, { recursive: true, force: true });
  }
};

const measure = (checkout: string): Promise<Costs> =>
  withServer((directory) => startBuild(checkout, directory, counter.under(directory)), costsOf);

const answers = await withServer((directory) => startBuild(after, directory), recordAnswers);
const measureFloor = (): Promise<Costs> => withServer((directory) => startFloor(answers, directory, counter.under(directory)), costsOf);

type Round = { readonly old: Costs; readonly again: Costs; readonly new: Costs; readonly floor: Costs };
const all: Round[] = [];
for (let round = 1; round <= rounds; round += 1) {
  // The builds take turns, so that other activity of the machine affects all of them alike.
  all.push(
    round % 2 === 1
      ? { old: await measure(before), new: await measure(after), floor: await measureFloor(), again: await measure(before) }
      : { again: await measure(before), floor: await measureFloor(), new: await measure(after), old: await measure(before) },
  );
  process.stderr.write(`round ${round} of ${rounds}\n`);
}

const of = (which: keyof Round, name: string, thread: keyof Row): number => median(all.map((round) => round[which][name]?.[thread] ?? 0));
const rowOf = (which: keyof Round, name: string): Row => ({
  main: of(which, name, 'main'),
  history: of(which, name, 'history'),
  others: of(which, name, 'others'),
  total: of(which, name, 'total'),
});
const lines = Object.keys(loads).map((name) => {
  const ratios = (which: 'new' | 'again') => all.map((round) => (round[which][name]?.total ?? 0) / (round.old[name]?.total ?? 1));
  return {
    name,
    old: rowOf('old', name),
    new: rowOf('new', name),
    floor: of('floor', name, 'main'),
    timesFloor: median(all.map((round) => (round.new[name]?.main ?? 0) / (round.floor[name]?.main ?? 1))),
    rise: median(ratios('new')) - 1,
    spread: Math.abs(median(ratios('again')) - 1),
  };
});
process.stdout.write(
  `${table(lines, counter.unit)}\n\n${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores; ${rounds} rounds of ${requests} requests\n`,
);
