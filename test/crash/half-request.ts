import { aPinpoint } from '../api/samples.ts';
import type { Session } from '../api/session.ts';
import { rawConnection } from '../performance/attacks/connections.ts';

/** A request of which only a part has been sent. */
export type HalfRequest = {
  /** Sends the rest of the request.
   * @returns everything that the server sent until it closed the connection */
  readonly finish: () => Promise<string>;
  /** Resolves once the server has closed the connection. */
  readonly cutOff: Promise<void>;
};

/** Begins to create a pinpoint: sends everything except the last byte of the body. */
export const beginRequest = async (url: string, { token }: Session, name: string): Promise<HalfRequest> => {
  const socket = await rawConnection(url, { reads: true });
  const body = JSON.stringify(aPinpoint({ name }));
  const received: Buffer[] = [];
  socket.on('data', (chunk) => received.push(chunk));
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
  });
  const head = [
    'POST /v3.0/pinpoints HTTP/1.1',
    'Host: waymark.test',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, -1)}`);
  return {
    finish: async () => {
      socket.write(body.slice(-1));
      await closed;
      return Buffer.concat(received).toString();
    },
    cutOff: closed,
  };
};

/** Opens a connection over which nothing is sent. `cutOff` resolves once the connection is closed. */
export const holdConnection = async (url: string): Promise<{ readonly cutOff: Promise<void> }> => {
  const socket = await rawConnection(url, { reads: true });
  return {
    cutOff: new Promise((resolve) => {
      socket.once('close', () => resolve());
    }),
  };
};
