import { CommandFailed, type Ending } from './exit-codes.ts';
import { type Answer, connectTo, jsonOf } from './http.ts';
import { operationWithinMs } from './limits.ts';

/** The operator API of an installation. */
export type Operator = {
  /** The body of the answer.
   * @throws CommandFailed where it is refused, or does not come */
  readonly ask: <Body>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => Promise<Body>;
  readonly close: () => void;
};

export const operatorAt = (url: string, token: string): Operator => {
  const connections = connectTo(url, 1);
  const ask: Operator['ask'] = async <Body>(method: string, path: string, body?: object): Promise<Body> => {
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const answer = await connections
      .send({ method, path: `/operator${path}`, headers, ...json, withinMs: operationWithinMs })
      .catch((error) => {
        throw new CommandFailed('unreachable', `The operator API at ${url} does not answer: ${error.message}`, { cause: error });
      });
    if (answer.status < 300) return jsonOf<Body>(answer) ?? ({} as Body);
    throw new CommandFailed(endingOf(answer), reasonOf(answer));
  };
  return { ask, close: connections.close };
};

const endingOf = ({ status }: Answer): Ending => {
  if (status === 401 || status === 503) return 'unreachable';
  return status < 500 ? 'refused' : 'failed';
};

const reasonOf = (answer: Answer): string => {
  if (answer.status === 401) return 'The operator API does not accept the operator token.';
  return jsonOf<{ detail?: string }>(answer)?.detail ?? `The operator API answered ${answer.status}: ${answer.text.slice(0, 500)}`;
};

/** A part of a path that stands for an id. */
export const segment = (id: string): string => encodeURIComponent(id);
