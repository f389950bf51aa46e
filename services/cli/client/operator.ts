import { setTimeout as sleep } from 'node:timers/promises';
import { attemptsMax, noResponsePauseMsMax, operationWithinMs, operatorConnections, pauseMsMin } from '../limits.ts';
import { CommandFailed, type Ending } from '../terminal/exit-codes.ts';
import { type Answer, connectTo, jsonOf } from './http.ts';

/** A client of an installation's operator API. */
export type Operator = {
  /** Sends a request, and returns the body of the response.
   * @throws CommandFailed where the request is refused, or gets no response */
  readonly request: <Body>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => Promise<Body>;
  /** Posts JSON or bytes that the server may receive twice. Repeats the request where no response arrives, or where the server answers 503.
   * @throws CommandFailed where the request is refused, or where the last attempt fails */
  readonly postWithRetries: <Body>(path: string, body: object | Uint8Array) => Promise<Body>;
  readonly close: () => void;
};

export const operatorAt = (url: string, token: string): Operator => {
  const connections = connectTo(url, operatorConnections);
  const send = (method: string, path: string, body: string | Uint8Array | undefined): Promise<Answer | CommandFailed> => {
    const type = body instanceof Uint8Array ? 'application/octet-stream' : 'application/json';
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': type };
    return connections
      .send({ method, path: `/operator${path}`, headers, ...(body === undefined ? {} : { body }), withinMs: operationWithinMs })
      .catch((error) => new CommandFailed('unreachable', `The operator API at ${url} does not answer: ${error.message}`, { cause: error }));
  };
  return {
    request: async <Body>(method: string, path: string, body?: object): Promise<Body> =>
      settled<Body>(await send(method, path, body === undefined ? undefined : JSON.stringify(body))),
    postWithRetries: async <Body>(path: string, body: object | Uint8Array): Promise<Body> => {
      const sent = body instanceof Uint8Array ? body : JSON.stringify(body);
      for (let tries = 1; ; tries += 1) {
        const answer = await send('POST', path, sent);
        if (tries === attemptsMax || !(answer instanceof Error || answer.status === 503)) return settled<Body>(answer);
        await sleep(Math.min(pauseMsMin * 2 ** tries, noResponsePauseMsMax));
      }
    },
    close: connections.close,
  };
};

const settled = <Body>(answer: Answer | CommandFailed): Body => {
  if (answer instanceof Error) throw answer;
  if (answer.status < 300) return jsonOf<Body>(answer) ?? ({} as Body);
  throw new CommandFailed(endingOf(answer), reasonOf(answer));
};

const endingOf = ({ status }: Answer): Ending => {
  if (status === 401 || status === 503) return 'unreachable';
  return status < 500 ? 'refused' : 'failed';
};

const reasonOf = (answer: Answer): string => {
  if (answer.status === 401) return 'The operator API does not accept the operator token.';
  return jsonOf<{ detail?: string }>(answer)?.detail ?? `The operator API answered ${answer.status}: ${answer.text.slice(0, 500)}`;
};

/** Encodes an id as one segment of a path. */
export const segment = (id: string): string => encodeURIComponent(id);
