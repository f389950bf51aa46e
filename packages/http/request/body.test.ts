// Long because each way in which a body can exceed a limit has a test of its own.

import type { RequestListener } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { bodyBytesMax } from '../limits.ts';
import { createRequestLifecycle, type Exchange } from '../request-lifecycle.ts';
import { type Listening, listen } from '../server/server.ts';
import { lastJson, type RawResponses, sendRaw, statusesOf } from '../testing/raw-http.ts';
import { readJson } from './body.ts';
import { createBudgets } from './budgets.ts';
import { fileBody, formBody, plainBody } from './request-body.ts';

/** Budgets for four whole bodies that may contain a file, and for four that may not. */
const budgets = createBudgets(8 * 4 * bodyBytesMax);
const half = 2 * bodyBytesMax;
const mebibyte = 1024 * 1024;

let server: Listening;

/** Answers the requests for /held. They are read at once, and answered only then. */
let answerHeld = (): void => undefined;
const held = new Promise<void>((resolve) => {
  answerHeld = resolve;
});

/** Reads a body and returns what was read: as JSON, or under /form its length. The last part of the path names the application, if the path
 * has several parts. */
const whatWasRead = async (exchange: Exchange): Promise<object> => {
  const [, path, application] = (exchange.request.url ?? '').split('/');
  if (application !== undefined) exchange.access = { account: 'a', application, token: 't', scopes: [] };
  if (path === 'form') return { length: (await exchange.body.read(formBody)).length };
  const { bytes, json } = await readJson(exchange, path === 'plain' ? plainBody : fileBody);
  if (path === 'held') await held;
  return { json: bytes.length > 1_000 ? 'long' : json, length: bytes.length };
};

beforeAll(async () => {
  const lifecycle = createRequestLifecycle({
    corsOrigins: new Set(),
    observe: () => undefined,
    logger: pino({ level: 'silent' }),
    closing: () => false,
    budgets,
  });
  const listener: RequestListener = (request, response) =>
    void lifecycle(request, response, 'x', async (exchange) => ({ status: 200, body: JSON.stringify(await whatWasRead(exchange)) }));
  server = await listen(listener, '127.0.0.1', 0);
});

afterAll(() => server.close(0));

type Received = { readonly status: number | undefined; readonly body: unknown; readonly headers: string };

const post = async (headers: Readonly<Record<string, string | number>>, body: string | Buffer = '', path = '/'): Promise<Received> => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = Buffer.from(`POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines.join('')}\r\n`);
  const received = await sendRaw(server.port, Buffer.concat([head, Buffer.from(body)])).closed;
  return { status: statusesOf(received)[0], body: lastJson(received), headers: received };
};

const json = { 'Content-Type': 'application/json' };

const postText = (body: string | Buffer, headers: Readonly<Record<string, string>> = json, path = '/'): Promise<Received> =>
  post({ ...headers, 'Content-Length': Buffer.byteLength(body) }, body, path);

/** Processor time in user mode, which does not depend on other work of the machine. A pattern that backtracks over a header takes at least
 * twice as much. */
const userMicrosecondsMax = 500_000;

describe('a JSON body', () => {
  it('is returned as JSON, with its size in bytes', async () => {
    expect(await postText('{"name":"Caf\u00e9"}')).toMatchObject({ status: 200, body: { json: { name: 'Café' }, length: 16 } });
  });

  it('may be sent in chunks', async () => {
    const pieces = '7\r\n{"a":[1\r\n3\r\n,2]\r\n1\r\n}\r\n0\r\n\r\n';
    expect(await post({ ...json, 'Transfer-Encoding': 'chunked' }, pieces)).toMatchObject({ status: 200, body: { json: { a: [1, 2] } } });
  });

  it.each([
    ['a length of 0', { 'Content-Length': 0 }],
    ['no length', {}],
    ['a length of 0 and some type', { 'Content-Length': 0, 'Content-Type': 'text/plain' }],
  ])('counts as an empty object if it is empty: %s', async (_, headers) => {
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
  ])('may not have the type %j', async (type) => {
    const detail = `Unsupported media type "${type}" in request.`;
    expect(await postText('{}', { 'Content-Type': type })).toMatchObject({ status: 415, body: { detail } });
  });

  it('must have a type', async () => {
    expect(await postText('{}', {})).toMatchObject({ status: 415, body: { detail: 'Unsupported media type "" in request.' } });
  });

  it('may not have a content encoding', async () => {
    expect(await postText('{}', { ...json, 'Content-Encoding': 'gzip' })).toMatchObject({ status: 415 });
  });

  it.each([' ', ';', '; charset=utf-8 ', ' ;'])('has its type checked quickly, whatever its form: %j', async (piece) => {
    const before = process.threadCpuUsage();
    const type = `application/json${piece.repeat(15_000 / piece.length)}x`;
    expect(await postText('{}', { 'Content-Type': type })).toMatchObject({ status: 415 });
    const { user } = process.threadCpuUsage(before);
    expect(user).toBeLessThan(userMicrosecondsMax);
  });
});

describe('a body that is not JSON', () => {
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
  ])('is refused if it is not UTF-8: %s', async (_, bytes) => {
    expect(await postText(Buffer.from(bytes))).toMatchObject({ status: 400, body: { detail: 'JSON parse error - the body is not UTF-8' } });
  });

  it('is refused if it is nested too deep', async () => {
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

  it('is refused because of its Content-Length alone', async () => {
    for (const length of [bodyBytesMax + 1, '9'.repeat(15)]) {
      const spoken = sendRaw(
        server.port,
        `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
      );
      expect(lastJson(await spoken.until(/\}$/))).toEqual(tooLarge.body);
      spoken.socket.destroy();
    }
  });

  it.each([
    ['where no file is allowed', 'plain', 2 * 1024 * 1024, '2 MiB'],
    ['for a token request', 'form', 16 * 1024, '16 KiB'],
  ])('has a lower limit: %s', async (_, path, most, text) => {
    const body = Buffer.alloc(most + 1, ' ');
    body.write('{}');
    expect(await postText(body.subarray(0, most), json, `/${path}`)).toMatchObject({ status: 200, body: { length: most } });
    expect(await postText(body, json, `/${path}`)).toMatchObject({ status: 413, body: { detail: `The body is larger than ${text}.` } });
  });
});

describe('the JSON values of a body', () => {
  const tooMany = { status: 400, body: { detail: 'JSON parse error - more than 20000 values' } };

  it.each([
    ['nearly a million keys', `{${Array.from({ length: 900_000 }, (_, nth) => `"${nth.toString(36)}":1`).join(',')}}`],
    ['empty objects', `[${'{},'.repeat(1_000_000)}{}]`],
    ['numbers', `{"x":[${'1,'.repeat(1_000_000)}1]}`],
    ['arrays in arrays', `[${'[[[]]],'.repeat(10_000)}1]`],
    ['one too many', `[${'1,'.repeat(20_000)}1]`],
  ])('are too many: %s', async (_, text) => {
    expect(await postText(text)).toMatchObject(tooMany);
  });

  it('may number 20,000', async () => {
    expect(await postText(`[${'1,'.repeat(19_999)}1]`)).toMatchObject({ status: 200 });
  });

  it.each([
    ['braces', '{'.repeat(100_000)],
    ['quotes, commas and backslashes', '",\\'.repeat(30_000)],
    ['a backslash at the end', `${','.repeat(50_000)}\\`],
  ])('are not counted within a string: %s', async (_, description) => {
    expect(await postText(JSON.stringify({ description, 'a "key", {': [] }))).toMatchObject({ status: 200 });
  });

  it('are counted before the body is parsed', async () => {
    const parse = jest.spyOn(JSON, 'parse');
    await postText(`[${'{},'.repeat(1_000_000)}{}]`);
    expect(parse.mock.calls.filter(([text]) => text.length > 1_000_000)).toEqual([]);
    parse.mockRestore();
  });
});

describe('bodies', () => {
  const open = (bytes: number): string =>
    `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`;
  const overloaded = { detail: 'Too many large requests at once.' };

  /** Starts a client that sends a mebibyte of a body, but not its last byte. */
  const begin = async (): Promise<RawResponses> => {
    const spoken = sendRaw(server.port, open(mebibyte + 1));
    const before = budgets.files.takenBytes();
    spoken.socket.write(Buffer.alloc(mebibyte, ' '));
    while (budgets.files.takenBytes() < before + mebibyte) await pause(5);
    return spoken;
  };
  const allGiven = async (): Promise<void> => {
    while (budgets.files.takenBytes() > 0) await pause(5);
  };

  it('are bad requests if they are cut off', async () => {
    const spoken = sendRaw(server.port, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a":');
    spoken.socket.end();
    expect(statusesOf(await spoken.closed)).toEqual([400]);
  });

  it('take no bytes of the budget for their announced length', async () => {
    const many = Array.from({ length: 64 }, () => sendRaw(server.port, open(bodyBytesMax)));
    expect((await postText('{}')).status).toBe(200);
    expect(budgets.files.takenBytes()).toBe(0);
    for (const { socket } of many) socket.destroy();
  });

  it('of one client leave room for those of others, and release their bytes however they end', async () => {
    const one: RawResponses[] = [];
    while (budgets.files.takenBytes() < half) one.push(await begin());
    const refused = await postText('{}');
    expect(refused).toMatchObject({ status: 503, body: overloaded });
    expect(refused.headers).toMatch(/retry-after: 1\r\n/i);
    // Another client can send one whole body.
    expect((await postText('{}', json, '//other')).status).toBe(200);
    const whole = Buffer.alloc(bodyBytesMax, ' ');
    whole.write('{}');
    expect((await postText(whole, json, '//other')).status).toBe(200);

    const [finished, ...cut] = one;
    for (const { socket } of cut) socket.destroy();
    while (budgets.files.takenBytes() >= 2 * mebibyte) await pause(5);
    finished?.socket.write('1');
    await finished?.until(/"length":\d+\}$/);
    finished?.socket.destroy();
    await allGiven();
  });

  it('hold their bytes until their requests are answered', async () => {
    const body = Buffer.alloc(bodyBytesMax, ' ');
    body.write('{}');
    const all = ['a', 'b', 'c', 'd'].map((application) => postText(body, json, `/held/${application}`));
    while (budgets.files.takenBytes() < 4 * bodyBytesMax) await pause(5);
    expect(await postText('{}', json, '//other')).toMatchObject({ status: 503, body: overloaded });
    // Bodies of other kinds have budgets of their own.
    expect((await postText('{}', json, '/plain/other')).status).toBe(200);
    expect((await postText('x=1', json, '/form')).status).toBe(200);
    answerHeld();
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(all.map(() => 200));
    expect((await postText(body)).status).toBe(200);
  });

  it('take at most twice their size if they arrive byte by byte', async () => {
    const spoken = sendRaw(server.port, `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`);
    spoken.socket.write('1\r\n \r\n'.repeat(100_000));
    while (budgets.files.takenBytes() < 100_000) await pause(5);
    expect(budgets.files.takenBytes()).toBeLessThanOrEqual(200_000);
    spoken.socket.destroy();
    await allGiven();
  });
});
