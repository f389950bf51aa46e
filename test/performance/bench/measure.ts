import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { probe } from './client.ts';
import type { Column, RoundConditions } from './figure.ts';
import { watchForeignLoad } from './foreign-load.ts';
import { limits, type Rounds } from './limits.ts';
import type { Generator, Load, Outcome } from './load.ts';

/** Runs a load.
 * @throws if a response is not as expected, so that it does not count as a measurement */
export const runLoad = async (generator: Generator, load: Load, seconds: number): Promise<Outcome> => {
  const outcome = await generator.run(load, seconds);
  const { requests, failures } = outcome;
  if (requests === 0 || Object.values(failures).some((count) => count > 0))
    throw new Error(`${load.method} ${load.base}: failures among ${requests} requests: ${JSON.stringify(failures)}`);
  for (let sent = 0; sent < limits.probes; sent += 1) await probe(load);
  return outcome;
};

export type Contestant<Name extends string = Column, Value = number> = {
  readonly column: Name;
  readonly measure: (seconds: number) => Promise<Value>;
};

/** The values of each contestant, one for each round, and the conditions of all rounds, repeated ones included. */
export type Turns<Name extends string, Value> = {
  readonly samples: Readonly<Partial<Record<Name, readonly Value[]>>>;
  readonly rounds: readonly RoundConditions[];
};

/** Measures the contestants in turn: A B C, A B C, …, so that other activity of the machine affects all of them alike. The first, short
 * round only warms up. A round during which other programs worked is repeated, up to a limit. */
export const inTurn = async <Name extends string, Value>(
  scale: Rounds,
  contestants: readonly Contestant<Name, Value>[],
): Promise<Turns<Name, Value>> => {
  const samples: Partial<Record<Name, Value[]>> = {};
  const rounds: RoundConditions[] = [];
  await oneRound(contestants, scale.warmUpSeconds);
  for (let repeats = 0; rounds.length - repeats < scale.rounds; ) {
    const { values, ...loads } = await oneRound(contestants, scale.roundSeconds);
    const repeated = loads.during > limits.foreignCoresMax && repeats < scale.repeatsMax;
    rounds.push({ ...loads, repeated });
    if (repeated) repeats += 1;
    else for (const [column, value] of values) samples[column] = [...(samples[column] ?? []), value];
  }
  return { samples, rounds };
};

type Round<Name extends string, Value> = Omit<RoundConditions, 'repeated'> & { readonly values: readonly (readonly [Name, Value])[] };

const oneRound = async <Name extends string, Value>(
  contestants: readonly Contestant<Name, Value>[],
  seconds: number,
): Promise<Round<Name, Value>> => {
  const values: [Name, Value][] = [];
  let [before, during] = [0, 0];
  for (const { column, measure } of contestants) {
    const foreignBefore = watchForeignLoad();
    await settle();
    before = Math.max(before, foreignBefore());
    const foreign = watchForeignLoad();
    values.push([column, await named(column, measure(seconds))]);
    during = Math.max(during, foreign());
  }
  return { values, before, during };
};

const named = async <Value>(column: string, measured: Promise<Value>): Promise<Value> => {
  try {
    return await measured;
  } catch (error) {
    throw new Error(`${column}: ${String(error)}`, { cause: error });
  }
};

/** Writes all data to the disk, so that data of one contestant is not written during another's turn. */
const settle = async (): Promise<void> => {
  execFileSync('sync');
  await delay(limits.settleMs);
};
