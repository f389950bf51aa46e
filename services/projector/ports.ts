import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { LogState, Position } from '@waymark/event-log/event-log.ts';
import type { ReadPosition } from '@waymark/read-models/read-models.ts';

/** A step that moves one partition of the read models from one position to another. */
export type Step = {
  readonly partition: number;
  /** The current position of the partition. The step is refused if the position differs. */
  readonly after: Position;
  /** The id of the last event at that position. The step is refused if the event differs. */
  readonly afterEvent: string;
  readonly events: readonly RecordedEvent[];
  readonly to: ReadPosition;
};

/** One generation of the read models, as the projector feeds it. */
export type WritableGeneration = {
  readonly name: string;
  /** Returns the position of each partition; undefined if nothing was applied yet, or if everything was lost.
   * @throws ReadModelsUnavailable */
  readonly positions: () => Promise<readonly (ReadPosition | undefined)[]>;
  /** Applies all steps in one transaction, or none. Returns false if one of them did not match.
   * @throws NewerEvent, ReadModelsUnavailable */
  readonly applyTogether: (steps: readonly Step[]) => Promise<boolean>;
};

/** The event log, as the source from which gaps are filled. */
export type History = {
  /** Returns the current state of the log.
   * @throws LogUnavailable */
  readonly state: () => Promise<LogState>;
  /** Delivers the events of aggregates' streams after a position, in order, together with the position up to which the log was read. This
   * position is delivered even if there were no such events. Every event at or before `through` has been delivered. Waits until each batch
   * is processed. Ends when the signal aborts.
   * @throws LogUnavailable */
  readonly subscribeToHistory: (after: Position, handle: (passed: HistoryBatch) => Promise<void>, signal: AbortSignal) => Promise<void>;
};

/** A batch that a reader of the log receives: these events, and no others up to a position. */
export type HistoryBatch = { readonly events: readonly RecordedEvent[]; readonly through: Position };

/** A generation as the control of the read models knows it. */
export type GenerationEntry = {
  readonly name: string;
  /** The version of the projection that fills it. */
  readonly version: number;
  /** Rises with each new generation of any version. */
  readonly serial: number;
  /** `live`: the generation is, was, or is about to be read; it must be fed. `retired`: it is being dropped. */
  readonly state: 'filling' | 'live' | 'retired';
};

/** The result of comparing a generation with the one that it replaces. */
export type Comparison = {
  /** The name of the other generation. */
  readonly with: string;
  readonly outcome: 'equal' | 'different' | 'undecided';
  /** The number of compared rows, the number of different rows, and the objects that some of these are about. */
  readonly rows: number;
  readonly different: number;
  readonly examples: readonly string[];
};

/** The generations of the read models, and how they change. Any number of projectors may call these functions at once. All may throw
 * ReadModelsUnavailable. */
export type Generations = {
  /** Returns all generations, in the order in which they were started. */
  readonly list: () => Promise<readonly GenerationEntry[]>;
  /** Starts a generation of this version. If one is being filled already, returns that one. */
  readonly begin: () => Promise<string>;
  /** Returns the generation that this version reads, and those that writes wait for. */
  readonly roles: () => Promise<{ readonly read: string | undefined; readonly awaited: readonly string[] }>;
  /** Compares a complete generation with the one that is read, if that has the same version and log. Returns undefined if there is none. */
  readonly compare: (name: string) => Promise<Comparison | undefined>;
  /** Makes a complete generation the one that is read. This takes a while, and can be repeated. */
  readonly promote: (name: string, options?: { readonly graceMs?: number }) => Promise<void>;
  /** Withdraws the live generation. Nothing is read until a generation is promoted. */
  readonly withdraw: () => Promise<void>;
  /** Drops a generation that is not read and that no write waits for. */
  readonly retire: (name: string) => Promise<void>;
};

export type ReadModelStore = {
  /** Creates whatever the control needs, if it is missing.
   * @throws ReadModelsUnavailable */
  readonly ensure: () => Promise<void>;
  /** Claims the read models for an installation, unless they belong to one. Nothing is written before that, or if they belong to another
   * installation.
   * @throws ForeignReadModels if they belong to another installation, ReadModelsUnavailable */
  readonly claim: (installation: string) => Promise<void>;
  /** Shows that a process of the installation is alive.
   * @throws ReadModelsUnavailable */
  readonly beat: () => Promise<void>;
  readonly generation: (name: string) => WritableGeneration & { readonly prepare: () => Promise<void> };
  readonly generations: Generations;
};
