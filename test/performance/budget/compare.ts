import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { counterOf } from '../bench/processor-time/counters.ts';
import { loads, type Operation, operations, prepared, type World } from '../bench/processor-time/load.ts';
import { costOf } from '../bench/processor-time/report.ts';
import { startBuild } from '../bench/processor-time/subject.ts';
import { median } from '../bench/statistics.ts';
import type { Comparison, Ratios } from './budget.ts';

const rounds = 7;
const requests = 800;
const requestsToWarmUp = 1_500;
const counter = counterOf(false);

type Subjects = Readonly<Record<'reference' | 'again' | 'now', World>>;
type Round = Readonly<Record<keyof Subjects, number>>;

/** Compares two checkouts. Three processes run: one of the checkout, and two of the reference. They take turns within each round, so that
 * other activity of the machine affects all of them alike. */
export const compare = async (reference: string, checkout: string): Promise<Comparison> => {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-budget-'));
  const started: World[] = [];
  const start = async (name: string, from: string): Promise<World> => {
    const build = await startBuild(from, join(directory, name));
    started.push({ build, ids: [] });
    return prepared(build);
  };
  try {
    const subjects: Subjects = {
      reference: await start('reference', reference),
      now: await start('now', checkout),
      again: await start('again', reference),
    };
    const all: Partial<Record<Operation, readonly Round[]>> = {};
    for (const operation of operations) all[operation] = await measure(subjects, operation);
    const ratios = (of: (round: Round) => number): Ratios =>
      Object.fromEntries(operations.map((operation) => [operation, median((all[operation] ?? []).map(of))])) as Ratios;
    return {
      now: ratios(({ now, reference: before }) => now / before),
      spread: ratios(({ again, reference: before }) => Math.abs(again / before - 1)),
    };
  } finally {
    await Promise.all(started.map(({ build }) => build.stop()));
    rmSync(directory, { recursive: true, force: true });
  }
};

const measure = async (subjects: Subjects, operation: Operation): Promise<readonly Round[]> => {
  const load = loads[operation];
  const cost = async (subject: World): Promise<number> => {
    const { main } = await costOf(counter, { ...subject.build, requests }, () => load(subject, requests));
    return main;
  };
  for (const subject of Object.values(subjects)) await load(subject, requestsToWarmUp);
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const order: readonly (keyof Subjects)[] = round % 2 === 0 ? ['reference', 'now', 'again'] : ['again', 'now', 'reference'];
    const costs = new Map<keyof Subjects, number>();
    for (const name of order) costs.set(name, await cost(subjects[name]));
    measured.push(Object.fromEntries(costs) as Round);
  }
  return measured;
};
