import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { projectionVersion } from '@waymark/read-models/projection/projection.ts';
import SQLite from 'better-sqlite3';
import { filesUnder, filesWith } from '../api/erased-text.ts';
import { aFile } from '../api/pictures.ts';
import { bodyOf, type Session } from '../api/session.ts';
import { liveFile } from '../model/rebuild/files.ts';
import { expectSound } from './installation.ts';
import { newSession, type Server } from './server.ts';
import { auditorOn } from './session-of-auditor.ts';
import { useCrashServers } from './test-servers.ts';

const ground = useCrashServers();

/** Leaves a text in free pages of the read models' file, and gives the file the version of a release before 0.3.0, which did so. */
const leaveBehind = (directory: string, text: string): void => {
  const db = new SQLite(liveFile(directory));
  db.pragma('secure_delete = OFF');
  db.exec('CREATE TABLE old (text TEXT)');
  db.prepare('INSERT INTO old VALUES (?)').run(text.repeat(1_000));
  db.exec('DROP TABLE old');
  db.pragma(`user_version = ${projectionVersion}`);
  db.close();
};

/** The operations that build a history from the log, and the names with which its files begin. */
const building = [
  ['/verify', 'history-verification'],
  ['/rebuild', 'history.db.next'],
] as const;

/** Kills a server once an operation has written a text to a file. The operation is repeated until then. */
const killWhileBuilding = async (server: Server, [path, name]: (typeof building)[number], text: string): Promise<void> => {
  const isBuilt = (): boolean => filesUnder(server.directory).some((file) => file.path.startsWith(name) && file.bytes.includes(text));
  const again = async (): Promise<void> => {
    while (server.child.signalCode === null) await server.operator('POST', path, {}).catch(() => undefined);
  };
  const operating = again();
  while (!isBuilt()) await nextTurn();
  await server.kill();
  await operating;
};

type Page = { readonly results: readonly { readonly id: string }[] };

/** Returns the id of the last event of an object. */
const lastEventOf = async (me: Session, path: string): Promise<string> => {
  const { results } = bodyOf<Page>(await me.get(`/audit/v1${path}/history`), 200);
  return results[0]?.id ?? '';
};

describe('a text that was erased', () => {
  const secret = 'Zq7w-erased-text';

  it('leaves no byte and no digest in the data directory, once forget has answered', async () => {
    const directory = ground.directory();
    const server = await ground.start(directory);
    const me = await newSession(server);
    const edit = (id: number, name: string, description = '') =>
      me.put(`/pinpoints/${id}`, { name, latitude: 1, longitude: 2, description }).then((answer) => bodyOf(answer, 200));
    const { id } = await me.create('/pinpoints', { name: secret, latitude: 1, longitude: 2, media_file: await aFile() });
    for (let nth = 0; nth < 40; nth += 1) await edit(id, secret, `<p>${secret} ${nth} `.padEnd(nth % 2 === 0 ? 100 : 9_000, 'x'));
    await edit(id, 'Public');
    expect(filesWith(directory, secret)).not.toEqual([]);
    bodyOf(await server.operator('POST', '/forget', { kind: 'pinpoint', id, account: me.application.account }), 200);
    expect(filesWith(directory, secret)).toEqual([]);
    await expectSound(server);
    await server.stop();
    expect(filesWith(directory, secret)).toEqual([]);
  });

  it('is in no response to a request that follows forget, while clients read and the read sides are rebuilt', async () => {
    const directory = ground.directory();
    const server = await ground.start(directory);
    const me = await auditorOn(server);
    const { account } = me.application;
    const textOf = (nth: number): string => `${secret}-${nth};`;
    const made = await Promise.all(
      Array.from({ length: 6 }, (_, nth) => me.create('/pinpoints', { name: textOf(nth), latitude: 1, longitude: 2 })),
    );
    const ids = made.map(({ id }) => id);
    const texts = ids.map((_, nth) => textOf(nth));
    await Promise.all(ids.map((id) => me.put(`/pinpoints/${id}`, { name: 'Public', latitude: 1, longitude: 2 })));
    const list = await me.create('/lists', { name: 'All', pinpoints: ids });
    const moment = await lastEventOf(me, `/lists/${list.id}`);
    const paths = [
      '/pinpoints?limit=100',
      '/audit/v1/activity?limit=500',
      `/audit/v1/as-of/${moment}/pinpoints?limit=100`,
      `/audit/v1/as-of/${moment}/lists/${list.id}/pinpoints?limit=100`,
      ...ids.flatMap((id) => ['history', 'blame', 'versions/0'].map((what) => `/audit/v1/pinpoints/${id}/${what}`)),
    ];

    const erased = new Set<string>();
    let isDone = false;
    const found: string[] = [];
    const read = async (): Promise<void> => {
      for (let nth = 0; !isDone; nth += 1) {
        const path = paths[nth % paths.length] ?? '';
        const before = [...erased];
        const { text } = await me.get(path);
        found.push(...before.filter((one) => text.includes(one)).map((one) => `${path}: ${one}`));
      }
    };
    // One operation runs at a time: another one is refused until then.
    const operate = async (path: string, body?: object): Promise<void> => {
      let answer = await server.operator('POST', path, body);
      while (answer.status === 409) answer = await server.operator('POST', path, body);
      bodyOf(answer, 200);
    };
    const rebuild = async (): Promise<void> => {
      while (!isDone) await operate('/rebuild');
    };
    const forget = async (): Promise<void> => {
      for (const [nth, id] of ids.entries()) {
        await operate('/forget', { kind: 'pinpoint', id, account });
        erased.add(texts[nth] ?? '');
      }
      isDone = true;
    };
    await Promise.all([read(), read(), rebuild(), forget()]);
    expect(found).toEqual([]);
    await expectSound(server);
    await server.stop();
    expect(filesWith(directory, secret)).toEqual([]);
  });

  it('is in no file that a killed process was building, once the next process has started', async () => {
    const directory = ground.directory();
    const first = await ground.start(directory);
    const before = await newSession(first);
    const { id } = await before.create('/pinpoints', { name: secret, latitude: 1, longitude: 2 });
    bodyOf(await before.put(`/pinpoints/${id}`, { name: 'Public', latitude: 1, longitude: 2 }), 200);
    // A history is built in batches: after the one with the text, there are more.
    for (let made = 0; made < 3_000; made += 100)
      await Promise.all(Array.from({ length: 100 }, () => before.create('/pinpoints', { name: 'Other', latitude: 1, longitude: 2 })));
    await first.stop();
    for (const built of building) await killWhileBuilding(await ground.start(directory), built, secret);
    const server = await ground.start(directory);
    bodyOf(await server.operator('POST', '/forget', { kind: 'pinpoint', id, account: before.application.account }), 200);
    expect(filesWith(directory, secret)).toEqual([]);
    await server.stop();
  });

  it('is gone from a file of the read models that an earlier release has written', async () => {
    const directory = ground.directory();
    const first = await ground.start(directory);
    const before = await newSession(first);
    const { id } = await before.create('/pinpoints', { name: secret, latitude: 1, longitude: 2 });
    bodyOf(await before.put(`/pinpoints/${id}`, { name: 'Public', latitude: 1, longitude: 2 }), 200);
    await first.stop();
    leaveBehind(directory, secret);
    const server = await ground.start(directory);
    expect(filesWith(join(directory, 'read-models'), secret)).not.toEqual([]);
    bodyOf(await server.operator('POST', '/forget', { kind: 'pinpoint', id, account: before.application.account }), 200);
    expect(filesWith(directory, secret)).toEqual([]);
    await expectSound(server);
    await server.stop();
  });
});
