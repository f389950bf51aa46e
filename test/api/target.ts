import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// Imported here, so that it registers its hook while jest collects the tests. The cluster's modules also import it, but they are loaded
// only when the tests run.
import '@waymark/test-engines/test-engines.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { inherited } from '../engines/environment.ts';
import { type Answer, type Client, openClient } from './client.ts';
import { createResponseCheck, type OpenApi, type ResponseCheck } from './openapi.ts';
import { type Application, bodyOf, openSession, type Send, type Session, tokenCall } from './session.ts';

const root = join(import.meta.dirname, '../..');
const startWithinMs = 300_000;
const stopWithinMs = 300_000;
/** How much later than the wait for a server its test gives up, so that the wait says why. */
const laterMs = 2_000;
const operationWithinMs = 300_000;
const operationRepeatedEveryMs = 100;

/** Settings of the server, by the names of its environment variables. */
export type Settings = Readonly<Record<string, string>>;

/** An installation of Waymark, used over HTTP only. */
export type Target = {
  /** Sends a request. Every response is checked against the installation's `/openapi.json`, and none may be a 500. */
  readonly send: Send;
  readonly sendBytes: Client['sendBytes'];
  /** Calls the operator API. Repeats the call while another operation runs, because test files that share a cluster run at the same time. */
  readonly operator: (method: string, path: string, body?: unknown) => Promise<Answer>;
  /** Registers an application. */
  readonly application: (account?: string, scopes?: readonly string[]) => Promise<Application>;
  /** Gets a token for an application, with all of its scopes or with the given ones. */
  readonly session: (application: Application, scope?: string) => Promise<Session>;
  /** Registers an application of an account that no other test uses, and gets its token. */
  readonly account: () => Promise<Session>;
  readonly url: () => string;
  /** Returns a directory with everything that the server has stored, and what it printed. Only for a server that was started here. */
  readonly traces: () => Promise<{ readonly directory: string; readonly printed: string }>;
};

type Installation = { readonly url: string; readonly operatorUrl: string; readonly operatorToken: string };
type Started = Installation & {
  /** Resolves to a directory that contains everything that the server has stored. */
  readonly kept: () => Promise<string>;
  readonly printed: () => string;
  readonly stop: () => Promise<void>;
};

const given = process.env['WAYMARK_TEST_URL'];
/** The form in which tests start a server: as a process, unless the environment names another one. */
const form = process.env['WAYMARK_TEST_FORM'];

/** Returns a unique name. */
const fresh = (word: string): string => `${word}-${randomBytes(6).toString('hex')}`;

const repeatedWhileBusy =
  (ask: Target['operator']): Target['operator'] =>
  async (...request) => {
    for (const deadlineMs = performance.now() + operationWithinMs; ; ) {
      const answer = await ask(...request);
      const isBusy = answer.status === 409 && answer.text.includes('Another operation is running.');
      if (!isBusy || performance.now() > deadlineMs) return answer;
      await sleep(operationRepeatedEveryMs);
    }
  };

/** Returns the installation that WAYMARK_TEST_URL, WAYMARK_TEST_OPS_URL and WAYMARK_TEST_OPS_TOKEN name, or else a server for this file
 * alone. */
export const useTarget = (): Target => (given === undefined ? useOwn({}) : useInstallation(() => givenInstallation(given)));

/** Defines tests that need a server with settings of their own. Against a given installation they are left out, with the reason in their
 * name, unless the tests can start another one of its form. */
export const describeWith = (title: string, settings: Settings, tests: (target: Target) => void): void => {
  if (given === undefined || form !== undefined) describe(title, () => tests(useOwn(settings)));
  else describe.skip(`${title} (left out: needs a server started with ${named(settings)})`, () => tests(useOwn(settings)));
};

const named = (settings: Settings): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ') || 'a data directory that the tests can read';

const givenInstallation = (url: string): Installation => {
  const { WAYMARK_TEST_OPS_URL: operatorUrl, WAYMARK_TEST_OPS_TOKEN: operatorToken } = process.env;
  if (!operatorUrl || !operatorToken) throw new Error('WAYMARK_TEST_URL needs WAYMARK_TEST_OPS_URL and WAYMARK_TEST_OPS_TOKEN');
  return { url: url.replace(/\/$/, ''), operatorUrl, operatorToken };
};

const useOwn = (settings: Settings): Target => {
  let started: Started | undefined;
  beforeAll(async () => {
    started = await start(settings);
  }, startWithinMs + laterMs);
  afterAll(() => started?.stop(), stopWithinMs);
  return useInstallation(() => {
    if (started === undefined) throw new Error('the server did not start');
    return started;
  });
};

const useInstallation = (installation: () => Installation | Started): Target => {
  const clients = new Map<string, Client>();
  const clientOf = (url: string): Client => {
    const client = clients.get(url) ?? openClient(url);
    clients.set(url, client);
    return client;
  };
  afterAll(() => {
    for (const client of clients.values()) client.close();
  });

  let hold: Promise<ResponseCheck> | undefined;
  const send: Send = async (call) => {
    const client = clientOf(installation().url);
    hold ??= client.send({ method: 'GET', path: '/openapi.json' }).then((answer) => createResponseCheck(bodyOf<OpenApi>(answer, 200)));
    const answer = await client.send(call);
    if (answer.status === 500) throw new Error(`${call.method} ${call.path} answered 500: ${answer.text}`);
    (await hold)(call, answer);
    return answer;
  };

  const ask: Target['operator'] = (method, path, body) => {
    const { operatorUrl, operatorToken } = installation();
    return clientOf(operatorUrl).send({
      method,
      path: `/operator${path}`,
      headers: { Authorization: `Bearer ${operatorToken}`, 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  };
  const operator = repeatedWhileBusy(ask);

  const application: Target['application'] = async (account = fresh('account'), scopes = ['read', 'write']) =>
    bodyOf<Application>(await operator('POST', '/applications', { account, name: 'test/api', scopes }), 201);

  const session: Target['session'] = async (registered, scope) => {
    const answer = await send(tokenCall(registered, scope === undefined ? {} : { scope }));
    return openSession(send, registered, bodyOf<{ access_token: string }>(answer, 200).access_token);
  };

  return {
    send,
    sendBytes: (bytes) => clientOf(installation().url).sendBytes(bytes),
    operator,
    application,
    session,
    account: async () => session(await application()),
    url: () => installation().url,
    traces: async () => {
      const own = installation();
      if (!('kept' in own)) throw new Error('the server was not started by this test');
      return { directory: await own.kept(), printed: own.printed() };
    },
  };
};

const start = (settings: Settings): Promise<Started> => {
  switch (form) {
    case undefined:
      return startProcess(settings);
    case 'cluster':
      return startCluster(settings);
    case 'image':
      return import('../image/server.ts').then(({ startContainer }) => startContainer(settings));
    default:
      throw new Error(`WAYMARK_TEST_FORM=${form}: cluster or image`);
  }
};

/** Starts a cluster on the engines that the environment names. Its modules are imported only here, because they load the drivers of all engines. */
const startCluster = async (settings: Settings): Promise<Started> => {
  const [cluster, { dumpInto }] = await Promise.all([
    import('../cluster/setup/cluster.ts').then((module) => module.startCluster(settings)),
    import('../cluster/setup/dump.ts'),
  ]);
  const kept = async (): Promise<string> => {
    await dumpInto(join(cluster.directory, 'engines'), cluster);
    return cluster.directory;
  };
  return { ...cluster, kept };
};

/** Starts the real process on free ports and an empty data directory. Resolves once it is ready. */
const startProcess = async (settings: Settings): Promise<Started> => {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-api-'));
  const child = spawn(process.execPath, ['services/cli/waymark.cjs', 'start'], {
    cwd: root,
    env: { ...inherited, ...serverSettings(directory), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      printed += chunk;
    });
  const exited = new Promise<number | null>((resolve) => {
    child.once('exit', resolve);
  });

  const { url, token, api } = await ready(join(directory, 'operator.json'), child).catch((error) => {
    child.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
    throw new Error(`${error.message}\n${printed}`, { cause: error });
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const code = await exited;
    rmSync(directory, { recursive: true, force: true });
    if (code !== 0) throw new Error(`the server exited with ${code}:\n${printed}`);
  };
  return { url: api, operatorUrl: url, operatorToken: token, kept: async () => directory, printed: () => printed, stop };
};

const serverSettings = (directory: string): Settings => ({
  WAYMARK_DATA_DIR: directory,
  WAYMARK_PORT: '0',
  WAYMARK_OPS_PORT: '0',
  WAYMARK_RATE_LIMITS: 'off',
});

type OperatorFile = { readonly url: string; readonly token: string; readonly api: string };

/** Waits for the server's operator file and then for its readiness. */
const ready = async (file: string, child: ChildProcess): Promise<OperatorFile> => {
  const deadline = Date.now() + startWithinMs;
  const patience = async (): Promise<void> => {
    if (child.exitCode !== null) throw new Error(`the server exited with ${child.exitCode}:`);
    if (Date.now() > deadline) throw new Error(`the server was not ready within ${startWithinMs} ms:`);
    await sleep(20);
  };
  while (!existsSync(file)) await patience();
  const written: OperatorFile = JSON.parse(readFileSync(file, 'utf8'));
  while ((await fetch(`${written.url}/readyz`)).status !== 200) await patience();
  return written;
};
