import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { aPinpoint } from '../api/samples.ts';
import { bodyOf } from '../api/session.ts';
import { logInAgain, newSession } from './server.ts';
import { useCrashServers } from './test-servers.ts';

const asRoot = process.getuid?.() === 0 ? describe : describe.skip;
const uid = 1_000_660_000 + Math.floor(Math.random() * 10_000);
const gid = 23_456;
/** As a container of a platform that gives each namespace user ids of its own. */
const asSomeUser = ['setpriv', `--reuid=${uid}`, '--regid=0', `--groups=${gid}`];

/** Runs the server from its sources: only the user who made a bundle can read it. */
const fromSources = 'data:text/javascript,';

jest.setTimeout(300_000);

const ground = useCrashServers();

asRoot('A server with any user id, on a volume of root that its group may write to (needs root)', () => {
  it('keeps its data over restarts, private, and refuses a second server', async () => {
    const volume = ground.directory();
    chmodSync(dirname(volume), 0o755);
    mkdirSync(volume);
    chownSync(volume, 0, gid);
    chmodSync(volume, 0o2775);
    const directory = join(volume, 'waymark');
    const options = { preload: fromSources, wrapperCommand: asSomeUser, settings: { WAYMARK_DATA_DIR: volume } };
    const server = await ground.start(directory, options);
    const session = await newSession(server);
    const { id } = await session.create('/pinpoints', aPinpoint({ name: 'kept' }));
    expect([statSync(directory).uid, statSync(directory).mode & 0o777]).toEqual([uid, 0o700]);

    const second = ground.launch(directory, options);
    expect(await second.exited).toEqual({ code: 3, signal: null });
    expect(second.printed()).toBe(`${directory} is in use by another process.\n`);
    await server.stop();

    const again = await ground.start(directory, options);
    expect(bodyOf(await (await logInAgain(again, session)).get(`/pinpoints/${id}`), 200)).toMatchObject({ name: 'kept' });
    await again.stop();
  });
});
