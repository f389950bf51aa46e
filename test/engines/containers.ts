import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ContainerRuntimeClient, GenericContainer, getContainerRuntimeClient, Wait } from 'testcontainers';
import { type EngineAddress, recipeOf, type Startable } from './images.ts';

/** Enough for the first start of the largest engine on a busy machine. */
const readyWithinMs = 120_000;
const readyAskedEachMs = 200;
const stopWithinSeconds = 10;

type Started = { readonly id: string; readonly ready: string };
/** The started containers, and the command for the engines that are not in containers. */
type Register = { readonly containers: Readonly<Partial<Record<Startable, Started>>>; readonly otherwise: string | undefined };
export type Containers = {
  readonly register: string;
  readonly urls: Readonly<Partial<Record<Startable, string>>>;
  readonly failures: readonly string[];
};

/** Names that the command for engines accepts and that differ from the names here. */
const otherNames: Readonly<Record<string, Startable>> = { s3: 'media' };

export const readRegister = (file: string): Register => JSON.parse(readFileSync(file, 'utf8'));
const writeRegister = (file: string, register: Register): void => writeFileSync(file, JSON.stringify(register));

/** Starts engines in containers, all at once. Engines whose image is not available are reported with the reason. Returns undefined if no
 * Docker daemon answers.
 * @param otherwise the command for engines that are not in containers */
export const startContainers = async (engines: readonly Startable[], otherwise: string | undefined): Promise<Containers | undefined> => {
  const client = await getContainerRuntimeClient().catch(() => undefined);
  if (client === undefined) return undefined;
  const { host } = client.info.containerRuntime;
  const register = join(mkdtempSync(join(tmpdir(), 'waymark-containers-')), 'register.json');
  const containers: Partial<Record<Startable, Started>> = {};
  const urls: Partial<Record<Startable, string>> = {};
  const failures: string[] = [];
  const start = async (engine: Startable): Promise<void> => {
    const place = { host, port: await freePort() };
    const { image, ready, url } = recipeOf(engine, place);
    try {
      containers[engine] = { id: await startContainer(engine, place), ready };
      urls[engine] = url;
    } catch (error) {
      failures.push(`${engine} from ${image}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  await Promise.all(engines.map(start));
  writeRegister(register, { containers, otherwise });
  return { register, urls, failures };
};

/** Stops and removes the started containers. */
export const removeContainers = async (register: string): Promise<void> => {
  const client = await getContainerRuntimeClient();
  const ids = Object.values(readRegister(register).containers).map(({ id }) => id);
  await Promise.all(ids.map((id) => client.container.getById(id).remove({ force: true, v: true })));
  rmSync(dirname(register), { recursive: true });
};

/** Executes a verb of the command for engines: `kill`, `stop`, `start`, `pause`, `resume`, `wipe`, `pid`.
 * @returns undefined if the engine is in none of the containers */
export const controlContainer = async (register: string, verb: string, name: string): Promise<string | undefined> => {
  const engine = (otherNames[name] ?? name) as Startable;
  const started = readRegister(register).containers[engine];
  if (started === undefined) return undefined;
  const client = await getContainerRuntimeClient();
  const container = client.container.getById(started.id);
  const { State: state } = await container.inspect();
  const wake = async (): Promise<void> => (state.Paused ? container.unpause() : undefined);
  if (verb === 'pid') return `${state.Pid}`;
  if (verb === 'pause') await container.pause();
  else if (verb === 'resume') await wake();
  else if (verb === 'start') await startAgain(client, started, state.Running);
  else {
    await wake();
    if (verb === 'stop') await container.stop({ t: stopWithinSeconds });
    else if (state.Running) await container.kill();
    if (verb === 'wipe') await renew(client, register, engine, started);
  }
  return '';
};

const startContainer = async (engine: Startable, place: EngineAddress): Promise<string> => {
  const { image, containerPort, environment = {}, entrypoint, command, ready } = recipeOf(engine, place);
  const container = new GenericContainer(image)
    .withExposedPorts({ container: containerPort, host: place.port })
    .withEnvironment(environment)
    .withStartupTimeout(readyWithinMs)
    .withWaitStrategy(Wait.forSuccessfulCommand(ready));
  if (entrypoint !== undefined) container.withEntrypoint([...entrypoint]);
  if (command !== undefined) container.withCommand([...command]);
  return (await container.start()).getId();
};

const startAgain = async (client: ContainerRuntimeClient, { id, ready }: Started, running: boolean): Promise<void> => {
  const container = client.container.getById(id);
  if (!running) await container.start();
  const deadline = Date.now() + readyWithinMs;
  while ((await client.container.exec(container, ['/bin/sh', '-c', ready])).exitCode !== 0) {
    if (Date.now() > deadline) throw new Error(`not ready within ${readyWithinMs} ms`);
    await sleep(readyAskedEachMs);
  }
};

/** Replaces a container by a new one of the same kind, which has no data. */
const renew = async (client: ContainerRuntimeClient, file: string, engine: Startable, { id, ready }: Started): Promise<void> => {
  const container = client.container.getById(id);
  const { Config: config, HostConfig: hostConfig } = await container.inspect();
  await container.remove({ force: true, v: true });
  const renewed = await client.container.dockerode.createContainer({ ...config, Hostname: '', HostConfig: hostConfig });
  const register = readRegister(file);
  writeRegister(file, { ...register, containers: { ...register.containers, [engine]: { id: renewed.id, ready } } });
};

/** Returns a port that stays the same when the container is restarted. A port chosen by Docker would change. */
const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
