import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer, Client } from '../api/client.ts';
import { type Application, bodyOf, openSession, type Send, type Session, tokenCall } from '../api/session.ts';
import { launch, type Server as Process, waitUntilReady } from '../crash/server.ts';

const startWithinMs = 300_000;
const stopWithinMs = 300_000;

/** The base URL of every URL in a response. It stays the same after a restart, which gives the server other ports. */
export const publicUrl = 'http://waymark.test';

/** A real server on a data directory of its own, which can be stopped or killed, and restarted on the same directory. */
export type Server = {
  readonly directory: string;
  /** Sends a request to the process that currently runs. */
  readonly send: Send;
  readonly sendBytes: Client['sendBytes'];
  /** Calls the operator API. Paths are below `/operator`. */
  readonly operator: (method: string, path: string, body?: object) => Promise<Answer>;
  readonly urls: () => { readonly api: string; readonly operator: string; readonly operatorToken: string };
  readonly application: (account: string, scopes?: readonly string[]) => Promise<Application>;
  readonly session: (application: Application) => Promise<Session>;
  /** Ends the process, calls `meanwhile`, which may change its data, and starts another process. */
  readonly restart: (signal: 'SIGTERM' | 'SIGKILL', meanwhile?: () => void) => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** Starts a server for the tests of one file. */
export const useServer = (): (() => Server) => {
  let server: Server | undefined;
  beforeAll(async () => {
    server = await startServer();
  }, startWithinMs);
  afterAll(() => server?.stop(), stopWithinMs);
  return () => {
    if (server === undefined) throw new Error('the server did not start');
    return server;
  };
};

const settings = {
  // On a slow machine, a write must still not be answered before it is visible.
  WAYMARK_READ_WAIT_MS: '60000',
  WAYMARK_LOG_LEVEL: 'warn',
};

const startServer = async (): Promise<Server> => {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-properties-'));
  const start = (): Promise<Process> => waitUntilReady(launch(directory, { settings }));
  let running = await start();

  const operator: Server['operator'] = (method, path, body) => running.operator(method, path, body);
  const send: Send = (call) => running.client.send(call);
  return {
    directory,
    send,
    sendBytes: (bytes) => running.client.sendBytes(bytes),
    operator,
    urls: () => ({ api: running.url, operator: running.operatorUrl, operatorToken: running.operatorToken }),
    application: async (account, scopes = ['read', 'write']) =>
      bodyOf<Application>(await operator('POST', '/applications', { account, name: 'properties', scopes }), 201),
    session: async (application) => {
      const answer = await send(tokenCall(application));
      return openSession(send, application, bodyOf<{ access_token: string }>(answer, 200).access_token);
    },
    restart: async (signal, meanwhile) => {
      await end(running, signal);
      meanwhile?.();
      running = await start();
    },
    stop: async () => {
      await end(running, 'SIGTERM');
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

/** Ends the process.
 * @throws where it has ended by itself, or does not end properly */
const end = async ({ child, printed, stop, kill }: Process, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) throw new Error(`The server ended by itself:\n${printed()}`);
  await (signal === 'SIGTERM' ? stop() : kill());
};
