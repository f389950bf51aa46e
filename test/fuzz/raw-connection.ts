import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { Random } from '../crash/random.ts';

/** The text received over a connection, and how long the connection was open. */
export type Received = { readonly text: string; readonly tookMs: number };

/** If no data arrives for this time, no more data is expected. */
const quietMs = 100;

/** Writes bytes in one or two pieces and reads the response. Then it ends its side of the connection.
 * @param closesEarly closes the connection without waiting for a response */
export const exchange = (port: number, bytes: Buffer, random: Random, closesEarly: boolean): Promise<Received> =>
  new Promise((resolve) => {
    const startedMs = performance.now();
    const received: Buffer[] = [];
    const socket = connect({ host: '127.0.0.1', port });
    socket.setNoDelay(true);
    const finish = (): unknown => (closesEarly ? socket.destroy() : socket.end());
    const quiet = setTimeout(finish, quietMs);
    socket.on('data', (chunk) => {
      received.push(chunk);
      quiet.refresh();
    });
    // A server that receives such bytes may close the connection at any moment.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(quiet);
      resolve({ text: Buffer.concat(received).toString('latin1'), tookMs: performance.now() - startedMs });
    });
    const write = async (): Promise<void> => {
      const at = random.chance(0.3) ? random.below(bytes.length + 1) : bytes.length;
      socket.write(bytes.subarray(0, at));
      if (at < bytes.length) await turn();
      if (socket.writable) socket.write(bytes.subarray(at));
      if (closesEarly) socket.destroySoon();
      quiet.refresh();
    };
    void write();
  });

export type RawAnswer = { readonly status: number; readonly head: string; readonly body: string };

/** Returns the responses in the received text.
 * @throws if the text contains anything else */
export const answersIn = (text: string): readonly RawAnswer[] => {
  const answers: RawAnswer[] = [];
  let rest = text;
  while (rest !== '') {
    const [head = '', status] = /^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n/.exec(rest) ?? [];
    if (status === undefined) throw new Error(`came back: ${JSON.stringify(rest.slice(0, 500))}`);
    const length = Number(/\r\ncontent-length: *(\d+)\r\n/i.exec(head)?.[1] ?? 0);
    answers.push({ status: Number(status), head, body: rest.slice(head.length, head.length + length) });
    rest = rest.slice(head.length + length);
  }
  return answers;
};
