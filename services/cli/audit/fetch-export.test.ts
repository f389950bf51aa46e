import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fetchExport } from './fetch-export.ts';

const folder = mkdtempSync(join(tmpdir(), 'waymark-fetch-export-'));
const file = join(folder, 'export.ndjson');
let server: Server;
afterEach(() => {
  server.close();
  rmSync(file, { force: true });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts a server with these pages. The link of each names the next one under a public base URL, as behind a proxy. */
const serving = async (pages: Readonly<Record<string, { status?: number; body: string; next?: string }>>) => {
  const seen: string[] = [];
  server = createServer((request, response) => {
    request.resume();
    const { url = '' } = request;
    if (url.endsWith('/token')) return void response.end(JSON.stringify({ access_token: 'token' }));
    seen.push(url);
    const { status = 404, body, next } = { body: '{"detail":"Not found."}', ...pages[url] };
    response.writeHead(status, next === undefined ? {} : { Link: `<https://maps.example/audit/v1${next}>; rel="next"` }).end(body);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const credentials = { client_id: 'id', client_secret: 'secret' };
  const request = { url: `http://127.0.0.1:${port}`, credentials, object: undefined, checkpoints: [], announcements: true, file };
  return { request, seen };
};

describe('the export of a history', () => {
  it('is fetched page by page into one file', async () => {
    const { request } = await serving({
      '/audit/v1/export': { status: 200, body: '{"header":1}\n{"é":1}\n', next: '/export?cursor=one' },
      '/audit/v1/export?cursor=one': { status: 200, body: '{"event":2}\n', next: '/export?cursor=two' },
      '/audit/v1/export?cursor=two': { status: 200, body: '{"event":3}\n' },
    });
    const text = '{"header":1}\n{"é":1}\n{"event":2}\n{"event":3}\n';
    expect(await fetchExport(request)).toEqual({ file, events: 3, pages: 3, bytes: Buffer.byteLength(text) });
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('is that of an object, continues checkpoints, and leaves out announcements', async () => {
    const path = '/audit/v1/pinpoints/12/export?checkpoint=3%2C7&announcements=none';
    const { request, seen } = await serving({ [path]: { status: 200, body: '{}\n' } });
    await fetchExport({ ...request, object: 'pinpoints/12', checkpoints: [3, 7], announcements: false });
    expect(seen).toEqual([path]);
  });

  it('leaves no file if the server refuses a page', async () => {
    const detail = 'There is no signed checkpoint yet.';
    const { request } = await serving({ '/audit/v1/export': { status: 409, body: JSON.stringify({ detail }) } });
    await expect(fetchExport(request)).rejects.toThrow(`The server refused the export: ${detail}`);
    expect(existsSync(file)).toBe(false);
  });

  it('fails and leaves no file if there is room only for a part of a page', async () => {
    const { request } = await serving({ '/audit/v1/export': { status: 200, body: `${'x'.repeat(5_000)}\n` } });
    const fetching = `import { fetchExport } from '${new URL('fetch-export.ts', import.meta.url)}'; await fetchExport(${JSON.stringify(request)});`;
    const limited = ['-c', 'ulimit -f 2; exec "$0" --input-type=module --eval "$1"', process.execPath, fetching];
    await expect(promisify(execFile)('sh', limited)).rejects.toThrow(`${file} cannot be written to: EFBIG`);
    expect(existsSync(file)).toBe(false);
  });

  it('overwrites no file', async () => {
    writeFileSync(file, 'mine');
    const { request, seen } = await serving({});
    await expect(fetchExport(request)).rejects.toThrow('cannot be created');
    expect([readFileSync(file, 'utf8'), seen]).toEqual(['mine', []]);
  });
});
