import { mkdtempSync, rmSync } from 'node:fs';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DomainEvent } from '@waymark/domain/event.ts';
import { decode } from '@waymark/domain/event-types.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { erase } from '@waymark/event-log/erasure/erase.ts';
import { type EventLog, LogUnavailable } from '@waymark/event-log/event-log.ts';
import { readEnd } from '@waymark/event-log/read-stream.ts';
import { operators, sealFact } from '@waymark/event-log/seal.ts';
import type { Answer, Call } from '@waymark/http/call.ts';
import { undoRoutes } from '../resources/undo.ts';
import { type CommandsOptions, createCommands } from '../service.ts';
import { openStores } from '../testing/stores.ts';

const { PinpointCreated: created, ListCreated: list, ListMembersRestated: restated } = sampleEvents;
const { account, fields } = created;
const media = { ...fields.media, name: `${'0'.repeat(32)}.png`, digest: '0'.repeat(64), type: 'image/png', bytes: 3 };
const stream = 'pinpoint-12';

const callOf = (kind: string, id: number, body: object, headers: Readonly<Record<string, string>>): Call => {
  const bytes = Buffer.from(JSON.stringify(body));
  return {
    request: Object.assign(new IncomingMessage(new Socket()), { headers: { 'content-type': 'application/json', ...headers } }),
    body: { read: async () => bytes, release: () => undefined },
    url: '',
    access: { account, application: 'app', token: 'token', scopes: ['audit', 'write'] },
    requestId: 'request',
    parameters: { kind, id: `${id}` },
  };
};

describe('what is taken back', () => {
  let directory: string;
  let stores: Awaited<ReturnType<typeof openStores>>;
  let log: EventLog;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'waymark-undo-'));
    stores = await openStores(directory);
    ({ log } = stores.options);
    await stores.options.media.put(media.name, Buffer.from('abc'));
  });
  afterEach(async () => {
    await stores.close();
    rmSync(directory, { recursive: true });
  });

  const record = async (of: string, ...facts: readonly DomainEvent[]): Promise<void> => {
    const { revision } = await readEnd(log, of);
    const events = facts.map((fact) => sealFact(fact, { account, origin: operators }));
    expect(await log.append(of, events, revision)).toMatchObject({ outcome: 'appended' });
  };
  const edited = (changed: object): DomainEvent => ({ type: 'PinpointEdited', pinpoint: 12, fields: changed });

  /** Sends a request to a process of its own. */
  const send = async (
    what: 'restore' | 'undo',
    [kind, id]: readonly [string, number],
    revision: number,
    { headers = {}, ...changed }: Partial<CommandsOptions> & { readonly headers?: Readonly<Record<string, string>> } = {},
  ): Promise<Answer> => {
    const handle = undoRoutes(createCommands({ ...stores.options, ...changed }))[`POST /audit/v1/:kind/:id/${what}`];
    if (handle === undefined) throw new Error('There is no such route.');
    return handle(callOf(kind, id, { revision }, headers));
  };
  const pinpoint = ['pinpoints', 12] as const;

  it('names the event that it takes back as its cause', async () => {
    await record(stream, { ...created, fields: { ...fields, media: null } }, edited({ name: 'B' }));
    await send('undo', pinpoint, 1);
    const [, second, third] = await log.read(stream, 0);
    expect(third?.envelope).toMatchObject({ cause: second?.envelope.id, actor: 'app', token: 'token' });
    expect(third && decode(third)).toEqual(edited({ name: fields.name }));
  });

  it('never names a file that an erasure removes meanwhile', async () => {
    await record(stream, { ...created, fields: { ...fields, media } }, edited({ media: null }));
    const askHistory: CommandsOptions['askHistory'] = async (question) => {
      const reply = await stores.options.askHistory(question);
      if (reply.outcome === 'restorable') await erase(log, stream, () => stores.options.media.erase(media.name));
      return reply;
    };
    await expect(send('restore', pinpoint, 0, { askHistory })).rejects.toMatchObject({ status: 410 });
    expect((await readEnd(log, stream)).event?.envelope.type).toBe('PinpointRedacted');
  });

  it.each(['restore', 'undo'] as const)('is refused without its file: %s', async (what) => {
    await record(stream, { ...created, fields: { ...fields, media } }, edited({ media: null }));
    await stores.options.media.remove(media.name);
    const report = { outcome: 'kept', reason: 'file-missing', fields: ['media_url'] };
    await expect(send(what, pinpoint, what === 'undo' ? 1 : 0)).rejects.toMatchObject({ status: 409, body: { report } });
    expect((await readEnd(log, stream)).revision).toBe(1);
  });

  it('waits while an erasure restates the object in pieces', async () => {
    const ofList = ['lists', 7] as const;
    await record('list-7', list, { type: 'ListEdited', list: 7, fields: { name: 'B' } }, restated);
    await expect(send('restore', ofList, 0)).rejects.toMatchObject({ status: 503 });
    await expect(send('undo', ofList, 1)).rejects.toMatchObject({ status: 503 });
    await erase(log, 'list-7');
    await expect(send('restore', ofList, 0)).rejects.toMatchObject({ status: 410 });
  });

  it('is decided again where the history is behind the log', async () => {
    await record(stream, { ...created, fields: { ...fields, media: null } }, edited({ name: 'B' }));
    let asked = 0;
    const askHistory: CommandsOptions['askHistory'] = async (question) => {
      const reply = await stores.options.askHistory(question);
      asked += 1;
      if (asked === 1) await record(stream, edited({ name: 'C' }));
      return reply;
    };
    await expect(send('undo', pinpoint, 1, { askHistory })).rejects.toMatchObject({
      status: 409,
      body: { report: { reason: 'changed-since', fields: ['name'] } },
    });
    expect(asked).toBe(2);
  });

  it('is refused where the history has other values than the log, if an intruder may change the history', async () => {
    await record(stream, { ...created, fields: { ...fields, media: null } }, edited({ name: 'B', tags: [] }));
    const forged: CommandsOptions['askHistory'] = async (question) => {
      const reply = await stores.options.askHistory(question);
      if (reply.outcome === 'restorable') return { ...reply, fields: { ...reply.fields, name: 'Forged' } };
      return reply.outcome === 'undoable' ? { ...reply, changes: { ...reply.changes, before: { tags: ['forged'] } } } : reply;
    };
    const onOwnerMismatch = () => undefined;
    await expect(send('restore', pinpoint, 0, { askHistory: forged, onOwnerMismatch })).rejects.toMatchObject({ status: 503 });
    await expect(send('undo', pinpoint, 1, { askHistory: forged, onOwnerMismatch })).rejects.toMatchObject({ status: 503 });
    expect((await readEnd(log, stream)).revision).toBe(1);
    expect(await send('undo', pinpoint, 1, { onOwnerMismatch })).toMatchObject({ status: 200 });
    expect(await send('restore', pinpoint, 1, { onOwnerMismatch })).toMatchObject({ status: 200 });
  });

  it('adds and removes only members that the log has, if an intruder may change the history', async () => {
    await record('pinpoint-12', { ...created, fields: { ...fields, media: null } });
    await record('pinpoint-13', { ...created, pinpoint: 13, fields: { ...fields, media: null } });
    await record('list-7', list, { type: 'PinpointsAdded', list: 7, pinpoints: [12, 13], notAdded: [] });
    await record('list-7', { type: 'PinpointsRemoved', list: 7, pinpoints: [13] });
    const forged: CommandsOptions['askHistory'] = async (question) => {
      const reply = await stores.options.askHistory(question);
      if (reply.outcome !== 'undoable') return reply;
      const memberships = reply.changes.memberships.map((change) => ({ ...change, added: [12], removed: [] }));
      return { ...reply, changes: { ...reply.changes, memberships } };
    };
    const onOwnerMismatch = () => undefined;
    const ofList = ['lists', 7] as const;
    await expect(send('undo', ofList, 2, { askHistory: forged, onOwnerMismatch })).rejects.toMatchObject({ status: 503 });
    expect(await send('undo', ofList, 2, { onOwnerMismatch })).toMatchObject({ status: 200 });
  });

  it('with a key, is the event of a run that ended before its append', async () => {
    await record(stream, { ...created, fields: { ...fields, media: null } }, edited({ name: 'B' }));
    const claimed: string[] = [];
    const append: EventLog['append'] = async (to, events, ...rest) => {
      if (to !== stream) return log.append(to, events, ...rest);
      claimed.push(...events.map(({ envelope }) => envelope.id));
      throw new LogUnavailable('away');
    };
    const headers = { 'idempotency-key': 'key' };
    await expect(send('undo', pinpoint, 1, { headers, log: { ...log, append } })).rejects.toThrow(LogUnavailable);
    const answer = await send('undo', pinpoint, 1, { headers });
    expect(JSON.parse(String(answer.body))).toMatchObject({ event: claimed[0], revision: 2 });
    expect(await send('undo', pinpoint, 1, { headers })).toEqual(answer);
    expect((await readEnd(log, stream)).revision).toBe(2);
  });

  it('with a key, is the event of another run that ends while this one asks the history', async () => {
    await record(stream, { ...created, fields: { ...fields, media: null } }, edited({ name: 'B' }));
    const append: EventLog['append'] = async (to, ...rest) => {
      if (to !== stream) return log.append(to, ...rest);
      throw new LogUnavailable('away');
    };
    const headers = { 'idempotency-key': 'key' };
    await expect(send('undo', pinpoint, 1, { headers, log: { ...log, append } })).rejects.toThrow(LogUnavailable);
    let other: Answer | undefined;
    const askHistory: CommandsOptions['askHistory'] = async (question) => {
      other ??= await send('undo', pinpoint, 1, { headers });
      return stores.options.askHistory(question);
    };
    const answer = await send('undo', pinpoint, 1, { headers, askHistory });
    expect(JSON.parse(String(answer.body))).toMatchObject({ revision: 2 });
    expect(answer).toEqual(other);
    expect((await readEnd(log, stream)).revision).toBe(2);
  });
});
