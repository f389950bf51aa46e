import type { ServerResponse } from 'node:http';
import type { BodyWriter, OpenBody } from '../call.ts';
import { discardInput } from './connection.ts';
import { waitForDrain } from './streaming.ts';

/** What a response that stays open reports. */
export type OpenResponse = {
  /** Called when the head is sent. */
  readonly opened: () => void;
  /** Called with the number of bytes that wait for the reader. Returns false if the process has no room for them. */
  readonly keep: (waitingBytes: number) => boolean;
};

/** Sends a body that stays open. It is written whether or not the reader has received what was written before, up to the limit of the body.
 * It is the last one on its connection, which is read on only to notice its end. Throws what the body throws: before the head was sent, nothing was. */
export const writeOpen = async (
  response: ServerResponse,
  { write, behindBytesMax }: OpenBody,
  writeHead: () => void,
  { opened, keep }: OpenResponse = { opened: () => undefined, keep: () => true },
): Promise<void> => {
  const left = new AbortController();
  const leave = (): void => left.abort();
  response.once('close', leave);
  const writer: BodyWriter = {
    write: (text) => {
      if (left.signal.aborted) return;
      const isBehind = response.writableLength > behindBytesMax;
      // As bytes: of a text that waits, the connection counts the characters.
      if (!isBehind && (response.write(Buffer.from(text)) || keep(response.writableLength))) return;
      left.abort();
      response.destroy();
    },
    waitingBytes: () => response.writableLength,
    drained: () => waitForDrain(response),
    gone: left.signal,
  };
  try {
    await write(() => {
      if (left.signal.aborted) return writer;
      response.shouldKeepAlive = false;
      writeHead();
      if (response.socket) discardInput(response.socket);
      response.on('drain', () => keep(response.writableLength));
      opened();
      return writer;
    });
    response.end();
  } finally {
    response.off('close', leave);
  }
};
