import { type ClientRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import type { Entry } from './history.ts';
import type { Session } from './session.ts';

const withinMs = 20_000;

/** One block of a stream: an event, or only an id. */
export type Block = { readonly id: string; readonly data: StreamedEntry | undefined };
export type StreamedEntry = Entry & { readonly object: { readonly kind: string; readonly id: number | string } };

export type EventStream = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** All blocks so far. The first one has no event: it names the place where the stream begins. */
  readonly blocks: readonly Block[];
  /** The text that has arrived, comments included. */
  readonly text: () => string;
  /** Waits until this number of events has arrived, and returns all of them. */
  readonly events: (count: number) => Promise<readonly StreamedEntry[]>;
  /** Waits until the text matches. */
  readonly until: (pattern: RegExp) => Promise<void>;
  /** Resolves once the stream is over. */
  readonly ended: Promise<void>;
  readonly close: () => void;
};

/** Opens a stream of events at an address, over a connection of its own. Resolves once its head has arrived. */
export const openEventStream = async (
  base: string,
  { token }: Pick<Session, 'token'>,
  path = '/audit/v1/activity/stream',
  headers: OutgoingHttpHeaders = {},
): Promise<EventStream> => {
  const url = new URL(path, base);
  const send = url.protocol === 'https:' ? overHttps : overHttp;
  const request: ClientRequest = send(url, { agent: false, headers: { Authorization: `Bearer ${token}`, ...headers } }).end();
  const response = await new Promise<Parameters<Parameters<typeof overHttp>[2] & {}>[0]>((resolve, reject) => {
    request.once('response', resolve).once('error', reject);
  });
  request.on('error', () => undefined);
  let text = '';
  const listeners = new Set<() => void>();
  const ended = new Promise<void>((resolve) => {
    response.once('close', resolve).on('error', () => undefined);
  });
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    for (const listen of listeners) listen();
  });
  const reached = (isReached: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const done = (settle: () => void): void => {
        clearTimeout(timer);
        listeners.delete(check);
        settle();
      };
      const check = (): void => (isReached() ? done(resolve) : undefined);
      const fail = (): void => done(() => reject(new Error(`The stream had only this within ${withinMs} ms: ${text.slice(-2_000)}`)));
      const timer = setTimeout(fail, withinMs);
      listeners.add(check);
      check();
    });
  const events = (): readonly StreamedEntry[] => blocksIn(text).flatMap(({ data }) => (data === undefined ? [] : [data]));
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    get blocks() {
      return blocksIn(text);
    },
    text: () => text,
    events: async (count) => {
      await reached(() => events().length >= count);
      return events();
    },
    until: (pattern) => reached(() => pattern.test(text)),
    ended,
    close: () => request.destroy(),
  };
};

/** Returns the complete blocks of a text. */
const blocksIn = (text: string): readonly Block[] =>
  text
    .split('\n\n')
    .slice(0, -1)
    .map((block) => {
      const lines = new Map(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
      const data = lines.get('data');
      return { id: lines.get('id') ?? '', data: data === undefined ? undefined : JSON.parse(data) };
    });
