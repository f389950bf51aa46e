import type { IncomingMessage, RequestListener } from 'node:http';
import { pino } from 'pino';
import { readBytes, readJson } from './body.ts';
import { createEdge } from './edge.ts';
import { bodiesBytesMax, bodyBytesMax } from './limits.ts';
import { type Listening, listen } from './server.ts';
import { lastJson, speak, statusesOf } from './speak.ts';

jest.mock('./limits.ts', () => {
  const limits = jest.requireActual<{ readonly bodyBytesMax: number }>('./limits.ts');
  return { ...limits, bodiesBytesMax: 4 * limits.bodyBytesMax };
});

let server: Listening;

/** Resolves requests for /held: they are read, and not answered before. */
let answerHeld = (): void => undefined;
const held = new Promise<void>((resolve) => {
  answerHeld = resolve;
});

/** What was read: as JSON, or under /bytes the length of at most 1 KiB. */
const whatWasRead = async (request: IncomingMessage): Promise<object> => {
  if (request.url === '/bytes') return { length: (await readBytes(request, 1024)).length };
  const { bytes, json } = await readJson(request);
  if (request.url === '/held') await held;
  return { json: bytes.length > 1_000 ? 'long' : json, length: bytes.length };
};

beforeAll(async () => {
  const edge = createEdge({ corsOrigins: new Set(), observe: () => undefined, logger: pino({ level: 'silent' }), closing: () => false });
  const listener: RequestListener = (request, response) =>
    void edge(request, response, 'x', async () => ({ status: 200, body: JSON.stringify(await whatWasRead(request)) }));
  server = await listen(listener, '127.0.0.1', 0);
});

afterAll(() => server.close(0));

type Told = { readonly status: number | undefined; readonly body: unknown; readonly headers: string };

const post = async (headers: Readonly<Record<string, string | number>>, body: string | Buffer = '', path = '/'): Promise<Told> => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = Buffer.from(`POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines.join('')}\r\n`);
  const heard = await speak(server.port, Buffer.concat([head, Buffer.from(body)])).closed;
  return { status: statusesOf(heard)[0], body: lastJson(heard), headers: heard };
};

const json = { 'Content-Type': 'application/json' };

const postText = (body: string | Buffer, headers: Readonly<Record<string, string>> = json): Promise<Told> =>
  post({ ...headers, 'Content-Length': Buffer.byteLength(body) }, body);

describe('a JSON body', () => {
  it('is read, with its bytes', async () => {
    expect(await postText('{"name":"Caf\u00e9"}')).toMatchObject({ status: 200, body: { json: { name: 'Café' }, length: 16 } });
  });

  it('may come in pieces', async () => {
    const pieces = '7\r\n{"a":[1\r\n3\r\n,2]\r\n1\r\n}\r\n0\r\n\r\n';
    expect(await post({ ...json, 'Transfer-Encoding': 'chunked' }, pieces)).toMatchObject({ status: 200, body: { json: { a: [1, 2] } } });
  });

  it.each([
    ['a length of 0', { 'Content-Length': 0 }],
    ['no length', {}],
    ['a length of 0 and some type', { 'Content-Length': 0, 'Content-Type': 'text/plain' }],
  ])('that is empty counts as an empty object: %s', async (_, headers) => {
    expect(await post(headers)).toMatchObject({ status: 200, body: { json: {}, length: 0 } });
  });

  it.each([
    'application/json',
    'application/json;charset=utf-8',
    'application/json; charset="UTF-8"',
    'APPLICATION/JSON ;',
    'application/json ; charset = utf-8 ;',
  ])('may have the type %s', async (type) => {
    expect(await postText('{}', { 'Content-Type': type })).toMatchObject({ status: 200 });
  });

  it.each([
    '',
    'text/plain',
    'application/jsonp',
    'application/json, text/plain',
    'application/json; charset=latin1',
    'application/json; boundary=x',
    'json',
  ])('has no other type: %j', async (type) => {
    const detail = `Unsupported media type "${type}" in request.`;
    expect(await postText('{}', { 'Content-Type': type })).toMatchObject({ status: 415, body: { detail } });
  });

  it('has a type', async () => {
    expect(await postText('{}', {})).toMatchObject({ status: 415, body: { detail: 'Unsupported media type "" in request.' } });
  });

  it('has no encoding', async () => {
    expect(await postText('{}', { ...json, 'Content-Encoding': 'gzip' })).toMatchObject({ status: 415 });
  });

  it.each([' ', ';', '; charset=utf-8 ', ' ;'])('has a type that is looked at quickly, however it is written: %j', async (piece) => {
    const started = performance.now();
    const type = `application/json${piece.repeat(15_000 / piece.length)}x`;
    expect(await postText('{}', { 'Content-Type': type })).toMatchObject({ status: 415 });
    expect(performance.now() - started).toBeLessThan(200);
  });
});

describe('what is no JSON', () => {
  it.each(['{', '{"a":}', "{'a':1}", '[1,]', 'undefined', '{"a":"\n"}', '{"a":"\\x"}', '\u0000', '{} {}', 'NaN', '\ufeff{}'])(
    'is a parse error: %j',
    async (text) => {
      expect(await postText(text)).toMatchObject({ status: 400, body: { detail: expect.stringMatching(/^JSON parse error - ./) } });
    },
  );

  it.each([
    ['a byte that never occurs', [0x22, 0xff, 0x22]],
    ['a sequence cut off', [0x22, 0xc3, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('is no UTF-8: %s', async (_, bytes) => {
    expect(await postText(Buffer.from(bytes))).toMatchObject({ status: 400, body: { detail: 'JSON parse error - the body is not UTF-8' } });
  });

  it('is nested too deep', async () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(await postText(nested(32))).toMatchObject({ status: 200 });
    for (const depth of [33, 1_000, 1_000_000]) {
      expect(await postText(nested(depth))).toMatchObject({ status: 400, body: { detail: 'JSON parse error - nested deeper than 32' } });
    }
    expect(await postText(`${'{"__proto__":'.repeat(40)}1${'}'.repeat(40)}`)).toMatchObject({ status: 400 });
  });
});

describe('a body that is too large', () => {
  const tooLarge = { status: 413, body: { detail: 'The body is larger than 8 MiB.' } };
  const piece = (bytes: number): Buffer =>
    Buffer.concat([Buffer.from(`${bytes.toString(16)}\r\n`), Buffer.alloc(bytes, ' '), Buffer.from('\r\n')]);
  const chunked = { ...json, 'Transfer-Encoding': 'chunked' };

  it('is one byte over the limit', async () => {
    const body = Buffer.alloc(bodyBytesMax + 1, ' ');
    body.write('{}');
    expect(await postText(body.subarray(0, bodyBytesMax))).toMatchObject({ status: 200 });
    expect(await postText(body)).toMatchObject(tooLarge);
    expect(await post(chunked, Buffer.concat([piece(bodyBytesMax + 1), Buffer.from('0\r\n\r\n')]))).toMatchObject(tooLarge);
  });

  it('is refused by what it says of itself', async () => {
    for (const length of [bodyBytesMax + 1, '9'.repeat(15)]) {
      const spoken = speak(
        server.port,
        `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
      );
      expect(lastJson(await spoken.until(/\}$/))).toEqual(tooLarge.body);
      spoken.socket.destroy();
    }
  });

  it('has other limits elsewhere', async () => {
    expect(await post({ 'Content-Length': 1024 }, Buffer.alloc(1024), '/bytes')).toMatchObject({ status: 200, body: { length: 1024 } });
    expect(await post({ 'Content-Length': 1025 }, Buffer.alloc(1025), '/bytes')).toMatchObject({
      status: 413,
      body: { detail: 'The body is larger than 1 KiB.' },
    });
  });
});

describe('bodies', () => {
  const open = `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`;

  it('that are cut off are bad requests', async () => {
    const spoken = speak(server.port, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a":');
    spoken.socket.end();
    expect(statusesOf(await spoken.closed)).toEqual([400]);
  });

  it('are so many at once, and their room is given back however they end', async () => {
    const readers = bodiesBytesMax / bodyBytesMax;
    const many = Array.from({ length: readers }, () => speak(server.port, open));
    const refused = await toldAtLast(503);
    expect(refused.body).toEqual({ detail: 'Too many large requests at once.' });
    expect(refused.headers).toMatch(/retry-after: 1\r\n/i);
    const [finished, ...cut] = many;
    for (const { socket } of cut) socket.destroy();
    finished?.socket.write('1\r\n}\r\n0\r\n\r\n');
    await finished?.until(/"length":2\}$/);
    finished?.socket.destroy();
    await toldAtLast(200);
    await Promise.all(Array.from({ length: readers }, async () => expect((await postText('{}')).status).toBe(200)));
  });

  it('take room until their requests are answered', async () => {
    const body = Buffer.alloc(bodyBytesMax, ' ');
    body.write('{}');
    const all = Array.from({ length: bodiesBytesMax / bodyBytesMax }, () =>
      post({ ...json, 'Content-Length': body.length }, body, '/held'),
    );
    await toldAtLast(503);
    answerHeld();
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(all.map(() => 200));
    expect((await postText(body)).status).toBe(200);
  });

  /** Asks until it is answered so. */
  const toldAtLast = async (status: number): Promise<Told> => {
    for (;;) {
      const told = await postText('{}');
      if (told.status === status) return told;
    }
  };
});
