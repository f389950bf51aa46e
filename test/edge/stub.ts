import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bodyBytesMax } from '@waymark/http/limits.ts';

/** A request as received by a service. */
export type Arrived = {
  readonly service: string;
  readonly method: string;
  readonly url: string;
  /** Names and values in turn, as they arrived. */
  readonly headers: readonly string[];
  readonly bodyBytes: number;
};

/** A request with this header is refused before its body is read. */
export const refusedAuthorization = 'Bearer refused';

/** Answers a request whose body has arrived. */
export type Reply = (request: IncomingMessage, response: ServerResponse, arrived: Arrived) => void;

/** A service behind the edge. It reports the request in its response, or uses the given reply. */
export type Stub = {
  readonly address: string;
  readonly arrived: Arrived[];
  /** The lengths of the first pieces of bodies. */
  readonly begun: number[];
  /** The reply to later requests; undefined: the response reports the request. */
  reply: Reply | undefined;
  /** Closes every connection and stops listening. */
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
};

export const startStub = async (service: string): Promise<Stub> => {
  const arrived: Arrived[] = [];
  const begun: number[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', rawHeaders: headers } = request;
    const isRefused = Number(request.headers['content-length']) > bodyBytesMax || request.headers.authorization === refusedAuthorization;
    let bodyBytes = 0;
    if (!isRefused)
      for await (const chunk of request) {
        if (bodyBytes === 0) begun.push(chunk.length);
        bodyBytes += chunk.length;
      }
    const one = { service, method, url, headers, bodyBytes };
    arrived.push(one);
    (isRefused ? refuse : (stub.reply ?? reportRequest))(request, response, one);
  };
  const server = createServer((request, response) => void take(request, response).catch(() => response.destroy()));
  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject).listen(port, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const stub: Stub = { address: `127.0.0.1:${port}`, arrived, begun, reply: undefined, stop, start: () => listen(port) };
  return stub;
};

/** Reports the request, with the service also in a header, because a response to HEAD has no body. */
const reportRequest: Reply = (_, response, arrived) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'X-Service': arrived.service }).end(JSON.stringify(arrived));
};

/** Refuses a request before its body has arrived, and discards the body, as the services do. */
const refuse: Reply = (request, response) => {
  const text = '{"detail":"Too large."}';
  response.writeHead(413, { 'Content-Type': 'application/json', 'Content-Length': text.length }).end(text);
  request.resume();
};
