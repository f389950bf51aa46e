#!/usr/bin/env node
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { assertEngines } from '../../cluster/engines.ts';
import { type Installation, openInstallation } from '../../cluster/installation.ts';
import { meter } from '../../cluster/usage.ts';
import { pickGenerator } from '../../generator.ts';
import { limits } from '../../limits.ts';
import { creates } from '../../loads.ts';
import { inTurn, runLoad } from '../../measure.ts';
import { type Costs, type Run, table } from './report.ts';

// Measures the processor time of a create in a cluster, by process, before and after a change. Two builds, each in its own checkout, take
// turns on the same engines, which the environment names as for `npm run bench -- cluster`.
//
//     node test/performance/bench/processor-time/cluster/main.ts --before CHECKOUT [--after CHECKOUT] [--rounds 7] [--seconds 5]
//         [--connections 64]
//
// In each round each build runs twice, so that V8 has optimised both alike. A difference between the builds that is no larger than the one
// between the two runs of the old build means nothing. Both clusters share one log, so the relay and the projector of each one also process what the other one creates. Their time
// counts only while their own cluster creates.

const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    after: { type: 'string', default: join(import.meta.dirname, '../../../../..') },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: String(limits.connections) },
  },
});
if (values.before === undefined) throw new Error('--before CHECKOUT is required: the build to compare with, with its libraries installed');
const [rounds, seconds, connections] = [Number(values.rounds), Number(values.seconds), Number(values.connections)];
const warmUpSeconds = 4 * seconds;
assertEngines();
const directory = mkdtempSync(join(tmpdir(), 'waymark-processor-time-'));
const generator = pickGenerator(directory);

/** Creates pinpoints for a while.
 * @returns the processor time per create */
const costsOf = async (installation: Installation, forSeconds: number): Promise<Costs> => {
  const tokens = installation.accounts.map(({ token }) => token);
  const load = { ...creates({ ...installation, token: '' }, tokens), connections };
  const used = meter(installation.measured);
  const { requests, perSecond } = await runLoad(generator, load, forSeconds);
  const { seconds: spent } = used();
  return { perSecond, processes: Object.fromEntries(Object.entries(spent).map(([name, one]) => [name, one / (requests + limits.probes)])) };
};

const installations: Installation[] = [];
const open = async (checkout: string): Promise<Installation> => {
  const opened = await openInstallation('', {}, resolve(checkout));
  installations.push(opened);
  return opened;
};

try {
  const [before, after] = [await open(values.before), await open(values.after)];
  const contestant = (column: Run, installation: Installation) => ({
    column,
    measure: (forSeconds: number) => costsOf(installation, forSeconds),
  });
  const { samples } = await inTurn<Run, Costs>({ rounds, roundSeconds: seconds, warmUpSeconds, repeatsMax: 0 }, [
    contestant('before', before),
    contestant('after', after),
    contestant('before again', before),
    contestant('after again', after),
  ]);
  const machine = `${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores`;
  process.stdout.write(`${table(samples)}\n\n${machine}; ${rounds} rounds of ${seconds} s, ${connections} connections\n`);
} finally {
  for (const { stop } of installations) await stop();
  rmSync(directory, { recursive: true, force: true });
}
