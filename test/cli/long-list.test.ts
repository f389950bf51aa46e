import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accountId } from '@waymark/domain/account/decide.ts';
import { accountStream, resourceStream } from '@waymark/domain/streams.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { sealFact, waymark } from '@waymark/event-log/seal.ts';
import { openSqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { type Credentials, contentOf, token } from './account.ts';
import { type Desk, patienceMs, type Served, useDesk } from './waymark.ts';

const members = 25_000;
const atOnce = 1_000;
const name = 'acme';
const secret = 'Zq7w-erased-text';

/** Writes a log with an account that has this many pinpoints. */
const writePinpoints = async (directory: string): Promise<void> => {
  const account = accountId(name);
  const log = await openSqliteEventLog({ file: join(directory, 'log.db') });
  const { AccountOpened, PinpointCreated } = sampleEvents;
  await log.append(accountStream(account), [sealFact({ ...AccountOpened, account, name }, { account, origin: waymark })], 'none');
  const fields = { ...PinpointCreated.fields, media: null, category: null };
  for (let from = 1; from <= members; from += atOnce) {
    const ids = Array.from({ length: atOnce }, (_, index) => from + index);
    const create = (pinpoint: number) => sealFact({ ...PinpointCreated, account, pinpoint, fields }, { account, origin: waymark });
    await Promise.all(ids.map((id) => log.append(resourceStream('pinpoint', id), [create(id)], 'none')));
  }
  await log.close();
};

type Send = (method: string, path: string, body?: unknown) => Promise<{ readonly id?: number }>;

/** Returns a client of the account. */
const editor = async (desk: Desk, { api }: Served): Promise<Send> => {
  const words = ['app', 'create', '--account', name, '--name', 'CMS', '--scopes', 'read,write'];
  const { access_token } = (await token(api, await desk.json<Credentials>(words))).body;
  const headers = { Authorization: `Bearer ${access_token}`, 'Content-Type': 'application/json' };
  return async (method, path, body) => {
    const answer = await fetch(`${api}/v3.0${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.status === 204 ? {} : ((await answer.json()) as { readonly id?: number });
  };
};

/** Creates a list of all pinpoints, which had another name. */
const createLongList = async (send: Send): Promise<string> => {
  const { id } = await send('POST', '/lists', { name: secret, description: '' });
  for (let from = 1; from <= members; from += atOnce) {
    const pinpoints = Array.from({ length: atOnce }, (_, index) => ({ id: from + index }));
    await send('POST', `/lists/${id}/pinpoints`, pinpoints);
  }
  await send('PUT', `/lists/${id}`, { name: 'Lights', description: '' });
  return `${id}`;
};

describe('waymark forget of a list with 25,000 members', () => {
  const desk = useDesk();

  it(
    'erases its history and keeps its members, also after a rebuild, and once the list is deleted',
    async () => {
      await writePinpoints(desk.directory);
      const server = await desk.serve();
      const send = await editor(desk, server);
      const list = await createLongList(send);
      const object = ['list', list, '--account', name];
      const membersNow = () => contentOf(desk, server, name, `pinpoints?list=${list}`);
      const isSound = async () => expect(await desk.json(['verify'])).toMatchObject({ sound: true, log: [], readModels: { equal: true } });
      const before = await membersNow();
      expect(before).toHaveLength(members);

      expect(await desk.json(['forget', ...object])).toMatchObject({ events: 27, log: 'overwritten' });
      for (const part of ['history.db', 'log.db']) expect(readFileSync(join(desk.directory, part)).includes(secret)).toBe(false);
      const { results } = await desk.json<{ results: readonly { action: string }[] }>(['history', ...object, '--limit', '3']);
      expect(results.map(({ action }) => action)).toEqual(['erased', 'erasure_ordered', 'edited']);
      await isSound();
      await desk.json(['rebuild']);
      expect(await membersNow()).toEqual(before);

      await send('DELETE', `/lists/${list}/pinpoints`, [{ id: 1 }]);
      await send('DELETE', `/lists/${list}`);
      expect(await desk.json(['forget', ...object])).toMatchObject({ log: 'overwritten' });
      await desk.json(['rebuild']);
      await isSound();
      await server.stop();
    },
    patienceMs,
  );
});
