import type { CheckpointPlace } from '@waymark/checkpoints/place.ts';
import type { NotaryRecord } from '@waymark/checkpoints/record.ts';
import type { EventWithoutContent } from '@waymark/domain/event.ts';
import type { EventLog, Position } from '@waymark/event-log/event-log.ts';
import type { FilledStore } from './store-steps.ts';

export type NotaryPorts = {
  readonly log: Pick<EventLog, 'append' | 'read' | 'lastRevisions' | 'state'> & {
    /** `subscribe` of the event log. Trees do not need what the events contain. */
    readonly subscribe: (
      after: Position,
      handle: (events: readonly EventWithoutContent[]) => Promise<void>,
      signal: AbortSignal,
    ) => Promise<void>;
  };
  /** Opens the notary's own record. */
  readonly openRecord: () => NotaryRecord;
  /** Opens the place of published checkpoints; undefined where there is none. */
  readonly openPlace: (() => Promise<CheckpointPlace>) | undefined;
  /** Opens the proof store. */
  readonly openStore: () => Promise<FilledStore & { readonly close: () => void | Promise<void> }>;
  /** Returns the private keys, the newest one first. */
  readonly seeds: () => readonly Buffer[];
  /** The order of an operator to begin with the log as it is. */
  readonly beginning: { readonly isOrdered: () => boolean; readonly done: () => void };
  /** Returns the installations whose import into the log has begun and not ended; undefined where nothing can be imported.
   * @throws LogUnavailable */
  readonly unfinishedImports?: () => Promise<readonly string[]>;
  /** Keeps the verifier keys where operators find them. */
  readonly keepVerifierKeys: (keys: readonly string[]) => void;
  /** The time between two checkpoints, in milliseconds. */
  readonly intervalMs: number;
  readonly logger: NotaryLogger;
};

export type NotaryLogger = {
  readonly info: (fields: object, message: string) => void;
  readonly warn: (fields: object, message: string) => void;
  readonly error: (fields: object, message: string) => void;
};
