import { aPinpoint } from '../api/samples.ts';
import type { Session } from '../api/session.ts';
import { rawConnection } from '../performance/attacks/connections.ts';

/** A request that has begun. */
export type HalfRequest = {
  /** Sends the rest. @returns all that was answered, until the server closed the connection */
  readonly finish: () => Promise<string>;
  /** Resolves once the server has closed the connection. */
  readonly cutOff: Promise<void>;
};

/** Begins to create a pinpoint: all but the body's last byte has been sent. */
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

/** A connection over which nothing is sent; resolves with how to wait for its end. */
export const holdConnection = async (url: string): Promise<{ readonly cutOff: Promise<void> }> => {
  const socket = await rawConnection(url, { reads: true });
  return {
    cutOff: new Promise((resolve) => {
      socket.once('close', () => resolve());
    }),
  };
};
