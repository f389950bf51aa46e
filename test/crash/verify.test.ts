import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commitmentTo } from '@waymark/event-log/seal.ts';
import SQLite from 'better-sqlite3';
import { inFlight } from '../api/client.ts';
import { aPinpoint } from '../api/samples.ts';
import { bodyOf } from '../api/session.ts';
import { type AtRest, atRest, expectSound, verification } from './installation.ts';
import { createSampleContent } from './sample-content.ts';
import { logInAgain, newSession } from './server.ts';
import { useCrashServers } from './test-servers.ts';
import { until } from './until.ts';

const pageBytes = 4_096;
const damagedBytes = 100;
const things = 300;
const fileMs = 300_000;

jest.setTimeout(fileMs);

const ground = useCrashServers();
const lasting = useCrashServers('file');
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

  it('are built again when their file is damaged; readable content is served meanwhile', async () => {
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
    await until(async () => (await again.get('/pinpoints?limit=500')).status === 200);
    expect((await again.page('/pinpoints?limit=500')).results).toHaveLength(things + 2);
    await until(async () => (await server.operator('POST', '/verify')).status !== 409);
    await expectSound(server);
    await server.stop();
  });
});

describe('an installation whose checkpoints are published', () => {
  const settings = (place: string) => ({ WAYMARK_CHECKPOINTS_TO: place, WAYMARK_NOTARY_SECONDS: '1' });

  /** Makes an installation that stops twice: each time its notary signs. Returns a copy of the earlier state, too. */
  const published = async () => {
    const [directory, place] = [ground.directory(), ground.directory()];
    mkdirSync(place);
    const first = await ground.start(directory, { settings: settings(place) });
    await createSampleContent(await newSession(first), 'Under the lamp');
    await first.stop();
    const old = ground.copyOf(directory);
    const second = await ground.start(directory, { settings: settings(place) });
    await createSampleContent(await newSession(second), 'Over the lamp');
    await second.stop();
    return { directory, place, old };
  };

  const verified = async (directory: string, place: string, keys: readonly string[] = []) => {
    const server = await ground.start(directory, { settings: settings(place) });
    const found: object = bodyOf(await server.operator('POST', '/verify', { keys }), 200);
    await server.stop();
    return found;
  };

  it('is covered by the last checkpoint under a given key, and a text that is no key is refused', async () => {
    const { directory, place } = await published();
    const [key = ''] = readFileSync(join(directory, 'notary/verifier-keys'), 'utf8').split('\n');
    expect(await verified(directory, place, [key])).toMatchObject({
      ...{ sound: true, log: [], unchecked: [] },
      checkpoint: { origin: expect.stringMatching(/^waymark\//), key, published: true, younger: 0 },
    });
    const other = 'waymark/another+73ceffd5+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c';
    const server = await ground.start(directory, { settings: settings(place) });
    expect((await server.operator('POST', '/verify', { keys: [other] })).status).toBe(400);
    await server.stop();
  });

  it('shows a content that an intruder replaced with its commitment, although everything else was built again from it', async () => {
    const { directory, place } = await published();
    const db = new SQLite(join(directory, 'log.db'));
    const row = db
      .prepare<[], Stored>("SELECT position, envelope, salt, content FROM event WHERE stream = 'list-1' AND revision = 0")
      .get();
    const content = row?.content.replace('Under', 'under') ?? '';
    const commitment = commitmentTo(Buffer.from(row?.salt ?? '', 'base64url'), content);
    const envelope = JSON.stringify({ ...JSON.parse(row?.envelope ?? ''), commitment });
    db.prepare('UPDATE event SET content = ?, envelope = ? WHERE position = ?').run(content, envelope, row?.position);
    db.close();
    for (const part of ['read-models', 'history.db', 'proofs.db', 'notary/record.db'])
      rmSync(join(directory, part), { recursive: true, force: true });
    expect(await verified(directory, place)).toMatchObject({
      sound: false,
      log: [expect.stringMatching(/^The events up to position \d+ are not those that checkpoint \d+ \(/)],
      readModels: { equal: true },
      history: { equal: true },
    });
  });

  it('shows that an old database was restored', async () => {
    const { old, place } = await published();
    expect(await verified(old, place)).toMatchObject({
      sound: false,
      log: expect.arrayContaining([expect.stringMatching(/^The log has no record of checkpoint \d+ .*, which is published\.$/)]),
    });
  });
});

type Stored = { readonly position: number; readonly envelope: string; readonly salt: string; readonly content: string };

/** Overwrites the beginning of each page in the second half of a file. */
const damageSecondHalf = (file: string): void => {
  const bytes = readFileSync(file);
  const half = Math.ceil(bytes.length / 2 / pageBytes) * pageBytes;
  for (let at = half; at < bytes.length; at += pageBytes) bytes.fill(0xff, at, at + damagedBytes);
  writeFileSync(file, bytes);
};
