import { sampleFile } from '@waymark/domain/testing/samples.ts';
import { createOpenApp } from '@waymark/http/app.ts';
import { requireOperator } from '@waymark/http/operator/routes.ts';
import { createOperatorBudgets } from '@waymark/http/request/budgets.ts';
import { type Listening, listen } from '@waymark/http/server/server.ts';
import { toSummaryMessage } from '@waymark/transfer/stored-manifest.ts';
import { pino } from 'pino';
import { type SomeInstallation, someInstallation } from '../testing/some-export.ts';
import { accountsIn, batch, batchesOf, someBytes, useTarget } from '../testing/some-target.ts';
import { createImporter } from './import.ts';
import { batchEventsMax } from './limits.ts';
import { importRoutes } from './routes.ts';

const token = 'operator';
const target = useTarget();
let source: SomeInstallation;
let server: Listening;
beforeEach(async () => {
  source = someInstallation('source-1');
  source.populate(2, 1);
  const lifecycle = {
    observe: () => undefined,
    logger: pino({ level: 'silent' }),
    closing: () => false,
    corsOrigins: new Set<string>(),
    budgets: createOperatorBudgets(),
  };
  const routes = importRoutes(createImporter(target.options())).map((route) => requireOperator([token], route));
  server = await listen(createOpenApp(lifecycle, routes), '127.0.0.1', 0);
});
afterEach(() => server.close(100));

const post = async (path: string, body: object | Buffer, bearer = token) => {
  const isBinary = Buffer.isBuffer(body);
  const answer = await fetch(`${server.url}/operator/import/${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': isBinary ? 'application/octet-stream' : 'application/json' },
    body: isBinary ? new Uint8Array(body) : JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};

describe('the routes of an import', () => {
  it('import an installation from the first to the last request', async () => {
    const manifest = toSummaryMessage(source.manifest({ final: true }));
    const [all] = batchesOf(source, 1_000);
    expect((await post('begin', { run: 'run', manifest })).body).toMatchObject({ events: 0, files: 0, ended: false });
    expect((await post(`media/${sampleFile.name}`, someBytes)).body).toEqual({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect((await post('events', batch(all))).body).toMatchObject({ events: source.events.length, files: 1 });
    expect((await post('end', { run: 'run', manifest, accounts: accountsIn(source) })).body).toMatchObject({ equal: true, ended: true });
  });

  it('reserve the names of files that were erased in the exported installation, and erase no other file', async () => {
    const erased = `${'ab'.repeat(16)}.png`;
    for (let time = 0; time < 2; time += 1) expect((await post('marks', { names: [erased] })).status).toBe(200);
    expect(await target.options().media.get(erased)).toBe('erased');
    await post(`media/${sampleFile.name}`, someBytes);
    expect((await post('marks', { names: [sampleFile.name] })).status).toBe(409);
    expect(await target.options().media.get(sampleFile.name)).toMatchObject({ size: someBytes.length });
    expect((await post('marks', { names: ['../keys.json'] })).status).toBe(400);
  });

  it('are for operators only', async () => {
    for (const path of ['begin', 'events', 'end', 'marks', `media/${sampleFile.name}`])
      expect((await post(path, {}, 'guessed')).status).toBe(401);
  });

  it('refuse a body that is not a valid request', async () => {
    const manifest = toSummaryMessage(source.manifest());
    const [all] = batchesOf(source, 1_000);
    const wrong: [string, object][] = [
      ['begin', { manifest }],
      ['begin', { run: 'run' }],
      ['begin', { run: '../x', manifest }],
      ['begin', { run: 'run', manifest: { ...manifest, format: 2 } }],
      ['begin', { run: 'run', manifest: { ...manifest, incarnation: 'a b' } }],
      ['begin', { run: 'run', manifest: { ...manifest, ids: { ...manifest.ids, list: -1 } } }],
      ['begin', { run: 'run', manifest: { ...manifest, ids: { ...manifest.ids, list: 2 ** 52 + 1 } } }],
      ['begin', { run: 'run', manifest: { ...manifest, events: { ...manifest.events, digest: '' } } }],
      ['end', { run: 'run', manifest: { ...manifest, final: 'yes' } }],
      ['end', { run: 'run', manifest }],
      ['events', { ...batch(all), first: -1 }],
      ['events', { ...batch(all), events: {} }],
      ['events', { ...batch(all), events: Array(batchEventsMax + 1).fill(source.events[0]) }],
      ['events', []],
    ];
    for (const [path, body] of wrong) expect([path, body, (await post(path, body)).status]).toEqual([path, body, 400]);
    expect(await post('events', batch(all))).toMatchObject({ status: 409, body: { detail: 'The import has not begun.' } });
    expect((await post(`media/${sampleFile.name}`, Buffer.alloc(5 * 1024 * 1024 + 1))).status).toBe(413);
    expect((await post('media/no-file', someBytes)).status).toBe(400);
  });
});
