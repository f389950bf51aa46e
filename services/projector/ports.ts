import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { LogState, Position } from '@waymark/event-log/event-log.ts';
import type { ReadPosition } from '@waymark/read-models/read-models.ts';

/** What moves one partition of the read side from a position to another. */
export type Step = {
  readonly partition: number;
  /** Where it stands: the step is refused where it does not. */
  readonly after: Position;
  /** Id of the event that it stands after; refused likewise. */
  readonly afterEvent: string;
  readonly events: readonly RecordedEvent[];
  readonly to: ReadPosition;
};

/** One generation of the read side, as it is fed. */
export type FedGeneration = {
  readonly name: string;
  /** Where each partition stands; undefined where nothing was applied yet, or all was lost. @throws ReadModelsUnavailable */
  readonly positions: () => Promise<readonly (ReadPosition | undefined)[]>;
  /** All steps in one transaction, or none: false where one of them did not match. @throws NewerEvent, ReadModelsUnavailable */
  readonly applyTogether: (steps: readonly Step[]) => Promise<boolean>;
};

/** The event log, as gaps are filled from it. */
export type History = {
  /** @throws LogUnavailable */
  readonly state: () => Promise<LogState>;
  /** Hands over the events of aggregates' streams after a position, in order, and how far the log was passed with them, also where nothing
   * of theirs came: none that was not handed over stands at or before `through`. Waits for each batch to be dealt with. Ends when the signal
   * aborts. @throws LogUnavailable */
  readonly history: (after: Position, handle: (passed: Passed) => Promise<void>, signal: AbortSignal) => Promise<void>;
};

/** What a reader of the log was given: these events, and no others up to a position. */
export type Passed = { readonly events: readonly RecordedEvent[]; readonly through: Position };

/** A generation as the read side's control knows it. */
export type GenerationEntry = {
  readonly name: string;
  /** Of the projection that fills it. */
  readonly version: number;
  /** Rises with each that is begun, of whatever version. */
  readonly serial: number;
  /** `live`: it is, was, or is about to be; it must be fed. `retired`: it is being dropped. */
  readonly state: 'filling' | 'live' | 'retired';
};

/** What became of holding a generation against the one whose place it takes. */
export type Comparison = {
  /** The other one's name. */
  readonly with: string;
  readonly outcome: 'equal' | 'different' | 'undecided';
  /** Rows that were compared, those of them that are different, and what some of these are about. */
  readonly rows: number;
  readonly different: number;
  readonly examples: readonly string[];
};

/** What the read side has of generations, and how they change; by any number of projectors at once. All may throw ReadModelsUnavailable. */
export type Generations = {
  /** In the order that they were begun in. */
  readonly list: () => Promise<readonly GenerationEntry[]>;
  /** Begins one of this version; where one is being filled already, it is that one. */
  readonly begin: () => Promise<string>;
  /** Which one this version reads, and which ones writes wait for. */
  readonly roles: () => Promise<{ readonly read: string | undefined; readonly waited: readonly string[] }>;
  /** Holds a complete one against the one that is read, where that is of the same version and log. Undefined: there is none. */
  readonly compare: (name: string) => Promise<Comparison | undefined>;
  /** Makes a complete one the one that is read: it takes a while, and can be done again. */
  readonly promote: (name: string, options?: { readonly graceMs?: number }) => Promise<void>;
  /** Nothing is read until something is promoted. */
  readonly withdraw: () => Promise<void>;
  /** Drops one that is neither read nor waited for. */
  readonly retire: (name: string) => Promise<void>;
};

export type ReadSide = {
  /** Makes what the control needs, where it is missing. @throws ReadModelsUnavailable */
  readonly ensure: () => Promise<void>;
  /** Names the installation that the read side belongs to, unless one is named. Nothing is written before that, or where it is another one's.
   * @throws ForeignReadModels where it is, ReadModelsUnavailable */
  readonly claim: (installation: string) => Promise<void>;
  /** Shows that a process of the installation lives. @throws ReadModelsUnavailable */
  readonly beat: () => Promise<void>;
  readonly generation: (name: string) => FedGeneration & { readonly prepare: () => Promise<void> };
  readonly generations: Generations;
};
