import { connect, type Socket } from 'node:net';

/** For tests: a connection that sends and receives HTTP byte by byte. */
export type RawResponses = {
  readonly socket: Socket;
  /** Returns everything that was received so far. */
  readonly received: () => string;
  /** Waits until the received text matches. */
  readonly until: (pattern: RegExp) => Promise<string>;
  /** Everything that was received, once the connection is closed. */
  readonly closed: Promise<string>;
};

export const sendRaw = (port: number, bytes: string | Buffer): RawResponses => {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  const received = (): string => Buffer.concat(chunks).toString();
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined);
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(received())));
  const until = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const checkPattern = (): void => (pattern.test(received()) ? resolve(received()) : undefined);
      socket.on('data', checkPattern);
      socket.on('close', () => reject(new Error(`Closed after: ${received()}`)));
      checkPattern();
    });
  socket.write(bytes);
  return { socket, received, until, closed };
};

/** Returns every status in the received text. */
export const statusesOf = (received: string): readonly number[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

/** Returns the JSON of the last response. */
export const lastJson = (received: string): unknown => JSON.parse(received.slice(received.lastIndexOf('\r\n\r\n')));
