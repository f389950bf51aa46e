import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer } from '../api/client.ts';
import { openEventStream } from '../api/event-stream.ts';
import { bodyOf, tokenCall } from '../api/session.ts';
import type { Server } from '../crash/server.ts';
import { useTestServers } from '../crash/test-servers.ts';

const document = join(import.meta.dirname, '../../docs/audit.md');
const ground = useTestServers();

/** A request in the document, and its response, if it shows one. */
type Shown = { readonly request: string; readonly response: string | undefined };

const blocks = /```http\n([\s\S]*?)```(?:\n\n```(?:json|text)\n([\s\S]*?)```)?/g;

const streamPath = '/audit/v1/activity/stream';

const blockOf = (request: string, response: string): string =>
  `\`\`\`http\n${request}\`\`\`\n\n\`\`\`${request.includes(streamPath) ? 'text' : 'json'}\n${response}\`\`\``;

const shownIn = (text: string): readonly Shown[] =>
  [...text.matchAll(blocks)].map((found) => ({ request: found[1] ?? '', response: found[2] }));

/** Gives the values of one kind names, in the order in which they come up. */
const createNaming = (nameOf: (count: number) => string) => {
  const names = new Map<string, string>();
  return {
    name: (value: string): string => {
      const name = names.get(value) ?? nameOf(names.size + 1);
      names.set(value, name);
      return name;
    },
    /** Puts the values back into a text. */
    original: (text: string): string => [...names].reduce((all, [value, name]) => all.replaceAll(name, value), text),
  };
};

/** Replaces what differs from run to run. */
const createNames = () => {
  const uuids = createNaming((count) => `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`);
  const times = createNaming((count) => `2026-06-01T08:00:${String(count).padStart(2, '0')}.000Z`);
  return {
    named: (text: string): string =>
      text
        .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, uuids.name)
        .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, times.name)
        .replaceAll(/"[0-9a-f]{32}"/g, '"0123456789abcdef0123456789abcdef"')
        .replaceAll(/cursor=[\w-]+/g, 'cursor=…')
        .replaceAll(/^id: [\w-]+$/gm, 'id: …')
        .replaceAll('http://waymark.test', 'http://127.0.0.1:8080'),
    original: (text: string): string => uuids.original(text),
  };
};

/** What the server sends for a request: a response, or the beginning of a stream. */
type Sent = Pick<Answer, 'status' | 'text'>;

const open = async ({ operator, client, url }: Server): Promise<(request: string) => Promise<Sent>> => {
  const application = bodyOf<Parameters<typeof tokenCall>[0]>(
    await operator('POST', '/applications', { account: 'museum', name: 'Museum CMS', scopes: ['read', 'write', 'audit'] }),
    201,
  );
  const { access_token } = bodyOf<{ access_token: string }>(await client.send(tokenCall(application)), 200);
  /** Returns what a stream sends when the pinpoint is edited. */
  const streamed = async (path: string, headers: Record<string, string>): Promise<Sent> => {
    const stream = await openEventStream(url, { token: access_token }, path);
    const body = '{"name":"Harbour light, red","latitude":55.304,"longitude":21.005}';
    expect((await client.send({ method: 'PUT', path: '/v3.0/pinpoints/1', headers, body })).status).toBe(200);
    await stream.events(1);
    stream.close();
    return { status: stream.status, text: stream.text() };
  };
  return (request) => {
    const [line = '', ...rest] = request.trim().split('\n');
    const [method = '', path = ''] = line.split(' ');
    const body = rest.find((one) => one.startsWith('{'));
    const headers = Object.fromEntries(rest.filter((one) => !one.startsWith('{')).map((one) => one.split(': ')));
    const all = { Authorization: `Bearer ${access_token}`, 'Content-Type': 'application/json', ...headers };
    if (path.startsWith(streamPath)) return streamed(path, all);
    return client.send({ method, path, headers: all, ...(body === undefined ? {} : { body }) });
  };
};

const recordedWithinMs = 30_000;

/** Sends a request. Refused requests are recorded within a second: a request that reads them is repeated until it gets some. */
const sendUntilRecorded = async (send: () => Promise<Sent>, request: string): Promise<Sent> => {
  for (const deadlineMs = performance.now() + recordedWithinMs; ; await pause(100)) {
    const answer = await send();
    const isEmpty = request.startsWith('GET /audit/v1/refusals') && answer.text.includes('"results":[]');
    if (!isEmpty || performance.now() > deadlineMs) return answer;
  }
};

it('The page about the history shows what the server answers', async () => {
  const server = await ground.start(ground.directory(), { settings: { WAYMARK_REFUSALS_SECONDS: '1' } });
  const send = await open(server);
  const { named, original } = createNames();
  const text = readFileSync(document, 'utf8');
  let written = text;
  for (const { request, response } of shownIn(text)) {
    const answer = await sendUntilRecorded(() => send(original(request)), request);
    const isShownRefusal = answer.status === 400 && response !== undefined;
    expect([request, answer.status < 300 || isShownRefusal]).toEqual([request, true]);
    const isStream = request.includes(streamPath);
    const shown = isStream ? named(answer.text) : `${named(JSON.stringify(JSON.parse(answer.text), undefined, 2))}\n`;
    if (response !== undefined) written = written.replace(blockOf(request, response), () => blockOf(request, shown));
  }
  await server.stop();
  if (process.env['WAYMARK_WRITE'] === '1') writeFileSync(document, written);
  else expect(text).toBe(written);
});
