import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { probe } from './client.ts';
import type { Column } from './figure.ts';
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

type Taken<Name extends string, Value> = Readonly<Partial<Record<Name, readonly Value[]>>>;

/** Measures the contestants in turn: A B C, A B C, …, so that other activity of the machine affects all of them alike. The first, short
 * round only warms up. */
export const inTurn = async <Name extends string, Value>(
  scale: Rounds,
  contestants: readonly Contestant<Name, Value>[],
): Promise<Taken<Name, Value>> => {
  const samples: Partial<Record<Name, Value[]>> = {};
  for (let round = 0; round <= scale.rounds; round += 1)
    for (const { column, measure } of contestants) {
      await settle();
      const figure = await named(column, measure(round === 0 ? scale.warmUpSeconds : scale.roundSeconds));
      if (round > 0) samples[column] = [...(samples[column] ?? []), figure];
    }
  return samples;
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
