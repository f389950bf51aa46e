import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { FileObject } from '../api/pictures.ts';
import { aPinpoint } from '../api/samples.ts';
import { idsOf, type Session, tokenCall } from '../api/session.ts';
import { costlyBodies } from '../performance/attacks/bodies.ts';
import { rawConnection } from '../performance/attacks/connections.ts';
import { largePicture } from '../performance/attacks/pictures.ts';
import { formType, postHead } from '../performance/attacks/requests.ts';
import { residentMostMb } from '../performance/attacks/resident.ts';
import { describeResident } from './resident.ts';
import { newSession, type Server } from './server.ts';
import { useTestServers } from './test-servers.ts';

/** The memory setting of the process (`WAYMARK_MEMORY_MB`), and the bound of its resident memory. */
const memoryMb = process.env['WAYMARK_HTTP_THREADS'] === '3' ? 640 : 512; // three threads fit into 640 MiB and more
const mebibyte = 1024 * 1024;
const testMs = 300_000;
/** The attackers' address. Another client's token requests come from a different address. */
const attackersAddress = '127.0.0.3';
const json = { 'Content-Type': 'application/json' };

const ground = useTestServers();
let server: Server;
let attacker: Session;
let other: Session;
let picture: FileObject;

beforeAll(async () => {
  picture = await largePicture();
}, testMs);
beforeEach(async () => {
  server = await ground.start(ground.directory(), { settings: { WAYMARK_MEMORY_MB: String(memoryMb) } });
  [attacker, other] = [await newSession(server, 'attacker'), await newSession(server, 'other')];
}, testMs);

let connections: Socket[] = [];
afterEach(() => {
  for (const connection of connections) connection.destroy();
  connections = [];
});

const statusOf = (received: string): number => Number(/^HTTP\/1\.1 (\d{3}) /.exec(received)?.[1]);

/** Opens a connection and sends a head and part of a body. The head announces more bytes than are sent. */
const sendPartialBody = async (
  head: string,
  body: string | Buffer,
): Promise<{ readonly socket: Socket; readonly received: () => string }> => {
  const socket = await rawConnection(server.url, { reads: true, from: attackersAddress });
  connections.push(socket);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  socket.write(head);
  socket.write(body);
  return { socket, received: () => received };
};

const headOf = (path: string, length: number | 'chunked', type = 'application/json'): string =>
  postHead(path, { token: attacker.token, type, length });

/** Sends the same body twice over each of `atOnce` connections, and calls `meanwhile` repeatedly meanwhile.
 * @returns the number of responses of each status */
const flood = async (atOnce: number, send: () => Promise<number>, meanwhile: () => Promise<void>): Promise<ReadonlyMap<number, number>> => {
  const statuses = new Map<number, number>();
  let inProgress = atOnce;
  const senders = Array.from({ length: atOnce }, async () => {
    for (let nth = 0; nth < 2; nth += 1) {
      const status = await send();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    inProgress -= 1;
  });
  do await meanwhile();
  while (inProgress > 0);
  await Promise.all(senders);
  return statuses;
};

/** Checks that another client's small requests, sent one after another, are all answered, and that the process stays within its memory
 * bound. */
const expectOthersServed = async (requests = 10): Promise<void> => {
  for (let nth = 0; nth < requests; nth += 1) {
    const { id } = await other.create('/pinpoints', aPinpoint());
    expect((await other.get(`/pinpoints/${id}`)).status).toBe(200);
    const list = await other.create('/lists', { name: 'Walks' });
    expect((await other.post(`/lists/${list.id}/pinpoints`, [{ id }])).status).toBe(200);
    expect(idsOf(await other.page(`/pinpoints?list=${list.id}`))).toEqual([id]);
    expect((await server.client.send(tokenCall(other.application))).status).toBe(200);
  }
  expect(residentMostMb(server)).toBeLessThan(memoryMb);
};

describeResident('clients that send large or slow bodies', () => {
  it(
    'announce 8 MiB on 200 connections, send 180 bytes, and do not block other clients',
    async () => {
      await Promise.all(Array.from({ length: 100 }, () => sendPartialBody(headOf('/v3.0/pinpoints', 8 * mebibyte), '{'.padEnd(180, ' '))));
      await Promise.all(
        Array.from({ length: 100 }, () =>
          sendPartialBody(headOf('/v3.0/oauth2/token', 16 * 1024, formType), 'grant_type='.padEnd(180, 'x')),
        ),
      );
      await expectOthersServed();
      expect((await attacker.post('/pinpoints', aPinpoint())).status).toBe(201);
    },
    testMs,
  );

  it(
    'fill each budget as far as they can, while another client sends a file, a list and a token request',
    async () => {
      const refusedIn = async (path: string, bytes: number, type?: string): Promise<void> => {
        const senders: Awaited<ReturnType<typeof sendPartialBody>>[] = [];
        while (!senders.some(({ received }) => statusOf(received()) === 503)) {
          senders.push(await sendPartialBody(headOf(path, bytes, type), Buffer.alloc(bytes - 1, ' ')));
          await pause(20);
        }
      };
      for (let round = 0; round < 3; round += 1) {
        await refusedIn('/v3.0/pinpoints', 8 * mebibyte);
        await refusedIn('/v3.0/lists', 2 * mebibyte);
        await refusedIn('/v3.0/oauth2/token', 16 * 1024, formType);
        expect((await other.post('/pinpoints', aPinpoint({ media_file: picture }))).status).toBe(201);
        expect(
          (await other.send('POST', '/lists', { headers: json, body: JSON.stringify({ name: 'x' }).padEnd(2 * mebibyte) })).status,
        ).toBe(201);
        await expectOthersServed(5);
      }
    },
    testMs,
  );

  it.each(Object.entries(costlyBodies))(
    'send 24 bodies at once, twice, and do not block other clients: %s',
    async (_, make) => {
      const body = make();
      const statuses = await flood(
        24,
        async () => (await attacker.send('POST', '/pinpoints', { headers: json, body })).status,
        expectOthersServed,
      );
      // 408: on a busy machine, sending such a body may take longer than a client has for it.
      expect([...statuses.keys()].filter((status) => ![400, 408, 503].includes(status))).toEqual([]);
      expect(statuses.get(400)).toBeGreaterThan(0);
    },
    testMs,
  );

  it(
    'send bodies byte by byte, and do not block other clients',
    async () => {
      const pieces = '1\r\n \r\n'.repeat(50_000);
      await Promise.all(Array.from({ length: 24 }, () => sendPartialBody(headOf('/v3.0/pinpoints', 'chunked'), pieces)));
      await expectOthersServed();
    },
    testMs,
  );

  it(
    'send files of 5 MiB, 24 at once from two accounts, while the process stays within its memory bound',
    async () => {
      const second = await newSession(server, 'second');
      const body = JSON.stringify(aPinpoint({ media_file: picture }));
      const send = async (): Promise<number> => {
        const [one, two] = await Promise.all(
          [attacker, second].map((session) => session.send('POST', '/pinpoints', { headers: json, body })),
        );
        return one?.status === 503 ? 503 : (two?.status ?? 0);
      };
      const statuses = await flood(12, send, () => expectOthersServed(1));
      expect([...statuses.keys()].filter((status) => status !== 201 && status !== 503)).toEqual([]);
      expect(statuses.get(201)).toBeGreaterThan(0);
    },
    testMs,
  );
});
