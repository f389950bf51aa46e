import { connect, type Socket } from 'node:net';

/** For tests: a connection that sends and receives HTTP byte by byte. */
export type RawResponses = {
  readonly socket: Socket;
  /** Returns everything that was received so far. */
  readonly heard: () => string;
  /** Waits until the received text matches. */
  readonly until: (pattern: RegExp) => Promise<string>;
  /** Everything that was received, once the connection is closed. */
  readonly closed: Promise<string>;
};

export const sendRaw = (port: number, bytes: string | Buffer): RawResponses => {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  const heard = (): string => Buffer.concat(chunks).toString();
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined);
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(heard())));
  const until = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => (pattern.test(heard()) ? resolve(heard()) : undefined);
      socket.on('data', look);
      socket.on('close', () => reject(new Error(`Closed after: ${heard()}`)));
      look();
    });
  socket.write(bytes);
  return { socket, heard, until, closed };
};

/** Returns every status in the received text. */
export const statusesOf = (heard: string): readonly number[] =>
  [...heard.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

/** Returns the JSON of the last response. */
export const lastJson = (heard: string): unknown => JSON.parse(heard.slice(heard.lastIndexOf('\r\n\r\n')));
