import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { inFlight } from '../api/client.ts';
import { aPinpoint } from '../api/samples.ts';
import { bodyOf } from '../api/session.ts';
import { type AtRest, atRest, expectSound, verification } from './installation.ts';
import { logInAgain } from './server.ts';
import { useTestServers } from './test-servers.ts';

const pageBytes = 4_096;
const damagedBytes = 100;
const things = 300;
const fileMs = 300_000;

jest.setTimeout(fileMs);

const ground = useTestServers();
const lasting = useTestServers('file');
let installation: AtRest;

beforeAll(async () => {
  installation = await atRest(lasting, 'Under the lamp');
}, fileMs);

const readSideIn = (directory: string): string => {
  const folder = join(directory, 'read-models');
  return join(folder, readFileSync(join(folder, 'current'), 'utf8').trim());
};

describe('a log that was changed by hand', () => {
  it('is detected', async () => {
    const directory = ground.copyOf(installation.directory);
    const db = new SQLite(join(directory, 'log.db'));
    db.exec(`UPDATE event SET content = replace(content, 'Under', 'under') WHERE stream = 'list-1'`);
    db.close();
    const server = await ground.start(directory);
    const found = await verification(server);
    expect(found.sound).toBe(false);
    expect(found.log).toEqual([expect.stringMatching(/^position \d+: the content does not match its commitment$/)]);
    await server.stop();
  });
});

describe('read models that differ from the log', () => {
  it('are detected, down to one character, and repaired by a rebuild', async () => {
    const directory = ground.copyOf(installation.directory);
    const db = new SQLite(readSideIn(directory));
    db.exec(`UPDATE list SET text = replace(text, 'Under', 'under')`);
    db.close();
    const server = await ground.start(directory);
    expect(await verification(server)).toMatchObject({ sound: false, log: [], readModels: { equal: false } });
    bodyOf(await server.operator('POST', '/rebuild'), 200);
    await expectSound(server);
    await server.stop();
  });

  it('are detected when their file is damaged; readable content is served meanwhile, and a rebuild repairs them', async () => {
    const directory = ground.copyOf(installation.directory);
    const before = await ground.start(directory);
    const session = await logInAgain(before, installation.session);
    const bulky = aPinpoint({ description: 'x'.repeat(pageBytes) });
    await inFlight(16, [...Array(things).keys()], () => session.create('/pinpoints', bulky));
    await before.stop();
    damageSecondHalf(readSideIn(directory));

    const server = await ground.start(directory);
    const again = await logInAgain(server, session);
    expect((await again.get('/lists')).status).toBe(200);
    const damaged = await again.get('/pinpoints?limit=500');
    expect([damaged.status, damaged.headers['retry-after']]).toEqual([503, '1']);
    expect((await again.put(`/lists/${installation.content['lists']?.[0]?.id}`, { name: 'Edited' })).status).toBe(200);
    expect(await verification(server)).toMatchObject({ sound: false, log: [], readModels: { equal: false } });
    bodyOf(await server.operator('POST', '/rebuild'), 200);
    await expectSound(server);
    expect((await again.page('/pinpoints?limit=500')).results).toHaveLength(things + 2);
    await server.stop();
  });
});

/** Overwrites the beginning of each page in the second half of a file. */
const damageSecondHalf = (file: string): void => {
  const bytes = readFileSync(file);
  const half = Math.ceil(bytes.length / 2 / pageBytes) * pageBytes;
  for (let at = half; at < bytes.length; at += pageBytes) bytes.fill(0xff, at, at + damagedBytes);
  writeFileSync(file, bytes);
};
