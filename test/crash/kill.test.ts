import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Session } from '../api/session.ts';
import { expectSound } from './installation.ts';
import { type Load, prepareLoad } from './load/load.ts';
import { type Random, seededRun } from './random.ts';
import { newSession, type Server, sessionOn, waitUntilReady } from './server.ts';
import { type TestServers, useCrashServers } from './test-servers.ts';
import { until } from './until.ts';

const kills = Number(process.env['WAYMARK_KILLS'] ?? 25);
const killWithinMs = 500;
const shutdownForMs = 40;
const verifyEvery = 10;
const parts = ['lock.db', 'log.db', 'read-models/1.db', 'read-models/current', 'tokens.db', 'media', 'keys.json', 'operator.json'];
/** A bound that only catches hangs. */
const msPerKill = 60_000;

const ground = useCrashServers();

describe('a server that is killed under load', () => {
  it(
    `keeps every acknowledged write and applies none twice, over ${kills} kills`,
    () =>
      seededRun(async (random) => {
        const directory = ground.directory();
        let server = await ground.start(directory);
        const session = await newSession(server);
        const load = await prepareLoad(session, random);
        for (let kill = 1; kill <= kills; kill += 1) {
          await killUnderLoad(server, sessionOnRestart(server, session), load, random);
          server = await restart(ground, directory, random);
          await load.check(sessionOnRestart(server, session));
          expect(staleReadModelFiles(directory)).toEqual([]);
          if (kill % verifyEvery === 0 || kill === kills) await expectSound(server);
        }
        expect(load.acknowledged()).toBeGreaterThan(kills);
        await checkFiles(server, load);
        await server.stop();
      }),
    kills * msPerKill,
  );
});

describe('a first start that is killed', () => {
  it.each(parts)('leaves nothing that prevents a second start: killed as soon as %s exists', async (part) => {
    const directory = ground.directory();
    const launched = ground.launch(directory);
    await until(() => existsSync(join(directory, part)), 0);
    await launched.kill();
    const server = await ground.start(directory);
    expect((await (await newSession(server)).post('/lists', { name: 'first' })).status).toBe(201);
    await expectSound(server);
    await server.stop();
  });
});

/** Returns the session on another server, with its first token. The token was acknowledged too, so it must stay valid. */
const sessionOnRestart = (server: Server, { application, token }: Session): Session => sessionOn(server, application, token);

const killUnderLoad = async (server: Server, session: Session, load: Load, random: Random): Promise<void> => {
  let ending = false;
  const running = load.run(session, () => ending);
  const disturbed = runOperatorCommand(server, random);
  await Promise.race([running, pause(random.below(killWithinMs))]);
  ending = true;
  if (random.chance(0.15)) await beginShutdown(server, random);
  await server.kill();
  await Promise.all([running, disturbed]);
};

const beginShutdown = async ({ child }: Server, random: Random): Promise<void> => {
  child.kill('SIGTERM');
  await pause(random.below(shutdownForMs));
};

/** Sometimes sends an operator command at the same time. The command does not have to finish. */
const runOperatorCommand = async ({ operator }: Server, random: Random): Promise<void> => {
  const wait = random.below(killWithinMs / 2);
  const what = random.pick(['rebuild', 'verify', 'nothing', 'nothing']);
  if (what === 'nothing') return;
  await pause(wait);
  await operator('POST', `/${what}`).catch(() => undefined);
};

/** Starts the server again. Sometimes the server is killed during the start and then started once more. */
const restart = async ({ launch }: TestServers, directory: string, random: Random): Promise<Server> => {
  const launched = launch(directory);
  if (!random.chance(0.2)) return waitUntilReady(launched);
  await pause(random.below(killWithinMs));
  await launched.kill();
  return restart(ground, directory, random);
};

/** Returns the read-model files besides the current one. */
const staleReadModelFiles = (directory: string): readonly string[] => {
  const files = readdirSync(join(directory, 'read-models')).filter((name) => name.endsWith('.db'));
  return files.slice(1);
};

const checkFiles = async ({ client }: Server, { writers }: Load): Promise<void> => {
  const paths = writers.flatMap(({ files }) => [...files]);
  expect(paths.length).toBeGreaterThan(0);
  const answers = await Promise.all(paths.map((path) => client.send({ method: 'GET', path })));
  expect(answers.filter(({ status }) => status !== 200).map(({ text }) => text)).toEqual([]);
};
