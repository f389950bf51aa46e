import { type AllStreamResolvedEvent, type Filter, START } from '@eventstore/db-client';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { Position } from '../event-log.ts';
import { Silence, typeOf } from './calls.ts';
import type { Connection } from './connection.ts';
import { fromStoredEvent } from './events.ts';
import { batchCharactersMax, readyMax } from './limits.ts';

/** Why a subscription is over. The server regularly ends subscriptions, without an error or because the subscriber is too slow. Every other
 * reason is an error. */
export type End = { readonly kind: 'ended' | 'too slow' } | { readonly kind: 'trouble'; readonly error: unknown };

/** Events as they arrive. Some of them are buffered while earlier ones are processed. */
export type Subscription = {
  /** Returns the events that have arrived, in order: at most `limit`, fewer where they are large, none where there are none yet. */
  readonly take: (limit: number) => readonly RecordedEvent[];
  /** Returns undefined while more events may arrive. Buffered events can still be taken afterwards. */
  readonly end: () => End | undefined;
  /** Resolves when there are events to take, when the subscription is over or when the signal aborts. Resolves to false where none of this
   * happens in time. */
  readonly changed: (ms: number, signal: AbortSignal) => Promise<boolean>;
  readonly close: () => void;
};

export const openSubscription = (connection: Connection, callMs: number, after: Position, filter: Filter): Subscription => {
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

  // The listeners stay for good: an error event without a listener ends the process.
  library.on('confirmation', () => clearTimeout(unconfirmed));
  library.on('end', () => over({ kind: 'ended' }));
  library.on('error', (error: Error) => over(typeOf(error) === 'timeout' ? { kind: 'too slow' } : trouble(error)));
  library.on('data', (resolved: AllStreamResolvedEvent) => {
    if (end?.kind === 'trouble') return;
    try {
      const event = resolved.event && fromStoredEvent(resolved.event);
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

/** Lets one caller wait until another one wakes it. */
const watcher = () => {
  let wake = (): void => {};
  return {
    wake: () => wake(),
    /** Resolves to false where the caller was not woken in time. */
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

/** A queue from which events are taken in batches. */
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
