/** `npm run soak` first runs the tests of the API on a standalone server with one HTTP thread. Then it runs a cluster under a steady load, and
 * makes each engine unavailable for a while. It prints the memory that each process holds, and fails if one grows. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { assertEngines } from '../bench/cluster/engines.ts';
import { createdIn } from '../bench/cluster/filled.ts';
import { type Installation, openInstallation } from '../bench/cluster/installation.ts';
import { grows, settledSamples } from './growth.ts';
import { soakLimits } from './limits.ts';
import { type SteadyLoad, steadyLoad } from './load.ts';
import { isBounded, type Outage, outageTable, steadyTable } from './report.ts';
import { type Sampler, sampling } from './sampling.ts';

const usage = `npm run soak -- [--minutes N] [--no-unavailable] [--help]

  --minutes N        how long the steady load lasts (${soakLimits.minutes}); afterwards each engine is unavailable for ${soakLimits.unavailableShare} of that time
  --no-unavailable   stops no engine (also the case without WAYMARK_ENGINES_CONTROL)`;

const preload = join(import.meta.dirname, 'collecting/main.ts');

const engines = ['eventstore', 'kafka', 'mongodb', 'redis', 's3'] as const;

type Run = { readonly installation: Installation; readonly sampler: Sampler; readonly load: SteadyLoad };

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    allowNegative: true,
    options: {
      minutes: { type: 'string', default: String(soakLimits.minutes) },
      unavailable: { type: 'boolean', default: true },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(usage);
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) throw new Error('--minutes: a number');
  assertEngines();
  testWithOneThread();
  const installation = await openInstallation('', { NODE_OPTIONS: `--expose-gc --import ${preload}` });
  try {
    if (!(await soak(installation, minutes, values.unavailable))) process.exitCode = 1;
  } finally {
    await installation.stop();
  }
};

/** Runs the tests of the API on a standalone server with one HTTP thread.
 * @throws if one fails */
const testWithOneThread = (): void => {
  const env = { ...process.env, WAYMARK_HTTP_THREADS: '1' };
  execFileSync('npm', ['test', '--', '--silent', '/test/api/'], { env, stdio: 'inherit' });
};

/** Runs the soak.
 * @returns whether no process grew and every response was as expected */
const soak = async (installation: Installation, minutes: number, unavailable: boolean): Promise<boolean> => {
  const { base, accounts, processes } = installation;
  const targets = await createdIn(base, accounts, soakLimits.pinpointsPerAccount);
  const load = steadyLoad(base, accounts, targets);
  const sampler = sampling(processes);
  const run = { installation, sampler, load };
  try {
    await pause(minutes * 60_000);
    const samples = sampler.samples();
    const answered = load.answered();
    console.log(`${steadyTable(samples)}\n\n${minutes} minutes, ${answered.right} requests; ${notRight(answered)}\n`);
    const isSteady = [...samples.values()].every((all) => !grows(settledSamples(all))) && answered.odd.length + answered.unavailable === 0;
    return (unavailable ? await withoutEngines(run, minutes) : true) && isSteady;
  } finally {
    await load.stop();
    await sampler.stop();
  }
};

const notRight = ({ unavailable, odd }: ReturnType<SteadyLoad['answered']>): string =>
  `${unavailable} answered 503${odd.length > 0 ? `, and otherwise: ${[...new Set(odd)].join(', ')}` : ''}`;

const withoutEngines = async (run: Run, minutes: number): Promise<boolean> => {
  const control = process.env['WAYMARK_ENGINES_CONTROL'];
  if (!control) {
    console.log('No engine was stopped: WAYMARK_ENGINES_CONTROL is not set.');
    return true;
  }
  const aways: Outage[] = [];
  for (const engine of engines) {
    aways.push(...(await withoutEngine(run, control, engine, minutes * 60_000 * soakLimits.unavailableShare)));
    console.log(`without ${engine}: ${notRight(run.load.answered())}`);
  }
  console.log(`\n${outageTable(aways)}`);
  return aways.every(isBounded);
};

/** Pauses an engine, and later kills it: an engine that hangs has other effects than one that is missing. */
const withoutEngine = async (
  { installation, sampler }: Run,
  control: string,
  engine: string,
  outageMs: number,
): Promise<readonly Outage[]> => {
  const order = (verb: string): void => void execFileSync(control, [verb, engine], { stdio: 'ignore' });
  const isBack = () => back(engine, installation.cluster.ready);
  await sampler.takeSample();
  const before = sampler.samples();
  order('pause');
  await pause(outageMs / 2);
  order('resume');
  await isBack();
  order('kill');
  await pause(outageMs / 2);
  order('start');
  await isBack();
  // The processes catch up in this time.
  await pause(outageMs / 2);
  await sampler.takeSample();
  return [...sampler.samples()].map(([name, samples]) => {
    const earlier = before.get(name) ?? [];
    const since = samples.slice(earlier.length).map(({ heldBytes }) => heldBytes);
    return {
      engine,
      name,
      beforeBytes: earlier.at(-1)?.heldBytes ?? 0,
      mostBytes: Math.max(...since),
      afterBytes: since.at(-1) ?? 0,
    };
  });
};

const back = async (engine: string, ready: () => Promise<boolean>): Promise<void> => {
  const deadlineMs = performance.now() + soakLimits.backMs;
  while (!(await ready())) {
    if (performance.now() > deadlineMs) throw new Error(`Not ready within ${soakLimits.backMs} ms after ${engine} was back.`);
    await pause(soakLimits.pollEveryMs);
  }
};

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
