import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type EventStream, openEventStream } from '../api/event-stream.ts';
import { aPinpoint } from '../api/samples.ts';
import { type Application, bodyOf, type Session, tokenCall } from '../api/session.ts';
import { logInAgain, type Server, sessionOn } from '../crash/server.ts';
import { useTestServers } from '../crash/test-servers.ts';
import { until } from '../crash/until.ts';

jest.setTimeout(300_000);

const ground = useTestServers();
const streamPath = '/audit/v1/activity/stream';

const newAuditor = async (server: Server, account: string): Promise<Session> => {
  const order = { account, name: 'test/threads', scopes: ['read', 'write', 'audit'] };
  const application = bodyOf<Application>(await server.operator('POST', '/applications', order), 201);
  const { access_token } = bodyOf<{ access_token: string }>(await server.client.send(tokenCall(application)), 200);
  return sessionOn(server, application, access_token);
};
const streamOf = ({ url }: Server, me: Session, headers = {}): Promise<EventStream> => openEventStream(url, me, streamPath, headers);

describe.each(['0', '3'])('streams of a server with %s HTTP threads', (threads) => {
  const start = (settings = {}) => ground.start(ground.directory(), { settings: { WAYMARK_HTTP_THREADS: threads, ...settings } });

  it('are limited over the whole process, whichever thread has them, and all have every change', async () => {
    const server = await start();
    const applications = await Promise.all(Array.from({ length: 41 }, () => newAuditor(server, 'museum')));
    const [me, ...others] = applications.slice(0, 40) as [Session, ...Session[]];
    const opened = await Promise.all([me, ...others].flatMap((one) => Array.from({ length: 6 }, () => streamOf(server, one))));
    const streams = opened.filter(({ status }) => status === 200);
    expect(streams).toHaveLength(200);
    expect(opened.filter(({ status }) => status === 429)).toHaveLength(40);
    const last = applications[40] as Session;
    expect((await last.get(streamPath)).status).toBe(429);
    const { id } = await me.create('/pinpoints', aPinpoint());
    for (let nth = 0; nth < 20; nth += 1) bodyOf(await me.put(`/pinpoints/${id}`, aPinpoint({ name: `Name ${nth}` })), 200);
    const expected = Array.from({ length: 21 }, (_, revision) => revision);
    for (const stream of streams) expect((await stream.events(21)).map(({ revision }) => revision)).toEqual(expected);
    for (const stream of opened) stream.close();
    await until(async () => (await streamOf(server, last)).status === 200);
    await server.stop();
  });

  it('end first at a shutdown, and do not hold it', async () => {
    const server = await start({ WAYMARK_STOP_SECONDS: '90' });
    const me = await newAuditor(server, 'museum');
    const streams = await Promise.all(Array.from({ length: 5 }, () => streamOf(server, me)));
    await Promise.all(streams.map((stream) => stream.until(/id: .*\n\n/)));
    const startedMs = performance.now();
    await Promise.all([server.stop(), ...streams.map(({ ended }) => ended)]);
    // Requests in progress may take 60 s of the 90 s.
    expect(performance.now() - startedMs).toBeLessThan(60_000);
  });

  it('end at the beginning of a drain', async () => {
    const server = await start({ WAYMARK_DRAIN_SECONDS: '5' });
    const me = await newAuditor(server, 'museum');
    const stream = await streamOf(server, me);
    const stopped = server.stop();
    await stream.ended;
    // The drain goes on: the server still answers.
    expect((await me.get(streamPath)).status).toBe(503);
    await stopped;
  });

  it('end when the log is renewed, and an id from before is 410', async () => {
    const server = await start();
    const me = await newAuditor(server, 'museum');
    const stream = await streamOf(server, me);
    await stream.until(/id: .*\n\n/);
    bodyOf(await server.operator('POST', '/writes', { open: false }), 200);
    bodyOf(await server.operator('POST', '/renew'), 200);
    await stream.ended;
    bodyOf(await server.operator('POST', '/writes', { open: true }), 200);
    const again = await logInAgain(server, me);
    const headers = { 'Last-Event-ID': stream.blocks[0]?.id };
    await until(async () => (await again.get(streamPath, headers)).status !== 503);
    expect((await again.get(streamPath, headers)).status).toBe(410);
    const next = await streamOf(server, again);
    const { id } = await again.create('/lists', { name: 'After the renewal' });
    expect(await next.events(1)).toMatchObject([{ object: { kind: 'lists', id }, action: 'created' }]);
    next.close();
    await server.stop();
  });

  it('disconnect a reader that is 1 MB behind, and no other', async () => {
    const server = await start();
    const me = await newAuditor(server, 'museum');
    const { hostname, port } = new URL(server.url);
    const readers = Array.from({ length: 5 }, () => connect(Number(port), hostname));
    for (const socket of readers) socket.write(`GET ${streamPath} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${me.token}\r\n\r\n`);
    const [stuck, ...others] = readers as [Socket, ...Socket[]];
    await Promise.all(readers.map((socket) => once(socket, 'data')));
    stuck.pause();
    for (const socket of others) socket.resume();
    const { id } = await me.create('/pinpoints', aPinpoint());
    const edit = async (nth: number): Promise<void> =>
      void bodyOf(await me.put(`/pinpoints/${id}`, aPinpoint({ description: `${nth}: ${'x'.repeat(90_000)}` })), 200);
    const isCut = async (): Promise<boolean> => (await streamOf(server, me)).status === 200;
    // The system holds up to 40 MB of a connection.
    let cut = false;
    for (let nth = 0; !cut && nth < 600; nth += 1) {
      await edit(nth);
      if (nth % 10 === 9) cut = await isCut();
    }
    // On a slow machine the stream is still behind the edits, and waits for its reader: the limit of idle connections cuts that one.
    if (!cut) await until(isCut, 1_000);
    expect(others.map(({ readable }) => readable)).toEqual([true, true, true, true]);
    const closed = once(stuck, 'close');
    stuck.on('error', () => undefined).resume();
    await closed;
    for (const socket of others) socket.destroy();
    await server.stop();
  });
});
