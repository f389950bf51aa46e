#!/usr/bin/env node
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ask, call, type Endpoint } from '../client.ts';
import { pinpointParts } from '../pinpoint.ts';
import { freePort } from '../process.ts';
import { median } from '../statistics.ts';
import { launchWaymark, tokenFrom, waymarkToken } from '../waymark.ts';

// Measures how fast many clients change one object, compared with their creates: each adds pinpoints to one list, or each changes one
// pinpoint. The three loads take turns. It measures the installation that WAYMARK_TEST_URL and WAYMARK_TEST_OPS_URL name, or else starts a
// standalone one.
//
//     node test/performance/bench/contention/main.ts [--clients 32] [--seconds 3] [--rounds 5]

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '32' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
  },
});
const clients = Number(values.clients);

type Counted = { readonly perSecond: number; readonly refused: number };
type Send = (nth: number) => Promise<number>;

/** Runs a load for the given time: each client sends its next request when the one before is answered. */
const measure = async (send: Send): Promise<Counted> => {
  const startedMs = performance.now();
  const untilMs = startedMs + Number(values.seconds) * 1_000;
  let [sent, done, refused] = [0, 0, 0];
  const client = async (): Promise<void> => {
    while (performance.now() < untilMs) {
      sent += 1;
      const status = await send(sent);
      if (status === 503) refused += 1;
      else if (status < 300) done += 1;
      else throw new Error(`A request was answered ${status}.`);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { perSecond: (done * 1_000) / (performance.now() - startedMs), refused };
};

const loadsOn = async ({ base, token }: Endpoint): Promise<Readonly<Record<string, Send>>> => {
  const create = async (path: string, body: string): Promise<number> =>
    ((await call(`${base}/v3.0${path}`, { method: 'POST', token, body })) as { readonly id: number }).id;
  const send = async (method: string, path: string, body: string): Promise<number> =>
    (await ask(`${base}/v3.0${path}`, { method, token, body })).status;
  const number = Date.now() * 1_000;
  const pinpoint = (nth: number): string => pinpointParts.join(String(number + nth));
  const list = await create('/lists', JSON.stringify({ name: 'contention' }));
  const one = await create('/pinpoints', pinpoint(0));
  const members: number[] = [];
  for (let nth = 1; nth <= 500; nth += 1) members.push(await create('/pinpoints', pinpoint(nth)));
  return {
    creates: (nth) => send('POST', '/pinpoints', pinpoint(nth)),
    'additions to one list': (nth) =>
      send(nth % 1_000 < 500 ? 'POST' : 'DELETE', `/lists/${list}/pinpoints`, JSON.stringify([{ id: members[nth % 500] }])),
    'changes of one pinpoint': (nth) => send('PUT', `/pinpoints/${one}`, pinpoint(nth)),
  };
};

/** Starts a standalone installation. */
const launchOne = async () => {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-contention-'));
  const port = await freePort();
  const launched = launchWaymark(directory, port);
  const base = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    await launched.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  return { base, token: await waymarkToken(directory, base), stop };
};

/** Uses the installation that the environment names. */
const useGiven = async (base: string) => {
  const { WAYMARK_TEST_OPS_URL: url = '', WAYMARK_TEST_OPS_TOKEN: token = '' } = process.env;
  return { base, token: await tokenFrom({ url, token }, base), stop: async () => undefined };
};

const { WAYMARK_TEST_URL: given } = process.env;
const installation = await (given === undefined ? launchOne() : useGiven(given));
const loads = Object.entries(await loadsOn(installation));
const samples = new Map(loads.map(([name]) => [name, [] as Counted[]]));
for (let round = 0; round <= Number(values.rounds); round += 1) {
  // The first round only warms up.
  for (const [name, send] of loads) {
    const counted = await measure(send);
    if (round > 0) samples.get(name)?.push(counted);
  }
}
await installation.stop();

const rateOf = (name: string): number => median((samples.get(name) ?? []).map(({ perSecond }) => perSecond));
process.stdout.write(`| ${clients} clients, median of the rounds | per second | of the creates | answered 503 |\n|---|---|---|---|\n`);
for (const [name, counted] of samples) {
  const share = `${((100 * rateOf(name)) / rateOf('creates')).toFixed(0)} %`;
  const refused = counted.reduce((sum, one) => sum + one.refused, 0);
  process.stdout.write(`| ${[name, rateOf(name).toFixed(0), share, refused].join(' | ')} |\n`);
}
