import { cpSync, existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { aPinpoint } from '../api/samples.ts';
import { bodyOf } from '../api/session.ts';
import { contentOf } from './content.ts';
import { atRest, expectSound, stateOf } from './installation.ts';
import { logInAgain, type Server, sessionOn } from './server.ts';
import { useCrashServers } from './test-servers.ts';
import { until } from './until.ts';

jest.setTimeout(300_000);

const ground = useCrashServers();
const idsSkipped = 1_000_000_000;

const setWrites = ({ operator }: Server, open: boolean) => operator('POST', '/writes', { open });

describe('a data directory that was rolled back as a whole', () => {
  it('is renewed by the operator while the server runs: nothing issued since is valid, and no id is reused', async () => {
    const { directory, session, content } = await atRest(ground, 'snapshot');
    const snapshot = ground.copyOf(directory);
    const path = `/pinpoints/${content['pinpoints']?.[0]?.id}`;
    const newer = await ground.start(directory);
    const before = await logInAgain(newer, session);
    const lost = await before.create('/lists', { name: 'lost' });
    bodyOf(await before.put(path, aPinpoint({ name: 'lost' })), 200);
    const tag = String((await before.get(path)).headers.etag);
    await newer.stop();
    rmSync(directory, { recursive: true });
    cpSync(snapshot, directory, { recursive: true });

    const server = await ground.start(directory);
    const old = sessionOn(server, session.application, session.token);
    const page = await old.page('/pinpoints?limit=1');
    const known = await stateOf(server);
    expect((await server.operator('POST', '/renew')).status).toBe(409);
    bodyOf(await setWrites(server, false), 200);
    const renewed = bodyOf<{ before: string; incarnation: string }>(await server.operator('POST', '/renew'), 200);
    expect(renewed.before).toBe(known.incarnation);
    expect((await stateOf(server)).incarnation).toBe(renewed.incarnation);
    expect(JSON.parse(readFileSync(join(directory, 'log-facts.json'), 'utf8')).incarnation).toBe(renewed.incarnation);
    expect((await old.get('/pinpoints')).status).toBe(401);
    const fresh = await logInAgain(server, session);
    expect(await contentOf(fresh)).toEqual(content);
    expect((await fresh.get(String(page.next))).status).toBe(404);
    expect((await fresh.post('/lists', { name: 'closed' })).status).toBe(503);
    bodyOf(await setWrites(server, true), 200);
    bodyOf(await fresh.put(path, aPinpoint({ name: 'kept' })), 200);
    expect((await fresh.get(path)).headers.etag).not.toBe(tag);
    expect((await fresh.create('/lists', { name: 'kept' })).id).toBeGreaterThan(lost.id + idsSkipped / 2);
    await expectSound(server);
    await server.stop();

    const again = await ground.start(directory);
    expect((await stateOf(again)).incarnation).toBe(renewed.incarnation);
    expect((await sessionOn(again, fresh.application, fresh.token).get('/pinpoints')).status).toBe(200);
    await again.stop();
  });
});

describe('the file with the first application’s secret', () => {
  it('is named in the log at each start, and stays until the operator removes it', async () => {
    const directory = ground.directory();
    const file = join(directory, 'first-application.json');
    const named = (server: Server): number => server.printed().split('waymark app forget-first').length - 1;
    const first = await ground.start(directory);
    await until(() => existsSync(file));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await first.stop();
    for (let start = 0; start < 2; start += 1) {
      const server = await ground.start(directory);
      await server.stop();
      expect(named(server)).toBe(1);
      expect(existsSync(file)).toBe(true);
    }
    const server = await ground.start(directory);
    bodyOf(await server.operator('DELETE', '/first-application'), 200);
    expect(existsSync(file)).toBe(false);
    expect((await server.operator('DELETE', '/first-application')).status).toBe(404);
    await server.stop();
    const last = await ground.start(directory);
    await last.stop();
    expect(named(last)).toBe(0);
  });
});
