import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, type Client, openClient } from '../api/client.ts';
import { type Application, bodyOf, openSession, type Session, tokenCall } from '../api/session.ts';
import { inherited } from '../engines/environment.ts';

const root = join(import.meta.dirname, '../..');
/** A bound that only catches hangs. */
const startWithinMs = 300_000;
const pollEveryMs = 10;

export type LaunchOptions = {
  /** The directory of the sources, if not this checkout. */
  readonly checkout?: string;
  /** Settings, by environment variable. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A command, with its arguments, that runs the server. */
  readonly wrapperCommand?: readonly string[];
  /** A module that Node loads before the server. */
  readonly preload?: string;
};

export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** A server process, ready or not. */
export type Launched = {
  readonly directory: string;
  readonly child: ChildProcess;
  readonly pid: number;
  readonly printed: () => string;
  readonly exited: Promise<Exit>;
  /** Sends SIGKILL and resolves once the process has ended. */
  readonly kill: () => Promise<void>;
};

/** A server that answers requests. */
export type Server = Launched & {
  readonly url: string;
  readonly operatorUrl: string;
  readonly operatorToken: string;
  readonly client: Client;
  readonly operator: (method: string, path: string, body?: object) => Promise<Answer>;
  /** Sends SIGTERM and waits until the process has ended.
   * @throws if the exit code is not 0 */
  readonly stop: () => Promise<void>;
};

/** Starts a server on a data directory and on free ports. */
export const launch = (
  directory: string,
  { checkout = root, settings = {}, wrapperCommand = [], preload }: LaunchOptions = {},
): Launched => {
  // A module that is loaded before changes the sources' modules: those of a bundle are others.
  const program = preload === undefined ? ['services/cli/waymark.cjs', 'start'] : ['--import', preload, 'services/standalone/main.ts'];
  const [command = '', ...args] = [...wrapperCommand, process.execPath, ...program];
  const env = { ...inherited, ...serverSettings(directory), ...settings };
  const child = spawn(command, args, { cwd: checkout, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      printed += chunk;
    });
  }
  const exited = new Promise<Exit>((resolve) => {
    child.once('close', (code, signal) => {
      process.off('exit', kill);
      resolve({ code, signal });
    });
  });
  const killed = async (): Promise<void> => {
    kill();
    await exited;
  };
  return { directory, child, pid: child.pid ?? 0, printed: () => printed, exited, kill: killed };
};

const serverSettings = (directory: string): Readonly<Record<string, string>> => ({
  WAYMARK_DATA_DIR: directory,
  WAYMARK_PORT: '0',
  WAYMARK_OPS_PORT: '0',
  WAYMARK_RATE_LIMITS: 'off',
  // Restarted servers get other ports, but their responses must stay the same.
  WAYMARK_PUBLIC_URL: 'http://waymark.test',
});

/** Waits until a server is ready for reads.
 * @throws if the server ends first or takes too long */
export const waitUntilReady = (launched: Launched): Promise<Server> =>
  serverOnce(launched, async ({ url }) => (await statusOf(`${url}/readyz`)) === 200);

/** Waits until a server accepts requests, whatever it answers.
 * @throws if the server ends first or takes too long */
export const waitUntilListening = (launched: Launched): Promise<Server> => serverOnce(launched, async () => true);

type OperatorFile = { readonly url: string; readonly token: string; readonly api: string; readonly pid: number };

const serverOnce = async (launched: Launched, holds: (operator: OperatorFile) => Promise<boolean>): Promise<Server> => {
  try {
    const { url, token, api } = await waitForOperatorFile(launched, holds);
    return server(launched, api, url, token);
  } catch (error) {
    await launched.kill();
    throw new Error(`${(error as Error).message}\n${launched.printed()}`, { cause: error });
  }
};

const waitForOperatorFile = async (
  { directory, child, pid }: Launched,
  holds: (operator: OperatorFile) => Promise<boolean>,
): Promise<OperatorFile> => {
  const deadlineMs = performance.now() + startWithinMs;
  for (;;) {
    const written = operatorFile(directory);
    // A process that was killed has left its own file.
    if (written?.pid === pid && (await holds(written))) return written;
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`The server ended: ${child.exitCode ?? child.signalCode}.`);
    if (performance.now() > deadlineMs) throw new Error(`The server was not ready within ${startWithinMs} ms.`);
    await pause(pollEveryMs);
  }
};

const operatorFile = (directory: string): OperatorFile | undefined => {
  try {
    return JSON.parse(readFileSync(join(directory, 'operator.json'), 'utf8'));
  } catch {
    return undefined;
  }
};

/** Returns the status of a response, or undefined if no server answers. Each call opens a new connection, because a kept one would outlive
 * its server. */
export const statusOf = async (url: string): Promise<number | undefined> => {
  try {
    return (await fetch(url, { headers: { Connection: 'close' } })).status;
  } catch {
    return undefined;
  }
};

const server = (launched: Launched, url: string, operatorUrl: string, operatorToken: string): Server => {
  const client = openClient(url);
  const operators = openClient(operatorUrl);
  const closeClients = (): void => {
    client.close();
    operators.close();
  };
  void launched.exited.then(closeClients);
  return {
    ...launched,
    url,
    operatorUrl,
    operatorToken,
    client,
    operator: (method, path, body) =>
      operators.send({
        method,
        path: `/operator${path}`,
        headers: { Authorization: `Bearer ${operatorToken}`, 'Content-Type': 'application/json' },
        body: body === undefined ? undefined : JSON.stringify(body),
      }),
    stop: async () => {
      launched.child.kill('SIGTERM');
      const { code } = await launched.exited;
      if (code !== 0) throw new Error(`The server exited with ${code}:\n${launched.printed()}`);
    },
  };
};

const register = async ({ operator }: Server, account = 'keepers'): Promise<Application> =>
  bodyOf<Application>(await operator('POST', '/applications', { account, name: 'test/faults', scopes: ['read', 'write'] }), 201);

/** Opens a session with a new token for an application. */
const logIn = async (server: Server, application: Application): Promise<Session> => {
  const { access_token } = bodyOf<{ access_token: string }>(await server.client.send(tokenCall(application)), 200);
  return sessionOn(server, application, access_token);
};

/** Opens a session with a token that an earlier server issued. */
export const sessionOn = ({ client }: Server, application: Application, token: string): Session =>
  openSession(client.send, application, token);

/** Opens a session with a new token for an application that was registered on an earlier server. */
export const logInAgain = (server: Server, { application }: Pick<Session, 'application'>): Promise<Session> => logIn(server, application);

/** Registers an application and opens a session with a token for it. */
export const newSession = async (server: Server, account?: string): Promise<Session> => logIn(server, await register(server, account));
