import { Unavailable } from '@waymark/domain/unavailable.ts';
import { HttpError } from '@waymark/http/errors.ts';
import { streamAccessMs, streamLookMs } from '../limits.ts';
import { createDelivery } from './delivery.ts';
import { beat, type Reader } from './reader.ts';
import type { StreamSource } from './source.ts';

/** The open streams of one thread. */
export type Streams = {
  /** Feeds a stream until its reader is gone or has no access any more, or the process is closing.
   * @throws what the history throws, unless it is unavailable */
  readonly feed: (reader: Reader) => Promise<void>;
};

export type StreamsOptions = {
  readonly source: StreamSource;
  /** Returns true once the process is shutting down. */
  readonly closing: () => boolean;
};

const looksOfAccess = Math.round(streamAccessMs / streamLookMs);

export const createStreams = ({ source, closing }: StreamsOptions): Streams => {
  const readers = new Map<Reader, PromiseWithResolvers<void>>();
  const fail = (reader: Reader, error: unknown): void => readers.get(reader)?.reject(error);
  const end = (reader: Reader): void => readers.get(reader)?.resolve();
  let timer: NodeJS.Timeout | undefined;
  let looks = 0;

  const checkAccess = async (reader: Reader): Promise<void> => {
    try {
      const { scopes } = await reader.access();
      if (!scopes.includes('audit')) end(reader);
    } catch (error) {
      if (error instanceof HttpError || error instanceof Unavailable) end(reader);
      else fail(reader, error);
    }
  };
  const delivery = createDelivery({ readers, source, fail });
  const look = (): void => {
    looks += 1;
    for (const reader of readers.keys()) {
      if (closing()) end(reader);
      else if (looks % looksOfAccess === 0) void checkAccess(reader);
      beat(reader);
    }
    void delivery.run();
  };

  return {
    feed: async (reader) => {
      const ended = Promise.withResolvers<void>();
      const { gone } = reader.writer;
      gone.addEventListener('abort', () => ended.resolve());
      if (gone.aborted) return;
      readers.set(reader, ended);
      timer ??= setInterval(look, streamLookMs);
      void delivery.run();
      try {
        await ended.promise;
      } finally {
        readers.delete(reader);
        if (readers.size === 0) {
          clearInterval(timer);
          timer = undefined;
        }
      }
    },
  };
};
