import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Credentials, token } from './account.ts';
import { patienceMs, type Served, useDesk } from './waymark.ts';

type Report = {
  readonly id: string;
  readonly report: { readonly objects: number; readonly undone: number; readonly kept: number; readonly results: readonly unknown[] };
};

const rows = 5_000;

describe('waymark undo', () => {
  const desk = useDesk();
  let server: Served;
  let authorization: string;

  const send = (method: string, path: string, body?: unknown): Promise<Response> =>
    fetch(new URL(path, server.api), {
      method,
      headers: { Authorization: authorization, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  /** Returns the texts of all pages of pinpoints. */
  const pages = async (): Promise<readonly string[]> => {
    const texts: string[] = [];
    for (let path: string | null = '/v3.0/pinpoints?limit=500'; path !== null; ) {
      const text = await (await send('GET', path)).text();
      texts.push(text);
      path = JSON.parse(text).next;
    }
    return texts;
  };
  const pinpoints = async (): Promise<readonly { readonly id: number }[]> => (await pages()).flatMap((text) => JSON.parse(text).results);

  it(
    'takes back an import, keeps a row that was corrected by hand, and leaves every other object as it was, byte for byte',
    async () => {
      server = await desk.serve();
      const words = ['app', 'create', '--account', 'acme', '--name', 'CMS', '--scopes', 'read,write,audit'];
      authorization = `Bearer ${(await token(server.api, await desk.json<Credentials>(words))).body.access_token}`;
      const place = { name: 'Harbour', latitude: 54.32, longitude: 10.14, description: '<p>A quiet port.</p>', tags: ['sea'] };
      for (let nth = 0; nth < 20; nth += 1) await send('POST', '/v3.0/pinpoints', { ...place, name: `Harbour ${nth}` });
      const before = await pages();

      const file = join(desk.directory, 'import.ndjson');
      const lines = Array.from({ length: rows }, (_, nth) => JSON.stringify({ name: `Row ${nth}`, latitude: 54, longitude: 10 }));
      writeFileSync(file, lines.join('\n'));
      const { correlation } = await desk.json<{ correlation: string }>(['load', file, '--account', 'acme']);
      const corrected = (await pinpoints()).at(-1)?.id ?? 0;
      await send('PUT', `/v3.0/pinpoints/${corrected}`, { ...place, name: 'By hand' });

      const undo = ['undo', correlation, '--account', 'acme'];
      const dryRun = await desk.run(...undo);
      expect({ code: dryRun.code, stderr: dryRun.stderr }).toEqual({ code: 0, stderr: '' });
      expect(dryRun.stdout).toMatch(new RegExp(`^pinpoints/${corrected} +kept +changed-since$`, 'm'));
      expect(dryRun.stdout).toMatch(/^would be undone +4,999, in part 0, kept 1$/m);
      expect(await pinpoints()).toHaveLength(20 + rows);

      const { report } = await desk.json<Report>([...undo, '--run']);
      expect(report).toMatchObject({ objects: rows, undone: rows - 1, kept: 1 });
      expect(report.results).toHaveLength(rows);
      expect(report).not.toHaveProperty('next');
      expect((await pinpoints()).map(({ id }) => id)).toContain(corrected);
      await send('DELETE', `/v3.0/pinpoints/${corrected}`);
      expect(await pages()).toEqual(before);
    },
    patienceMs * 4,
  );

  it(
    'says why the API refuses it',
    async () => {
      const mistyped = await desk.run('undo', 'a', '--account', 'acm');
      expect(mistyped).toMatchObject({ code: 4, stderr: expect.stringContaining('There is no account acm.') });
      const { code, stderr } = await desk.run('undo', 'a', '--account', 'acme', '--from', 'yesterday');
      expect(code).toBe(4);
      expect(stderr).toContain('The API answered 400');
    },
    patienceMs,
  );
});
