import { type AllStreamResolvedEvent, type Filter, START } from '@eventstore/db-client';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { Position } from '../event-log.ts';
import { Silence, typeOf } from './calls.ts';
import type { Connection } from './connection.ts';
import { recorded } from './events.ts';
import { batchCharactersMax, readyMax } from './limits.ts';

/** Why a subscription is over. The server ends them as a matter of course, with nothing wrong or because we were too slow; whatever else
 * ended it is trouble. */
export type End = { readonly kind: 'ended' | 'too slow' } | { readonly kind: 'trouble'; readonly error: unknown };

/** Events as they come, some of them kept ready while those before are dealt with. */
export type Subscription = {
  /** What has come, in order: at most so many, fewer where they are large; none where there are none yet. */
  readonly take: (limit: number) => readonly RecordedEvent[];
  /** Undefined while more may come. What is ready can still be taken afterwards. */
  readonly end: () => End | undefined;
  /** Settles when there is something to take, when it is over or when the signal aborts; false after a time in which none of that came. */
  readonly changed: (ms: number, signal: AbortSignal) => Promise<boolean>;
  readonly close: () => void;
};

export const subscribed = (connection: Connection, callMs: number, after: Position, filter: Filter): Subscription => {
  const client = connection.client();
  const library = client.subscribeToAll({ fromPosition: placeOf(after), filter });
  const ready = readyEvents();
  const watch = watcher();
  let end: End | undefined;

  const over = (reason: End): void => {
    end ??= reason;
    clearTimeout(unconfirmed);
    watch.wake();
  };
  const unconfirmed = setTimeout(() => {
    connection.suspect(client);
    over(trouble(new Silence(`No subscription within ${callMs} ms.`)));
  }, callMs);

  // All of them for good: an error that nobody listens for ends the process.
  library.on('confirmation', () => clearTimeout(unconfirmed));
  library.on('end', () => over({ kind: 'ended' }));
  library.on('error', (error: Error) => over(typeOf(error) === 'timeout' ? { kind: 'too slow' } : trouble(error)));
  library.on('data', (resolved: AllStreamResolvedEvent) => {
    if (end?.kind === 'trouble') return;
    try {
      const event = resolved.event && recorded(resolved.event);
      if (event) ready.add(event);
    } catch (error) {
      over(trouble(error));
    }
    if (ready.isFull()) library.pause();
    watch.wake();
  });

  return {
    take: (limit) => {
      const batch = ready.take(limit);
      if (library.isPaused() && !ready.isFull()) library.resume();
      return batch;
    },
    end: () => end,
    changed: (ms, signal) => watch.woken(() => ready.some() || end !== undefined, ms, signal),
    close: () => {
      over({ kind: 'ended' });
      library.unsubscribe().catch(() => undefined);
      library.resume();
    },
  };
};

/** One who waits, and how to wake him. */
const watcher = () => {
  let wake = (): void => {};
  return {
    wake: () => wake(),
    /** False after a time in which he was not woken. */
    woken: (isAwake: () => boolean, ms: number, signal: AbortSignal) =>
      new Promise<boolean>((resolve) => {
        const settle = (wasWoken: boolean): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', woken);
          wake = () => {};
          resolve(wasWoken);
        };
        const woken = (): void => settle(true);
        const timer = setTimeout(() => settle(false), ms);
        signal.addEventListener('abort', woken);
        wake = woken;
        if (signal.aborted || isAwake()) woken();
      }),
  };
};

const trouble = (error: unknown): End => ({ kind: 'trouble', error });

export const placeOf = (position: Position) => (position === 0 ? START : { commit: BigInt(position), prepare: BigInt(position) });

/** A queue that is taken from in batches. */
const readyEvents = () => {
  const events: RecordedEvent[] = [];
  let characters = 0;
  return {
    add: (event: RecordedEvent) => {
      events.push(event);
      characters += charactersOf(event);
    },
    some: () => events.length > 0,
    isFull: () => events.length >= readyMax.events || characters >= readyMax.characters,
    take: (limit: number): readonly RecordedEvent[] => {
      let [count, taken] = [0, 0];
      for (const event of events) {
        if (count >= limit || taken >= batchCharactersMax) break;
        count += 1;
        taken += charactersOf(event);
      }
      characters -= taken;
      return events.splice(0, count);
    },
  };
};

const charactersOf = ({ content }: RecordedEvent): number => content?.length ?? 0;
