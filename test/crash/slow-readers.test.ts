import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { inFlight } from '../api/client.ts';
import { aPinpoint } from '../api/samples.ts';
import { idsOf, type Session } from '../api/session.ts';
import { longDescription as description } from '../performance/attacks/bodies.ts';
import { rawConnection } from '../performance/attacks/connections.ts';
import { largePicture } from '../performance/attacks/pictures.ts';
import { getRequest } from '../performance/attacks/requests.ts';
import { residentMostMb } from '../performance/attacks/resident.ts';
import { describeResident } from './resident.ts';
import { newSession, type Server } from './server.ts';
import { useCrashServers } from './test-servers.ts';

/** The memory setting of the process (`WAYMARK_MEMORY_MB`), and the bound of its resident memory. */
const memoryMb = 512;
const prepareMs = 300_000;
const testMs = 300_000;
/** How often another client sends its requests meanwhile, one after another. */
const otherRequests = 50;

const ground = useCrashServers('file');
let server: Server;
let session: Session;
/** The path of a file of almost 5 MiB. */
let file = '';
let fileBytes = 0;
/** The session of an account whose texts fill many pages. */
let pages: Session;
const longTexts = 120;

beforeAll(async () => {
  server = await ground.start(ground.directory(), { settings: { WAYMARK_MEMORY_MB: String(memoryMb) } });
  session = await newSession(server);
  const { media_url } = await session.create('/pinpoints', aPinpoint({ media_file: await largePicture() }));
  file = new URL(String(media_url)).pathname;
  fileBytes = (await server.client.send({ method: 'GET', path: file })).bytes.length;
  pages = await newSession(server, 'long texts');
  await inFlight(4, Array.from({ length: longTexts }), () => pages.create('/pinpoints', { ...aPinpoint(), description }));
}, prepareMs);

/** Opens a connection and sends bytes, but does not read until the caller reads from the socket. */
const openWithoutReading = async (url: string, bytes: string): Promise<Socket> => {
  const socket = await rawConnection(url, { reads: false });
  socket.write(bytes);
  return socket;
};

const wholePage = '/v3.0/pinpoints?limit=500';

/** Checks that another client is answered throughout, and that the process stays within its memory bound. */
const expectOthersServed = async (): Promise<void> => {
  const other = await newSession(server, 'others');
  const { id } = await other.create('/pinpoints', aPinpoint());
  for (let nth = 0; nth < otherRequests; nth += 1) {
    expect((await other.get(`/pinpoints/${id}`)).status).toBe(200);
    expect(idsOf(await other.page('/pinpoints'))).toContain(id);
    await pause(10);
  }
  expect(residentMostMb(server)).toBeLessThan(memoryMb);
};

/** Reads until at least `bytes` bytes have arrived. */
const readAtLeast = async (socket: Socket, bytes: number): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of socket) {
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    if (length >= bytes) break;
  }
  return Buffer.concat(chunks);
};

const statusesIn = (received: Buffer): readonly number[] =>
  [...received.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

describeResident('clients that send requests and do not read responses', () => {
  it(
    'request a file of 5 MiB 900 times on one connection, within the memory bound',
    async () => {
      const reader = await openWithoutReading(server.url, getRequest(file).repeat(900));
      await expectOthersServed();
      const received = await readAtLeast(reader, 4 * fileBytes);
      expect(new Set(statusesIn(received))).toEqual(new Set([200]));
      expect(statusesIn(received).length).toBeGreaterThanOrEqual(4);
      reader.destroy();
    },
    testMs,
  );

  it(
    'request pages of long texts on 40 connections, and 40 pages on one, within the memory bound',
    async () => {
      const request = getRequest(wholePage, pages.token);
      const readers = await Promise.all(Array.from({ length: 40 }, () => openWithoutReading(server.url, request.repeat(4))));
      readers.push(await openWithoutReading(server.url, request.repeat(40)));
      await expectOthersServed();
      for (const reader of readers) reader.destroy();
    },
    testMs,
  );

  it(
    'fill their share of the memory for responses, while another client gets its own large responses',
    async () => {
      const request = getRequest(wholePage, pages.token);
      const readers: Socket[] = [];
      const refused = async (): Promise<boolean> => {
        const { status, headers } = await pages.get('/pinpoints?limit=500');
        if (status === 503) expect(headers['retry-after']).toMatch(/^\d+$/);
        else expect(status).toBe(200);
        return status === 503;
      };
      /** Adds readers until a request is refused. The server cuts off readers that accept no data, so new ones are added. */
      const fill = async (): Promise<void> => {
        while (!(await refused())) {
          readers.push(...(await Promise.all(Array.from({ length: 10 }, () => openWithoutReading(server.url, request.repeat(6))))));
          await pause(200);
        }
      };

      const other = await newSession(server, 'another with long texts');
      await inFlight(4, Array.from({ length: 8 }), () => other.create('/pinpoints', { ...aPinpoint(), description }));
      for (let nth = 0; nth < 5; nth += 1) {
        await fill();
        expect((await other.get('/pinpoints?limit=500')).status).toBe(200);
        expect(await server.client.send({ method: 'GET', path: file }).then(({ bytes }) => bytes.length)).toBe(fileBytes);
      }
      await fill();
      await expectOthersServed();
      for (const reader of readers) reader.destroy();
      while (await refused()) await pause(50);
    },
    testMs,
  );
});
