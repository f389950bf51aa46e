import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { NoteFailure } from '../authentication-failures.ts';
import { HttpError, wrongHost } from '../errors.ts';
import type { RequestLifecycle } from '../request-lifecycle.ts';
import type { ClientAddresses } from '../server/addresses.ts';
import { operatorCheck } from './routes.ts';

export type OperatorAccessOptions = {
  /** The operator's tokens; each of them is accepted. */
  readonly tokens: readonly string[];
  /** Host names of the port, in addition to localhost and every IP address. */
  readonly names: readonly string[];
  readonly addresses: ClientAddresses;
  readonly note: NoteFailure;
};

/** Guards an operator port. A page of another site can make its own host name resolve to this port (DNS rebinding). Therefore a request
 * without an operator's token is answered only under a host name that no other site can have. */
export const createOperatorAccess = ({
  tokens,
  names,
  addresses,
  note,
}: OperatorAccessOptions): ((lifecycle: RequestLifecycle) => RequestLifecycle) => {
  const isOperator = operatorCheck(tokens);
  const own = new Set(['localhost', ...names.map((name) => name.toLowerCase())]);
  const isOwn = (host: string | undefined): boolean => {
    // HTTP/1.0 without a Host: no browser sends such a request.
    if (host === undefined) return true;
    const name = nameOf(host);
    return isIP(name) !== 0 || own.has(name);
  };
  const mayAsk = ({ headers }: IncomingMessage): boolean => isOwn(headers.host) || isOperator(headers.authorization);

  return (lifecycle) => (request, response, route, handle) =>
    lifecycle(request, response, route, async (exchange) => {
      if (!mayAsk(request)) throw wrongHost();
      try {
        return await handle(exchange);
      } catch (error) {
        if (error instanceof HttpError && error.failure) {
          note({ endpoint: 'operator', route, address: addresses.of(request), reason: error.failure.reason });
        }
        throw error;
      }
    });
};

/** Returns the host name without the port, and without the brackets of an IPv6 address. */
const nameOf = (host: string): string => {
  const [, address, name = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host) ?? [];
  return address ?? name.toLowerCase().replace(/\.$/, '');
};
