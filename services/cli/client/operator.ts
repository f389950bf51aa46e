import { setTimeout as sleep } from 'node:timers/promises';
import type { AnswerOf, CallName, ValuesOf } from '@waymark/operations/api/calls.ts';
import { pauseMs } from '@waymark/timing/back-off.ts';
import { attemptsMax, noResponsePauses, operationWithinMs, operatorConnections } from '../limits.ts';
import { CommandFailed, type Ending } from '../terminal/exit-codes.ts';
import { type Answer, type Connections, connectTo, jsonOf } from './http.ts';

type Request = <Name extends CallName>(name: Name, ...values: Given<Name>) => Promise<AnswerOf<Name>>;

/** The values of a call, if it takes any. */
type Given<Name extends CallName> = unknown extends ValuesOf<Name> ? [] : [ValuesOf<Name>];

/** A client of an installation's operator API. */
export type Operator = {
  /** Makes a call, and returns the body of the response.
   * @throws CommandFailed where the request is refused, or gets no response */
  readonly request: Request;
  /** Makes a call that the server may receive twice. Repeats the request where no response arrives, or where the server answers 503.
   * @throws CommandFailed where the request is refused, or where the last attempt fails */
  readonly requestWithRetries: Request;
  /** Returns a client whose calls name the person who gives the order. */
  readonly as: (by: string | undefined) => Operator;
  readonly close: () => void;
};

export const operatorAt = (url: string, token: string): Operator => operatorOver(connectTo(url, operatorConnections), { url, token });

type Address = { readonly url: string; readonly token: string; readonly by?: string };

const operatorOver = (connections: Connections, { url, token, by }: Address): Operator => {
  const query = by === undefined ? '' : `?by=${encodeURIComponent(by)}`;
  const send = (name: CallName, { body, parameters = {} }: Values = {}): Promise<Answer | CommandFailed> => {
    const [method = '', path = ''] = name.split(' ');
    const sent = body === undefined || body instanceof Uint8Array ? body : JSON.stringify(body);
    const type = body instanceof Uint8Array ? 'application/octet-stream' : 'application/json';
    return connections
      .send({
        method,
        path: path.replace(/:(\w+)/g, (_, parameter: string) => encodeURIComponent(parameters[parameter] ?? '')) + query,
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': type },
        ...(sent === undefined ? {} : { body: sent }),
        withinMs: operationWithinMs,
      })
      .catch((error) => new CommandFailed('unreachable', `The operator API at ${url} does not answer: ${error.message}`, { cause: error }));
  };
  return {
    request: async (name, ...[values]) => settled(await send(name, values as Values)),
    requestWithRetries: async (name, ...[values]) => {
      for (let tries = 1; ; tries += 1) {
        const answer = await send(name, values as Values);
        if (tries === attemptsMax || !(answer instanceof Error || answer.status === 503)) return settled(answer);
        await sleep(pauseMs(noResponsePauses, tries));
      }
    },
    as: (person) => operatorOver(connections, { url, token, ...(person === undefined ? {} : { by: person }) }),
    close: connections.close,
  };
};

type Values = { readonly body?: object; readonly parameters?: Readonly<Record<string, string>> };

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
