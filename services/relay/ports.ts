import type { Broker } from '@waymark/broker/broker.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { LogState, Position } from '@waymark/event-log/event-log.ts';
import type { FactsKeeper } from '@waymark/event-log/facts/keeper.ts';
import type { BackOffLimits } from '@waymark/timing/back-off.ts';
import type { Logger } from 'pino';

/** The part of the event log that the relay uses. */
export type History = {
  /** @throws LogUnavailable */
  readonly state: () => Promise<LogState>;
  /** Delivers the events of history streams after a position, in order, with the position up to which the log was read: no history event up
   * to `through` is left out. Awaits each batch. Ends when the signal aborts, or when the subscription was cut off. */
  readonly subscribeToHistory: (
    after: Position,
    handle: (passed: { readonly events: readonly RecordedEvent[]; readonly through: Position }) => Promise<void>,
    signal: AbortSignal,
  ) => Promise<void>;
};

/** Tells whether this relay should be the active one. It is a hint that saves work: several active relays do no harm. */
export type Lease = { readonly holds: () => boolean };

/** Intervals in milliseconds; `limits.ts` has the usual values. */
export type Paces = {
  readonly restMs: number;
  readonly watermarkMs: number;
  readonly standbyMs: number;
  readonly tailEveryMs: number;
  readonly silentMs: number;
  readonly takeoverMs: number;
  readonly silentAgainMs: number;
  readonly failurePauses: BackOffLimits;
};

export type RelayPorts = {
  readonly log: History;
  readonly records: Pick<Broker, 'ensure' | 'last' | 'tail' | 'send'>;
  readonly lease: Lease;
  /** Stores the known facts of the log, in addition to Kafka. */
  readonly facts?: FactsKeeper;
  readonly partitions: number;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly paces?: Paces;
};
