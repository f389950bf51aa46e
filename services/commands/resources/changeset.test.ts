import { mkdtempSync, rmSync } from 'node:fs';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decode } from '@waymark/domain/event-types.ts';
import { changesetStream } from '@waymark/domain/streams.ts';
import { summarize } from '@waymark/event-log/erasure/erasure-summary.ts';
import { LogUnavailable } from '@waymark/event-log/event-log.ts';
import { operators, sealFact } from '@waymark/event-log/seal.ts';
import { openSqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import type { Answer, Call } from '@waymark/http/call.ts';
import { createIdempotency } from '../idempotency/idempotency.ts';
import { createOrigins } from '../origin.ts';
import type { Commands } from '../service.ts';
import { changesetRoutes } from './changeset.ts';

const account = 'a';
const order = { comment: 'Opening hours', by: 'editor-7' };

const callWith = (headers: Readonly<Record<string, string>>): Call => {
  const bytes = Buffer.from(JSON.stringify(order));
  return {
    request: Object.assign(new IncomingMessage(new Socket()), { headers: { 'content-type': 'application/json', ...headers } }),
    body: { read: async () => bytes, release: () => undefined },
    url: '/audit/v1/changesets',
    access: { account, application: 'app', token: 'token', scopes: ['audit', 'write'] },
    requestId: 'request',
    parameters: {},
  };
};

describe('opening a changeset', () => {
  let directory: string;
  let log: Awaited<ReturnType<typeof openSqliteEventLog>>;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'waymark-changesets-'));
    log = await openSqliteEventLog({ file: join(directory, 'log.db') });
  });
  afterEach(async () => {
    await log.close();
    rmSync(directory, { recursive: true });
  });

  /** Sends the request to a process of its own. */
  const open = async (headers: Readonly<Record<string, string>> = {}, options: Partial<Commands> = {}): Promise<Answer> => {
    const once = createIdempotency(
      options.log ?? log,
      'secret',
      createOrigins(() => undefined),
    );
    const commands = { log, visible: () => true, ...options, once } as Commands;
    const handle = changesetRoutes(commands)['POST /audit/v1/changesets'];
    if (handle === undefined) throw new Error('There is no such route.');
    return handle(callWith(headers));
  };
  const idIn = ({ body }: Answer): string => JSON.parse(String(body)).id;
  const eventsOf = (id: string) => log.read(changesetStream(id), 0);

  it('records one event in a stream of its own, with the origin of the request', async () => {
    const correlation = '0190a1c2-7b1e-7c3d-8a44-2f1e5d6c7b8a';
    const id = idIn(await open({ 'correlation-id': correlation }));
    const [event, ...more] = await eventsOf(id);
    expect(more).toEqual([]);
    expect(event).toMatchObject({ revision: 0, envelope: { account, actor: 'app', token: 'token', correlation } });
    expect(event && decode(event)).toEqual({ type: 'ChangesetOpened', account, changeset: id, ...order });
  });

  it('waits until every reader has reached its event, and says where they have not in time', async () => {
    const waits: unknown[] = [];
    const answer = await open({}, { visible: (...wait) => waits.push(wait) === 0 });
    const [event] = await eventsOf(idIn(answer));
    expect(waits).toEqual([[account, event?.position]]);
    expect(answer.headers).toMatchObject({ 'X-Read-Lag': 'true' });
  });

  const key = { 'idempotency-key': 'key' };

  it('with a key, records one event for all processes that get the request', async () => {
    const first = await open(key);
    expect(await open(key)).toEqual(first);
    expect(await eventsOf(idIn(first))).toHaveLength(1);
  });

  it('with a key, uses the id of a run that ended before its append', async () => {
    const claimed: string[] = [];
    const append: typeof log.append = async (stream, ...rest) => {
      if (!stream.startsWith('changeset-')) return log.append(stream, ...rest);
      claimed.push(stream);
      throw new LogUnavailable('away');
    };
    await expect(open(key, { log: { ...log, append } })).rejects.toThrow(LogUnavailable);
    const id = idIn(await open(key));
    expect(claimed).toEqual([changesetStream(id)]);
    expect(await eventsOf(id)).toHaveLength(1);
  });

  it('with a key, returns the id again once the changeset was erased', async () => {
    const id = idIn(await open(key));
    const stream = changesetStream(id);
    const summary = await summarize(log, stream, 1);
    const redacted = sealFact({ type: 'ChangesetRedacted', account, changeset: id, summary }, { account, origin: operators });
    const appended = await log.append(stream, [redacted], 0);
    await log.eraseBefore(stream, 1, summary);
    expect(idIn(await open(key))).toBe(id);

    // EventStoreDB no longer returns erased events once it has dropped them.
    const read: typeof log.read = async (...from) => (await log.read(...from)).filter(({ content }) => content !== null);
    const waits: unknown[] = [];
    const visible: Commands['visible'] = (_, position) => waits.push(position) > 0;
    expect(idIn(await open(key, { log: { ...log, read }, visible }))).toBe(id);
    expect(waits).toEqual([appended.outcome === 'appended' ? appended.position : undefined]);
  });
});
