import { execFileSync } from 'node:child_process';
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from '../api/client.ts';
import { aPinpoint } from '../api/samples.ts';
import { bodyOf, type Session } from '../api/session.ts';
import { backUp, expectSound, verification } from './installation.ts';
import { newSession, type Server, sessionOn } from './server.ts';
import { useCrashServers } from './test-servers.ts';
import { until } from './until.ts';

jest.setTimeout(300_000);

const diskMiB = 24;
/** The size of the file that reserves disk space for a start. */
const reserveBytes = 2 * 1024 * 1024;

const canMount = (() => {
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' });
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
})();
const mounted = canMount ? describe : describe.skip;

const ground = useCrashServers();
let disk: string;
let filler: string;

/** Fills the disk until no block is free. A running server may free some right after. */
const fill = (): void => {
  const handle = openSync(filler, 'a');
  for (const bytes of [Buffer.alloc(1_048_576, 1), Buffer.alloc(4_096, 1), Buffer.alloc(1, 1)]) {
    try {
      for (;;) writeSync(handle, bytes);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
  fsyncSync(handle);
  closeSync(handle);
};

const inShort = ({ status, headers }: Answer) => ({ status, retry: headers['retry-after'] !== undefined });
const refused = { status: 503, retry: true };

/** The ids of acknowledged writes, and those of them that readers had seen by then. */
type Written = { readonly ids: unknown[]; readonly seen: unknown[] };

/** Writes until the server refuses a write. */
const writeUntilRefused = async (session: Session, { ids, seen }: Written): Promise<void> => {
  for (;;) {
    const answer = await session.post('/pinpoints', aPinpoint({ description: 'x'.repeat(50_000) }));
    if (answer.status !== 201) return expect(inShort(answer)).toEqual(refused);
    const { id } = bodyOf<{ id: number }>(answer, 201);
    ids.push(id);
    // The disk may be too full for the read models before it is too full for the log.
    if (answer.headers['x-read-lag'] === undefined) seen.push(id);
  }
};

/** Checks that reads are answered, that writes are refused, and that verification reports what it could not check. */
const expectReadsOnly = async (server: Server, session: Session, ids: readonly unknown[]): Promise<void> => {
  expect((await session.get('/pinpoints')).status).toBe(200);
  for (const id of ids) expect((await session.get(`/pinpoints/${id}`)).status).toBe(200);
  expect(inShort(await session.put(`/pinpoints/${ids[0]}`, aPinpoint({ description: 'y'.repeat(50_000) })))).toEqual(refused);
  expect(inShort(await session.post('/lists', { name: 'x', description: 'z'.repeat(50_000) }))).toEqual(refused);
  const found = await verification(server);
  expect(found.sound).toBe(false);
  expect(found.unchecked).toEqual([
    expect.stringMatching(/^The read models were not compared with the log: .*full/),
    expect.stringMatching(/^The history was not compared with the log: /),
  ]);
  expect(found.log).toEqual([]);
};

mounted('a server on a full disk (needs root and mounts)', () => {
  beforeEach(() => {
    disk = ground.directory();
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMiB}m,mode=0700`, 'tmpfs', disk]);
    filler = join(disk, 'filler');
  });
  afterEach(() => {
    execFileSync('umount', ['--lazy', disk]);
  });

  it('starts for reads after each stop on the full disk, and for writes once there is space', async () => {
    const directory = join(disk, 'data');
    const first = await ground.start(directory);
    const session = await newSession(first);
    const { id } = await session.create('/pinpoints', aPinpoint());
    const written: Written = { ids: [id], seen: [id] };
    fill();
    await writeUntilRefused(session, written);
    await first.stop();

    for (let start = 1; start <= 3; start += 1) {
      // At the first start, only the reserved space is free.
      if (start === 1) fill();
      const server = await ground.start(directory);
      const again = sessionOn(server, session.application, session.token);
      await writeUntilRefused(again, written);
      fill();
      await expectReadsOnly(server, again, written.seen);
      await server.stop();
    }

    rmSync(filler);
    const server = await ground.start(directory);
    const again = sessionOn(server, session.application, session.token);
    await until(async () => (await again.post('/lists', { name: 'room' })).status === 201);
    expect((await again.page('/pinpoints?limit=500')).results.map((one) => one.id)).toEqual(written.ids);
    expect(statSync(join(directory, 'reserve')).size).toBe(reserveBytes);
    await expectSound(server);
    await server.stop();
  });

  it('starts for reads without the reserved space, when SQLite has space to read but not to write', async () => {
    const directory = join(disk, 'data');
    const first = await ground.start(directory);
    const session = await newSession(first);
    const { id } = await session.create('/pinpoints', aPinpoint());
    await first.stop();
    rmSync(join(directory, 'reserve'));
    fill();
    // Frees enough space for the shared memory of three SQLite files, but not for `operator.json`, where commands find the server's
    // address.
    execFileSync('truncate', ['--size', '-100K', filler]);
    const launched = ground.launch(directory);
    await until(() => launched.printed().includes('Waymark is ready at'));
    const [, api = ''] = /ready at (\S+)/.exec(launched.printed()) ?? [];
    const headers = { Authorization: `Bearer ${session.token}`, 'Content-Type': 'application/json' };
    const pinpoint = `${api}/v3.0/pinpoints/${id}`;
    expect((await fetch(pinpoint, { headers })).status).toBe(200);
    const written = await fetch(pinpoint, { method: 'PUT', headers, body: JSON.stringify(aPinpoint({ name: 'full' })) });
    expect([written.status, written.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
    const token = await fetch(`${api}/v3.0/oauth2/token`, {
      method: 'POST',
      headers: basic(session),
      body: 'grant_type=client_credentials',
    });
    expect(token.status).toBe(503);
    rmSync(filler);
    await until(async () => (await fetch(pinpoint, { method: 'DELETE', headers })).status === 204);
    await launched.kill();
  });

  it('has no room for a backup and an export, which say so, and begin again', async () => {
    const server = await ground.start(ground.directory());
    const session = await newSession(server);
    for (let nth = 0; nth < 5; nth += 1) await session.create('/pinpoints', aPinpoint({ description: 'x'.repeat(50_000) }));
    const [backup, moved] = [join(disk, 'backup'), join(disk, 'export')];
    fill();
    execFileSync('truncate', ['--size', '-100K', filler]);
    for (const [path, directory] of [
      ['/backup', backup],
      ['/export', moved],
    ] as const) {
      const answer = await server.operator('POST', path, { directory, final: false });
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(`${directory} has no room for the `)]);
    }
    expect(readdirSync(backup)).toEqual([]);
    rmSync(filler);
    await backUp(server, backup);
    bodyOf(await server.operator('POST', '/export', { directory: moved, final: false }), 200);
    await server.stop();
  });
});

const basic = ({ application: { client_id, client_secret } }: Session) => ({
  Authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
  'Content-Type': 'application/x-www-form-urlencoded',
});
