import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { aPinpoint } from '../api/samples.ts';
import type { Session } from '../api/session.ts';
import { launch, newSession, type Server, waitUntilReady } from '../crash/server.ts';

const root = join(import.meta.dirname, '../..');
const warmUps = 30;
const recordings = 5;
const pollEveryMs = 10;

describe('the files that a warm request passes', () => {
  let server: Server;
  let session: Session;
  let id = 0;
  const directory = mkdtempSync(join(tmpdir(), 'waymark-walk-'));
  const file = join(directory, 'walk.json');

  beforeAll(async () => {
    const preload = join(import.meta.dirname, 'recording/main.ts');
    server = await waitUntilReady(launch(join(directory, 'data'), { preload, settings: { WALK_FILE: file } }));
    session = await newSession(server);
    ({ id } = await session.create('/pinpoints', aPinpoint()));
  });
  afterAll(async () => {
    await server.stop();
    rmSync(directory, { recursive: true });
  });

  /** Returns the files of several recordings of a request. `always`: those of each of them; a timer's files are not among these. */
  const record = async (send: (nth: number) => Promise<unknown>): Promise<Record<'always' | 'ever', ReadonlySet<string>>> => {
    for (let nth = 0; nth < warmUps; nth += 1) await send(nth);
    let always: ReadonlySet<string> | undefined;
    let ever: ReadonlySet<string> = new Set();
    for (let nth = 0; nth < recordings; nth += 1) {
      const recorded = new Set(await recordOnce(() => send(warmUps + nth)));
      always = always?.intersection(recorded) ?? recorded;
      ever = ever.union(recorded);
    }
    return { always: always ?? new Set(), ever };
  };

  const read = (): string => readFileSync(file, 'utf8');

  const recordOnce = async (send: () => Promise<unknown>): Promise<readonly string[]> => {
    rmSync(file, { force: true });
    process.kill(server.pid, 'SIGUSR2');
    while (!existsSync(file)) await pause(pollEveryMs);
    await send();
    if (read() === '') process.kill(server.pid, 'SIGUSR2');
    while (read() === '') await pause(pollEveryMs);
    const urls: readonly string[] = JSON.parse(read());
    return urls
      .filter((url) => url.startsWith('file:') && !url.includes('/node_modules/') && !url.includes('/test/'))
      .map((url) => relative(root, fileURLToPath(url)));
  };

  it.each([
    ['a write until its append', 'PUT /v3.0/pinpoints/12', (nth: number) => session.put(`/pinpoints/${id}`, aPinpoint({ name: `${nth}` }))],
    ['a read', 'GET /v3.0/pinpoints/12', () => session.get(`/pinpoints/${id}`)],
  ])('are those that ARCHITECTURE.md lists: %s', async (_, heading, send) => {
    const listed = filesListedBelow(heading);
    const { always, ever } = await record(send);
    expect([...always.difference(listed)]).toEqual([]);
    expect([...listed.difference(ever)]).toEqual([]);
  });
});

/** Returns the files in the table below a heading of ARCHITECTURE.md. */
const filesListedBelow = (heading: string): ReadonlySet<string> => {
  const [, below = ''] = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').split(`### \`${heading}\``);
  const [table = ''] = below.split(/^##/m);
  return new Set([...table.matchAll(/`([^`]+\.ts)`/g)].map(([, path = '']) => path));
};
