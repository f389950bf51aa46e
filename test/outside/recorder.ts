import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openClient } from '../api/client.ts';

/** A request and its response, as the recorder passed them on. */
export type Exchange = {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly status: number;
  readonly answer: string;
};

/** A proxy in front of an operator API that records all requests and responses. */
export type Recorder = { readonly url: string; readonly exchanges: readonly Exchange[]; readonly close: () => Promise<void> };

/** Starts a recorder.
 * @param target the URL of the operator API
 * @param api the URLs of the public API: the one that the operator API names, and the one that commands can reach */
export const recordBefore = async (target: string, api?: { readonly named: string; readonly reached: string }): Promise<Recorder> => {
  const exchanges: Exchange[] = [];
  const reachable = (text: string): string => (api === undefined ? text : text.replaceAll(`"${api.named}"`, `"${api.reached}"`));
  const client = openClient(target);
  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { method = '', url: path = '', headers } = incoming;
    const body = Buffer.concat(await incoming.toArray());
    const { authorization, 'content-type': type = '' } = headers;
    const answer = await client.send({ method, path, headers: { authorization, 'content-type': type }, ...(body.length > 0 && { body }) });
    const said = type.startsWith('application/json') ? body.toString() : `${body.length} bytes of ${type}`;
    exchanges.push({ method, path, body: said, status: answer.status, answer: answer.text });
    outgoing.writeHead(answer.status, { 'Content-Type': answer.headers['content-type'] ?? '' }).end(reachable(answer.text));
  };
  const server = createServer((incoming, outgoing) => {
    pass(incoming, outgoing).catch((error) => outgoing.destroy(error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    close: async () => {
      server.closeAllConnections();
      server.close();
      client.close();
    },
  };
};
