import { setTimeout as pause } from 'node:timers/promises';
import { type EventStream, openEventStream, type StreamedEntry } from './event-stream.ts';
import { openAuditor } from './history.ts';
import { aList, aPinpoint, members } from './samples.ts';
import { bodyOf, formCall, type Session } from './session.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();
const open: EventStream[] = [];
const streamPath = '/audit/v1/activity/stream';

const stream = async (me: Session, query = '', headers = {}): Promise<EventStream> => {
  const opened = await openEventStream(waymark.url(), me, `${streamPath}${query}`, headers);
  open.push(opened);
  return opened;
};
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

const idsOf = (entries: readonly { readonly id: string }[]): readonly string[] => entries.map(({ id }) => id);

/** Returns the whole activity of an account, oldest first. */
const activityOf = async (me: Session): Promise<readonly StreamedEntry[]> => {
  const results: StreamedEntry[] = [];
  for (let path: string | null = '/audit/v1/activity?limit=100'; path !== null; ) {
    const page: { results: StreamedEntry[]; next: string | null } = bodyOf(await me.get(path), 200);
    results.push(...page.results);
    path = page.next;
  }
  return results.toReversed();
};

/** Changes objects one after the other, in two sequences at once. */
const change = async (me: Session, times: number): Promise<void> => {
  const one = async (): Promise<void> => {
    const { id } = await me.create('/pinpoints', aPinpoint());
    for (let nth = 1; nth < times; nth += 1) bodyOf(await me.put(`/pinpoints/${id}`, aPinpoint({ name: `Name ${nth}` })), 200);
  };
  await Promise.all([one(), one()]);
};

describe('the stream of the activity of an account', () => {
  it('sends each change once, in order, as the activity has it, and nothing of other accounts', async () => {
    const [me, other] = [await openAuditor(waymark), await openAuditor(waymark)];
    const before = await activityOf(me);
    const streamed = await stream(me);
    expect(streamed.status).toBe(200);
    await Promise.all([change(me, 30), change(other, 5)]);
    const entries = await streamed.events(60);
    expect(entries).toEqual((await activityOf(me)).slice(before.length));
  });

  it('is never kept by a cache, has no entity tag, and is answered for HEAD without a body', async () => {
    const me = await openAuditor(waymark);
    const { headers } = await stream(me);
    const expected = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
    expect(headers).toMatchObject(expected);
    expect([headers.etag, headers['content-length']]).toEqual([undefined, undefined]);
    for (let nth = 0; nth < 6; nth += 1) {
      const head = await me.send('HEAD', streamPath);
      expect([head.status, head.text]).toEqual([200, '']);
      expect(head.headers).toMatchObject(expected);
    }
  });

  it('continues after any id that it has sent, and skips and repeats nothing', async () => {
    const me = await openAuditor(waymark);
    const first = await stream(me);
    await change(me, 6);
    const sent = await first.events(12);
    const blocks = first.blocks;
    first.close();
    await change(me, 3);
    const all = [...sent, ...(await activityOf(me)).slice(-6)];
    for (const [nth, { id }] of [...blocks.entries()].filter(([at]) => at % 4 === 0)) {
      const resumed = await stream(me, '', { 'Last-Event-ID': id });
      expect(idsOf(await resumed.events(all.length - nth))).toEqual(idsOf(all.slice(nth)));
      await change(me, 1);
      all.push(...(await activityOf(me)).slice(-2));
      expect(idsOf(await resumed.events(all.length - nth))).toEqual(idsOf(all.slice(nth)));
      resumed.close();
    }
  });

  it('continues after what was missed in the meantime, more than one part of it', async () => {
    const me = await openAuditor(waymark);
    const first = await stream(me);
    await first.until(/id: .*\n\n/);
    const [begin] = first.blocks;
    first.close();
    await change(me, 130);
    const resumed = await stream(me, '', { 'Last-Event-ID': begin?.id });
    expect(idsOf(await resumed.events(260))).toEqual(idsOf((await activityOf(me)).slice(-260)));
  });

  it('has the filters of the activity', async () => {
    const me = await openAuditor(waymark);
    const list = await me.create('/lists', aList());
    const [lists, moved, fields, past] = [
      await stream(me, `?resource=lists/${list.id}`),
      await stream(me, '?moved=1100'),
      await stream(me, '?field=name&action=edited'),
      await stream(me, '?to=2020-01-01T00:00:00Z'),
    ];
    const pinpoint = await me.create('/pinpoints', aPinpoint());
    bodyOf(await me.put(`/pinpoints/${pinpoint.id}`, aPinpoint({ name: 'Renamed' })), 200);
    bodyOf(await me.put(`/pinpoints/${pinpoint.id}`, aPinpoint({ name: 'Renamed', latitude: 54.19 })), 200);
    bodyOf(await me.post(`/lists/${list.id}/pinpoints`, members(pinpoint.id)), 200);
    expect(await lists.events(1)).toMatchObject([{ object: { kind: 'lists', id: list.id }, action: 'members_added' }]);
    expect(await moved.events(1)).toMatchObject([{ action: 'edited', changes: { latitude: { new: 54.19 } } }]);
    expect(await fields.events(1)).toMatchObject([{ action: 'edited', changes: { name: { new: 'Renamed' } } }]);
    expect(await past.events(0)).toEqual([]);
    expect(Object.keys(bodyOf<object>(await me.get(`${streamPath}?resource=things&moved=far`), 400)).toSorted()).toEqual([
      'moved',
      'resource',
    ]);
  });

  it('refuses an id that was tampered with, or that belongs to another account', async () => {
    const [me, other] = [await openAuditor(waymark), await openAuditor(waymark)];
    const [mine, theirs] = [await stream(me), await stream(other)];
    await Promise.all([mine, theirs].map((one) => one.until(/id: .*\n\n/)));
    const [id = '', foreign = ''] = [mine, theirs].map(({ blocks }) => blocks[0]?.id);
    const last = id.at(-1) === 'A' ? 'B' : 'A';
    for (const bad of ['x', `${id.slice(0, -1)}${last}`, `${id}, ${id}`, foreign]) {
      expect([bad, (await me.get(streamPath, { 'Last-Event-ID': bad })).status]).toEqual([bad, 400]);
    }
  });

  it('requires the scope audit', async () => {
    const writer = await waymark.session(await waymark.application(undefined, ['read', 'write']));
    expect((await writer.get(streamPath)).status).toBe(403);
    expect((await waymark.send({ method: 'GET', path: streamPath })).status).toBe(401);
  });

  it('has no content that was erased, but says that it was', async () => {
    const me = await openAuditor(waymark);
    const first = await stream(me);
    const pinpoint = await me.create('/pinpoints', aPinpoint({ name: 'Secret name' }));
    bodyOf(await me.put(`/pinpoints/${pinpoint.id}`, aPinpoint({ name: 'Public' })), 200);
    await first.events(2);
    const order = { kind: 'pinpoint', id: pinpoint.id, account: me.application.account };
    bodyOf(await waymark.operator('POST', '/forget', order), 200);
    const resumed = await stream(me, '', { 'Last-Event-ID': first.blocks[0]?.id });
    await resumed.until(/"action":"erased"/);
    const entries = await resumed.events(3);
    expect(entries.slice(0, 2)).toMatchObject([
      { action: 'created', changes: null },
      { action: 'edited', changes: null },
    ]);
    expect(resumed.text()).not.toContain('Secret name');
    await first.until(/"action":"erased"/);
  });
});

describe('a stream that is open', () => {
  it('sends a heartbeat every 15 s', async () => {
    const streamed = await stream(await openAuditor(waymark));
    await streamed.until(/^: heartbeat\nid: [\w-]+\n\n/m);
  });

  it('is one of at most 5 of its application; a stream that ends makes room', async () => {
    const me = await openAuditor(waymark);
    const streams: EventStream[] = [];
    for (let nth = 0; nth < 5; nth += 1) streams.push(await stream(me));
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const refused = await me.get(streamPath);
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
    const second = await waymark.session(await waymark.application(me.application.account, ['audit']));
    expect((await stream(second)).status).toBe(200);
    streams[2]?.close();
    let status = 429;
    for (const until = Date.now() + 10_000; status === 429 && Date.now() < until; await pause(50)) status = (await stream(me)).status;
    expect(status).toBe(200);
  });

  const revoke = (me: Session) => waymark.send(formCall('revoke', { token: me.token }, me.application));
  it.each([
    ['its token is revoked', async (me: Session) => revoke(me)],
    [
      'its application loses the scope',
      async ({ application }: Session) =>
        waymark.operator('POST', `/applications/${application.client_id}/scopes`, { scopes: ['read', 'write'] }),
    ],
    [
      'its application is suspended',
      async ({ application }: Session) => waymark.operator('POST', `/applications/${application.client_id}/suspend`),
    ],
    [
      'the secret of its token is dropped',
      async ({ application: { client_id, secret_id } }: Session) => {
        bodyOf(await waymark.operator('POST', `/applications/${client_id}/rotate`), 200);
        return waymark.operator('DELETE', `/applications/${client_id}/secrets/${secret_id}`);
      },
    ],
  ])('ends soon after %s', async (_, withdraw) => {
    const me = await openAuditor(waymark);
    const streamed = await stream(me);
    const other = await stream(await openAuditor(waymark));
    expect((await withdraw(me)).status).toBeLessThan(300);
    await streamed.ended;
    expect(await Promise.race([other.ended.then(() => 'ended'), pause(1_500, 'open')])).toBe('open');
  });
});
