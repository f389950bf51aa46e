import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ask, statusOf, until } from '../client.ts';
import { freePort, launch } from '../process.ts';
import { fields, type World } from './load.ts';
import type { Build } from './subject.ts';

export type PreparedAnswer = { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string };
export type FloorAnswers = Readonly<Record<'one' | 'page' | 'create' | 'update', PreparedAnswer>>;

const serverProgram = fileURLToPath(new URL('./floor-server.ts', import.meta.url));

/** Returns the responses of a build to each measured operation, without the headers that Node adds. */
export const recordAnswers = async ({ build: { base, token }, ids }: World): Promise<FloorAnswers> => {
  const answer = async (method: string, path: string, body?: string): Promise<PreparedAnswer> => {
    const {
      status,
      headers,
      body: text,
    } = await ask(`${base}/v3.0/pinpoints${path}`, { method, token, ...(body !== undefined && { body }) });
    const { date: _date, connection: _connection, 'keep-alive': _keepAlive, ...own } = headers;
    return { status, headers: own as Record<string, string>, body: text };
  };
  const [id] = ids;
  return {
    one: await answer('GET', `/${id}`),
    page: await answer('GET', ''),
    create: await answer('POST', '', fields(1)),
    update: await answer('PUT', `/${id}`, fields(2)),
  };
};

/** Starts the floor with these answers.
 * @param under a command that runs Node */
export const startFloor = async (answers: FloorAnswers, directory: string, under: readonly string[]): Promise<Build> => {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, 'answers.json');
  writeFileSync(file, JSON.stringify(answers));
  const port = await freePort();
  const settings = { PORT: `${port}`, FLOOR_ANSWERS: file, FLOOR_FILE: join(directory, 'stored') };
  const launched = launch([serverProgram], directory, settings, under);
  const base = `http://127.0.0.1:${port}`;
  await until('the floor', async () => {
    launched.assertRunning();
    return (await statusOf(`${base}/v3.0/pinpoints`, '')) === 200;
  });
  return { pid: launched.pid, directory, base, token: '', stop: launched.stop };
};
