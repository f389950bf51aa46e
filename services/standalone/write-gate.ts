import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Registry } from '@waymark/access/registry.ts';
import { type EventLog, LogUnavailable } from '@waymark/event-log/event-log.ts';
import { syncDirectory } from '@waymark/files/durable.ts';
import { writePrivate } from '@waymark/files/private.ts';
import type { Handler, Routes } from '@waymark/http/call.ts';
import { unavailable } from '@waymark/http/errors.ts';

/** Controls whether an installation accepts writes. Closed writes stay closed, even after a restart, until they are opened again: an
 * installation whose data was moved elsewhere must not change any more. */
export type WriteGate = {
  readonly closed: () => boolean;
  /** Closes writes. Resolves once the writes in progress are settled and the state is durable. */
  readonly close: () => Promise<void>;
  readonly open: () => void;
  /** Returns the log, which refuses every write while writes are closed. */
  readonly gated: (log: EventLog) => EventLog;
};

/** The content of `writes-closed.json`, which shows the time to an operator. Stored: never rename. */
type StoredClosing = { readonly since: string };

/** Creates the gate. `file` exists while writes are closed. */
export const createWriteGate = (file: string): WriteGate => {
  const inProgress = new Set<Promise<unknown>>();
  let closed = existsSync(file);
  return {
    closed: () => closed,
    close: async () => {
      closed = true;
      if (!existsSync(file)) writePrivate(file, JSON.stringify({ since: new Date().toISOString() } satisfies StoredClosing));
      await Promise.allSettled(inProgress);
    },
    open: () => {
      rmSync(file, { force: true });
      syncDirectory(dirname(file));
      closed = false;
    },
    gated: (log) => ({
      ...log,
      append: async (stream, events, expected) => {
        if (closed) throw new LogUnavailable('Writes are closed.');
        const append = log.append(stream, events, expected);
        inProgress.add(append);
        return append.finally(() => inProgress.delete(append));
      },
      eraseBefore: async (stream, before, summary) => {
        if (closed) throw new LogUnavailable('Writes are closed.');
        const erasure = log.eraseBefore(stream, before, summary);
        inProgress.add(erasure);
        return erasure.finally(() => inProgress.delete(erasure));
      },
    }),
  };
};

/** Returns routes that answer 503 with a `Retry-After` at once while writes are closed. */
export const gatedRoutes = ({ closed }: WriteGate, routes: Routes): Routes =>
  Object.fromEntries(Object.entries(routes).map(([endpoint, handle]) => [endpoint, whenOpen(closed, handle)]));

const whenOpen =
  (closed: () => boolean, handle: Handler): Handler =>
  async (call) => {
    refuse(closed());
    return handle(call);
  };

/** Returns the registry, which refuses every change while writes are closed. */
export const gatedRegistry = ({ closed }: WriteGate, registry: Registry): Registry => {
  const checked =
    <Order extends readonly unknown[], Result>(change: (...order: Order) => Promise<Result>) =>
    async (...order: Order): Promise<Result> => {
      refuse(closed());
      return change(...order);
    };
  return {
    list: registry.list,
    register: checked(registry.register),
    rotate: checked(registry.rotate),
    dropSecret: checked(registry.dropSecret),
    suspend: checked(registry.suspend),
    resume: checked(registry.resume),
    remove: checked(registry.remove),
  };
};

const refuse = (closed: boolean): void => {
  if (closed) throw unavailable('Writes are closed.');
};
