/** `npm run soak` first runs the tests of the API on a standalone server with one HTTP thread and on `npm run cluster`, imports an export of each release
 * into a cluster, and runs the tests of the undo and of the notary many times. Then it runs a cluster under a steady load, and makes each engine unavailable for a while. It prints the memory that each process holds,
 * and fails if one grows. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { assertEngines } from '../bench/cluster/engines.ts';
import { createdIn } from '../bench/cluster/filled.ts';
import { type Installation, openInstallation } from '../bench/cluster/installation.ts';
import { grows, settledSamples } from './growth.ts';
import { soakLimits, soakRuns } from './limits.ts';
import { type SteadyLoad, steadyLoad } from './load.ts';
import { isBounded, type Outage, outageTable, steadyTable } from './report.ts';
import { type Sampler, sampling } from './sampling.ts';

const usage = `npm run soak -- [--minutes N] [--no-faults] [--no-unavailable] [--help]
npm run soak -- deploy | image

  deploy             instead: a cluster on Kubernetes, as npm run test:deploy with each fault three times, the move from npm run cluster and the
                     autoscaler
  image              instead: all tests of the API on a standalone server in a container
  --minutes N        how long the steady load lasts (${soakLimits.minutes}); afterwards each engine is unavailable for ${soakLimits.unavailableShare} of that time
  --no-faults        leaves out the faults, tamperings and random histories of the undo and the notary
  --no-unavailable   stops no engine (also the case without WAYMARK_ENGINES_CONTROL)`;

const preload = join(import.meta.dirname, 'collecting/main.ts');

const engines = ['eventstore', 'kafka', 'mongodb', 'redis', 's3'] as const;

type Run = { readonly installation: Installation; readonly sampler: Sampler; readonly load: SteadyLoad };

const main = async (): Promise<void> => {
  const { values, positionals } = parseArgs({
    allowNegative: true,
    allowPositionals: true,
    options: {
      minutes: { type: 'string', default: String(soakLimits.minutes) },
      faults: { type: 'boolean', default: true },
      unavailable: { type: 'boolean', default: true },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(usage);
  if (positionals.length > 0) return runOther(positionals.join(' '));
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) throw new Error('--minutes: a number');
  assertEngines();
  runTests({ WAYMARK_HTTP_THREADS: '1' }, '/test/api/');
  for (const threads of ['0', '2']) runTests({ WAYMARK_HTTP_THREADS: threads }, '/test/crash/');
  runTests({}, '/test/api/', [process.execPath, 'test/cluster/with-cluster/main.ts']);
  runTests({ WAYMARK_SOAK: '1' }, '/test/upgrade/cluster');
  if (values.faults) runTests(soakRuns, faultTests);
  const installation = await openInstallation('', { NODE_OPTIONS: `--expose-gc --import ${preload}` });
  try {
    if (!(await soak(installation, minutes, values.unavailable))) process.exitCode = 1;
  } finally {
    await installation.stop();
  }
};

const runOther = (what: string): void => {
  const settings = { WAYMARK_SOAK: '1', WAYMARK_FAULTS: '3' };
  if (what === 'deploy') execFileSync('npm', ['run', 'test:deploy'], { env: { ...process.env, ...settings }, stdio: 'inherit' });
  else if (what === 'image') runTests({}, '/test/api/', [process.execPath, 'test/image/with-image/main.ts']);
  else throw new Error(`${what}: unknown\n${usage}`);
};

/** The tests that `soakRuns` counts. Those of clusters need engines that they may stop. */
const faultTests = '/test/(crash|cluster)/(notary|notaries|undo)[.]|/operator/random-tampering|/undo/jobs/random-histories';

/** Runs the tests whose files match a pattern.
 * @param within the command that runs a server for them
 * @throws if one fails */
const runTests = (settings: Readonly<Record<string, string>>, pattern: string, within: readonly string[] = []): void => {
  const [command = '', ...words] = [...within, 'npm', 'test', '--', '--silent', pattern];
  execFileSync(command, words, { env: { ...process.env, ...settings }, stdio: 'inherit' });
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
