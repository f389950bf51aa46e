import type { Broker } from '@waymark/broker/broker.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { LogState, Position } from '@waymark/event-log/event-log.ts';
import type { FactsKeeper } from '@waymark/event-log/facts/keeper.ts';
import type { Logger } from 'pino';

/** The event log, as it is relayed. */
export type History = {
  /** @throws LogUnavailable */
  readonly state: () => Promise<LogState>;
  /** Hands over the events of history streams after a position, in order, and how far the log was read with them: nothing of history up
   * to `through` is left out. Waits for each batch to be dealt with. Ends when the signal aborts, or when it was cut off. */
  readonly history: (
    after: Position,
    handle: (passed: { readonly events: readonly RecordedEvent[]; readonly through: Position }) => Promise<void>,
    signal: AbortSignal,
  ) => Promise<void>;
};

/** Says whether this relay is the one that is to be active: a hint that spares work, for several do no harm. */
export type Lease = { readonly holds: () => boolean };

/** How often what happens, in milliseconds; `limits.ts` says what is right. */
export type Paces = {
  readonly watermarkMs: number;
  readonly standbyMs: number;
  readonly tailEveryMs: number;
  readonly silentMs: number;
  readonly takeoverMs: number;
  readonly silentAgainMs: number;
  readonly pauseFirstMs: number;
  readonly pauseLastMs: number;
};

export type RelayPorts = {
  readonly log: History;
  readonly records: Pick<Broker, 'ensure' | 'last' | 'tail' | 'send'>;
  readonly lease: Lease;
  /** Keeps what is known of the log, beside Kafka. */
  readonly facts?: FactsKeeper;
  readonly partitions: number;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly paces?: Paces;
};
