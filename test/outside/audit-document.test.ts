import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createNoteSigner } from '@waymark/proof/signed-note.ts';
import type { Answer } from '../api/client.ts';
import { openEventStream } from '../api/event-stream.ts';
import { bodyOf, tokenCall } from '../api/session.ts';
import { outcome, spawnWaymark } from '../cli/waymark.ts';
import type { Server } from '../crash/server.ts';
import { useTestServers } from '../crash/test-servers.ts';

const root = join(import.meta.dirname, '../..');
const document = join(root, 'docs/audit.md');
const ground = useTestServers();

/** A request in the document, and its response, if it shows one. */
type Shown = { readonly request: string; readonly response: string | undefined };

const blocks = /```http\n([\s\S]*?)```(?:\n\n```(?:json|text)\n([\s\S]*?)```)?/g;

const streamPath = '/audit/v1/activity/stream';

const blockOf = (request: string, response: string): string =>
  `\`\`\`http\n${request}\`\`\`\n\n\`\`\`${request.includes(streamPath) ? 'text' : 'json'}\n${response}\`\`\``;

const shownIn = (text: string): readonly Shown[] =>
  [...text.matchAll(blocks)].map((found) => ({ request: found[1] ?? '', response: found[2] }));

/** Commands in the document, each with what it prints. */
const consoleBlocks = /```console\n([\s\S]*?)```/g;

const commandsIn = (block: string): readonly string[] => [...block.matchAll(/^\$ (.*)$/gm)].map(([, command = '']) => command);

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
  /** Checkpoints are signed once a second, so their numbers depend on the speed of the machine. */
  const numbers = createNaming((count) => `${count}`);
  return {
    named: (text: string): string =>
      text
        .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, uuids.name)
        .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, times.name)
        .replaceAll(/"[0-9a-f]{32}"/g, '"0123456789abcdef0123456789abcdef"')
        .replaceAll(/cursor=[\w-]+/g, 'cursor=…')
        .replaceAll(/^id: [\w-]+$/gm, 'id: …')
        .replaceAll(/(?<=— \S+ )[\w+/=]{92,}/g, '…')
        .replaceAll(/[\w+/]{43}=/g, '…')
        .replaceAll(/\+[0-9a-f]{8}\+[\w+/=]{44}/g, '+…')
        .replaceAll(/(?<="commitment": )"[\w-]{43}"/g, '"…"')
        .replaceAll(/(?<="token": )"[\w-]{12}"/g, '"…"')
        .replaceAll(/(?<=number |checkpoint {2,})\d+/g, numbers.name)
        .replaceAll(/[\d,]+(?= bytes)/g, '12,000')
        .replaceAll('http://waymark.test', 'http://127.0.0.1:8080'),
    original: (text: string): string => uuids.original(text),
  };
};

/** The private key of the notary. */
const privateKey = Buffer.alloc(32, 7);
const consistencyPath = 'GET /audit/v1/proofs/consistency?from=';
const checkpointPath = '/audit/v1/checkpoints/latest';
/** The time after which a checkpoint covers all that was done, if none comes any more. */
const settledMs = 3_000;

/** Sends a request for the last checkpoint until it covers everything. */
const sendUntilSettled = async (send: () => Promise<Sent>): Promise<Sent> => {
  let [last, sinceMs] = [await send(), performance.now()];
  while (last.status !== 200 || performance.now() - sinceMs < settledMs) {
    await pause(100);
    const next = await send();
    if (next.text !== last.text) [last, sinceMs] = [next, performance.now()];
  }
  return last;
};

/** What the server sends for a request: a response, or the beginning of a stream. */
type Sent = Pick<Answer, 'status' | 'text'>;

/** Returns the function that sends requests of the document, as an application. */
const open = async ({ operator, client, url }: Server) => {
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
  const send = (request: string): Promise<Sent> => {
    const [line = '', ...rest] = request.trim().split('\n');
    const [method = '', path = ''] = line.split(' ');
    const body = rest.find((one) => one.startsWith('{'));
    const headers = Object.fromEntries(rest.filter((one) => !one.startsWith('{')).map((one) => one.split(': ')));
    const all = { Authorization: `Bearer ${access_token}`, 'Content-Type': 'application/json', ...headers };
    if (path.startsWith(streamPath)) return streamed(path, all);
    return client.send({ method, path, headers: all, ...(body === undefined ? {} : { body }) });
  };
  return { send, application };
};

const recordedWithinMs = 30_000;

/** Sends a request. Refused requests are recorded within a second, changes are in a checkpoint then, and an undo takes a moment: a request that
 * reads them is repeated until it gets some, or until the undo is over. */
const sendUntilRecorded = async (send: () => Promise<Sent>, request: string): Promise<Sent> => {
  for (const deadlineMs = performance.now() + recordedWithinMs; ; await pause(100)) {
    const answer = await send();
    const isEmpty =
      (request.startsWith('GET /audit/v1/refusals') && answer.text.includes('"results":[]')) ||
      (request.startsWith(consistencyPath) && answer.text.includes('"consistency":[]'));
    const isRunning = request.startsWith('GET /audit/v1/undos/') && answer.text.includes('"status":"running"');
    if (!(isEmpty || isRunning) || performance.now() > deadlineMs) return answer;
  }
};

/** Runs a command of the document on a server, in a folder, and returns what it prints. */
const runIn = async (folder: string, { url }: Server, command: string): Promise<string> => {
  const [program = '', ...words] = command.replaceAll('http://127.0.0.1:8080', url).split(' ');
  if (program !== 'waymark') {
    const [script = '', ...files] = words;
    return spawnSync(program, [join(root, script), ...files], { cwd: folder, encoding: 'utf8' }).stdout;
  }
  const { code, stdout, stderr } = await outcome(spawnWaymark(folder, {}, words));
  expect([command, code, stderr]).toEqual([command, 0, '']);
  return stdout;
};

it('The page about the history shows what the server answers, and what commands print', async () => {
  const settings = {
    WAYMARK_REFUSALS_SECONDS: '1',
    WAYMARK_NOTARY_SECONDS: '1',
    WAYMARK_NOTARY_KEY: privateKey.toString('base64'),
  };
  const server = await ground.start(ground.directory(), { settings });
  const { send, application } = await open(server);
  const { named, original } = createNames();
  const text = readFileSync(document, 'utf8');
  let [written, settled] = [text, ''];
  for (const { request, response } of shownIn(text)) {
    const sending = (): Promise<Sent> => send(original(request).replace(`${consistencyPath}1`, `${consistencyPath}${settled}`));
    const answer = request.includes(checkpointPath) ? await sendUntilSettled(sending) : await sendUntilRecorded(sending, request);
    if (request.includes(checkpointPath)) settled = /number (\d+)/.exec(answer.text)?.[1] ?? '';
    const isShownRefusal = [400, 409].includes(answer.status) && response !== undefined;
    expect([request, answer.status < 300 || isShownRefusal]).toEqual([request, true]);
    const isStream = request.includes(streamPath);
    const shown = isStream ? named(answer.text) : `${named(JSON.stringify(JSON.parse(answer.text), undefined, 2))}\n`;
    if (response !== undefined) written = written.replace(blockOf(request, response), () => blockOf(request, shown));
  }
  const folder = ground.directory();
  mkdirSync(folder);
  const { checkpoint } = JSON.parse((await send(`GET ${checkpointPath}\n`)).text) as { checkpoint: string };
  writeFileSync(join(folder, 'museum.json'), JSON.stringify(application));
  writeFileSync(join(folder, 'keys'), `${createNoteSigner(/^waymark\/[^/]+/.exec(checkpoint)?.[0] ?? '', privateKey).verifierKey}\n`);
  for (const [block, commands = ''] of text.matchAll(consoleBlocks)) {
    let printed = '';
    for (const command of commandsIn(commands)) printed += `$ ${command}\n${named(await runIn(folder, server, command))}`;
    written = written.replace(block, () => `\`\`\`console\n${printed}\`\`\``);
  }
  await server.stop();
  if (process.env['WAYMARK_WRITE'] === '1') writeFileSync(document, written);
  else expect(text).toBe(written);
}, 120_000);
