import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEventDigest } from '@waymark/transfer/digest.ts';
import type { Manifest } from '@waymark/transfer/format.ts';
import { openExport } from '@waymark/transfer/reader.ts';
import { aFile } from '../api/pictures.ts';
import { type Credentials, contentOf, token } from './account.ts';
import { type Desk, patienceMs, type Served, useDesk } from './waymark.ts';

type Exported = {
  readonly events: number;
  readonly newEvents: number;
  readonly files: number;
  readonly final: boolean;
  readonly digest: string;
};

const rowsFile = (desk: Desk, name: string, count: number): string => {
  const file = join(desk.directory, `${name}.ndjson`);
  const rows = Array.from({ length: count }, (_, index) =>
    JSON.stringify({ name: `${name} ${index}`, latitude: index / 100, longitude: 1 }),
  );
  writeFileSync(file, rows.join('\n'));
  return file;
};

/** Reads a whole export, and compares it with its manifest. */
const checked = async (directory: string): Promise<Manifest> => {
  const { manifest, events, files, bytesOf } = await openExport(directory);
  const digest = createEventDigest();
  for await (const event of events()) digest.add(event);
  expect([digest.count(), digest.value()]).toEqual([manifest.events.count, manifest.events.digest]);
  for await (const file of files()) expect((await bytesOf(file))?.length).toBe(file.bytes);
  return manifest;
};

type Client = (method: string, path: string, body?: object) => Promise<Response>;

const newClient = async (desk: Desk, { api }: Served): Promise<Client> => {
  const credentials = await desk.json<Credentials>(['app', 'create', '--account', 'acme', '--name', 'mover']);
  const { access_token } = (await token(api, credentials)).body;
  const headers = { Authorization: `Bearer ${access_token}`, 'Content-Type': 'application/json' };
  return (method, path, body) => fetch(`${api}/v3.0${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
};

describe('waymark export and waymark writes', () => {
  const desk = useDesk();
  const out = join(desk.directory, 'out');
  const place = { latitude: 1, longitude: 2 };

  it(
    'export an installation while it serves, and finally with its writes closed',
    async () => {
      const first = await desk.serve();
      const client = await newClient(desk, first);
      await desk.json(['load', rowsFile(desk, 'early', 40), '--account', 'acme']);
      expect((await client('POST', '/pinpoints', { name: 'pictured', ...place, media_file: await aFile() })).status).toBe(201);
      const early = await desk.json<Exported>(['export', out]);
      expect(early).toMatchObject({ final: false, files: 1, newEvents: early.events });

      await desk.json(['load', rowsFile(desk, 'late', 30), '--account', 'acme']);
      const late = await desk.json<Exported>(['export', out, '--final']);
      expect(late).toMatchObject({ final: true, files: 1, newEvents: late.events - early.events });
      expect(late.newEvents).toBeGreaterThanOrEqual(30);
      const manifest = await checked(out);
      expect(manifest).toMatchObject({ final: true, events: { streams: { pinpoint: 71 } } });
      expect(manifest.ids.pinpoint).toBeGreaterThanOrEqual(71);
      await first.stop();
    },
    patienceMs,
  );

  it(
    'keep writes closed over a restart, while reads continue, until they are opened',
    async () => {
      const second = await desk.serve();
      expect(await desk.json(['status'])).toMatchObject({ ready: true, writes: 'closed' });
      const object = ['pinpoint', '1', '--account', 'acme'];
      for (const order of [
        ['app', 'create', '--account', 'acme', '--name', 'late'],
        ...['forget', 'hold'].map((name) => [name, ...object]),
      ])
        expect(await desk.run(...order)).toMatchObject({ code: 3, stderr: expect.stringContaining('Writes are closed.') });
      expect(await desk.json(['writes', 'open'])).toEqual({ writes: 'open' });
      const client = await newClient(desk, second);
      expect(await desk.json(['writes', 'close'])).toEqual({ writes: 'closed' });

      for (const [method, path] of [
        ['POST', '/pinpoints'],
        ['PUT', '/pinpoints/1'],
        ['DELETE', '/pinpoints/1'],
        ['POST', '/lists'],
      ] as const) {
        const refused = await client(method, path, { name: 'x', ...place });
        expect([refused.status, refused.headers.get('Retry-After'), await refused.json()]).toEqual([
          503,
          '1',
          { detail: 'Writes are closed.' },
        ]);
      }
      expect((await client('GET', '/pinpoints/1')).status).toBe(200);
      await desk.json(['writes', 'open']);
      expect((await client('DELETE', '/pinpoints/1')).status).toBe(204);
      expect(await contentOf(desk, second, 'acme', 'pinpoints')).toHaveLength(70);
      await second.stop();
    },
    patienceMs,
  );

  it(
    'refuse a final export of an installation whose writes are open, and a directory with other content',
    async () => {
      const server = await desk.serve();
      const headers = { Authorization: `Bearer ${server.token}`, 'Content-Type': 'application/json' };
      const body = JSON.stringify({ directory: out, final: true });
      expect((await fetch(`${server.url}/operator/export`, { method: 'POST', headers, body })).status).toBe(409);
      expect((await fetch(`${server.url}/operator/writes`, { method: 'POST', headers, body: '{"open":"no"}' })).status).toBe(400);
      await server.stop();
      expect(await desk.run('export', desk.directory)).toMatchObject({ code: 4, stderr: expect.stringContaining('holds no export') });
    },
    patienceMs,
  );

  it(
    'work while no server runs',
    async () => {
      const into = join(desk.directory, 'offline');
      const made = await desk.json<Exported>(['export', into]);
      expect((await checked(into)).events.count).toBe(made.events);
      expect(await desk.json(['export', into])).toMatchObject({ events: made.events, newEvents: 0, digest: made.digest });
    },
    patienceMs,
  );
});
