import { setTimeout as sleep } from 'node:timers/promises';
import type { Credentials } from '@waymark/operations/api/answers.ts';
import { pauseMs } from '@waymark/timing/back-off.ts';
import { attemptsMax, noResponsePauses, pauseMsMin, retryAfterMsMax } from '../limits.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';
import { type Answer, type Connections, connectTo, jsonOf } from './http.ts';

export type ApiCall = {
  readonly method: 'GET' | 'POST';
  /** The path below the root. */
  readonly path: string;
  /** By default `/v3.0`. */
  readonly root?: '/v3.0' | '/audit/v1';
  readonly body?: string;
  readonly idempotencyKey?: string;
  /** The `Correlation-Id`. By default, the request has one of its own. */
  readonly correlation?: string;
  /** True if 409 is a final response. By default the request is repeated: the server still processes the same one. */
  readonly conflicts?: boolean;
};

/** A client of the content API, authenticated as an application. */
export type Api = {
  /** Sends a request and returns its final response, whatever the status. Waits and repeats the request where the server asks for it.
   * @throws CommandFailed where no attempt gets a final response */
  readonly send: (call: ApiCall) => Promise<Answer>;
  readonly close: () => void;
};

/** What a token is issued for. */
export type ClientCredentials = Omit<Credentials, 'secret_id'>;

export type ApiOptions = {
  readonly url: string;
  /** Returns the credentials for a new token. Called at the start, and when the server no longer accepts the previous token. */
  readonly credentials: () => Promise<ClientCredentials>;
  readonly inFlight: number;
};

/** Returns a client that sends all requests with the same `Correlation-Id`. */
export const withCorrelation = (api: Api, correlation: string): Api => ({ ...api, send: (call) => api.send({ ...call, correlation }) });

export const openApi = ({ url, credentials, inFlight }: ApiOptions): Api => {
  const connections = connectTo(url, inFlight);
  const tokens = tokensFrom(connections, credentials);
  const pause = createSharedPause();

  /** Returns undefined where the request has to be repeated. */
  const attempt = async (call: ApiCall, tries: number): Promise<Answer | undefined> => {
    await pause.over();
    const token = await tokens.current();
    const answer = await connections.send(request(call, token)).catch((error) => error as Error);
    if (answer instanceof Error) return pause.begin(pauseMs(noResponsePauses, tries));
    if (answer.status === 401) return tokens.reject(token);
    return isRetryable(answer, call) ? pause.begin(retryAfterMs(answer)) : answer;
  };

  return {
    send: async (call) => {
      for (let tries = 0; tries < attemptsMax; tries += 1) {
        const answer = await attempt(call, tries);
        if (answer !== undefined) return answer;
      }
      throw new CommandFailed('unreachable', `${url} did not accept ${call.method} ${call.path} in ${attemptsMax} attempts.`);
    },
    close: connections.close,
  };
};

const request = ({ method, root = '/v3.0', path, body, idempotencyKey, correlation }: ApiCall, token: string) => ({
  method,
  path: `${root}${path}`,
  headers: {
    Authorization: `Bearer ${token}`,
    ...(correlation === undefined ? {} : { 'Correlation-Id': correlation }),
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
  },
  ...(body === undefined ? {} : { body }),
});

/** Reports whether a repeat can get another response: the server throttles or is overloaded, or still processes the same request. */
const isRetryable = ({ status }: Answer, { conflicts = false }: ApiCall): boolean =>
  status === 429 || (status === 409 && !conflicts) || status >= 500;

const retryAfterMs = ({ headers }: Answer): number => {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1_000, retryAfterMsMax) : pauseMsMin;
};

/** Creates a pause that all requests share: a wait that the server asks of one request applies to all. */
const createSharedPause = () => {
  let until = 0;
  return {
    begin: (ms: number): undefined => {
      until = Math.max(until, Date.now() + ms);
    },
    over: async (): Promise<void> => {
      for (let left = until - Date.now(); left > 0; left = until - Date.now()) await sleep(left);
    },
  };
};

const tokensFrom = (connections: Connections, credentials: () => Promise<ClientCredentials>) => {
  let token: Promise<string> | undefined;
  let rejected: string | undefined;
  const current = (): Promise<string> => {
    token ??= credentials().then((own) => newToken(connections, own));
    return token;
  };
  return {
    current,
    /** Drops a rejected token. Of the requests that used the same token, only the first one causes a new token. */
    reject: async (value: string): Promise<undefined> => {
      if (rejected === value) return;
      rejected = value;
      token = undefined;
    },
  };
};

const newToken = async (connections: Connections, { client_id, client_secret }: ClientCredentials): Promise<string> => {
  const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64');
  const headers = { Authorization: `Basic ${basic}`, 'Content-Type': 'application/x-www-form-urlencoded' };
  const body = `grant_type=client_credentials&client_id=${encodeURIComponent(client_id)}`;
  const answer = await connections.send({ method: 'POST', path: '/v3.0/oauth2/token', headers, body }).catch((error) => {
    throw new CommandFailed('unreachable', `The API does not answer: ${error.message}`, { cause: error });
  });
  const granted = jsonOf<{ access_token?: string; error?: string }>(answer);
  if (answer.status === 200 && granted?.access_token !== undefined) return granted.access_token;
  const reason = granted?.error === 'unauthorized_client' ? 'the application is suspended' : (granted?.error ?? answer.text.slice(0, 200));
  throw new CommandFailed('refused', `No token for the application ${client_id}: ${reason}.`);
};
