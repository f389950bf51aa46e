import type { ServerResponse } from 'node:http';
import type { StreamedBody } from '../call.ts';

/** Sends a body piece by piece. The next piece is read when the connection has accepted the previous one. Nothing more is read once the
 * client has disconnected. Throws if reading fails: before the first piece, nothing was sent, not even the head; later, the sent body is
 * incomplete. */
export const stream = async (response: ServerResponse, { size, content }: StreamedBody, writeHead: () => void): Promise<void> => {
  const left = new AbortController();
  const leave = (): void => left.abort();
  response.once('close', leave);
  let sent = 0;
  try {
    for await (const piece of content(left.signal)) {
      if (response.destroyed) return;
      if (sent === 0) writeHead();
      sent += piece.length;
      if (sent === size) response.end(piece);
      else if (!response.write(piece)) await waitForDrain(response);
    }
    if (size === 0) {
      writeHead();
      response.end();
    }
  } catch (error) {
    if (!response.destroyed) throw error;
  } finally {
    response.off('close', leave);
  }
};

/** Resolves once the connection has accepted what was written, or is closed. */
export const waitForDrain = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
    if (response.destroyed) done();
  });
