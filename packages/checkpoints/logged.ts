import type { NewEvent, RecordedEvent } from '@waymark/domain/event.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import { sealHousekeeping, waymark } from '@waymark/event-log/seal.ts';
import { noteCharactersMax } from '@waymark/proof/signed-note.ts';

/** A checkpoint as the log records it in the stream `checkpoints`. */
export type LoggedCheckpoint = {
  /** The signed note. */
  readonly note: string;
  /** The position in the log that it covers: all events of aggregates up to here. */
  readonly through: Position;
  /** The number of these events. */
  readonly events: number;
  /** The number of accounts that have them. */
  readonly accounts: number;
};

/** The content of `CheckpointSigned`. Stored: never rename. */
type StoredCheckpoint = { readonly note: string; readonly through: number; readonly events: number; readonly accounts: number };

const checkpointSigned = 'CheckpointSigned';

/** Gives a checkpoint its envelope. */
export const sealCheckpoint = ({ note, through, events, accounts }: LoggedCheckpoint): NewEvent =>
  sealHousekeeping({
    type: checkpointSigned,
    version: 1,
    content: { note, through, events, accounts } satisfies StoredCheckpoint,
    origin: waymark,
  });

/** Returns the checkpoint that an event of the stream `checkpoints` records; undefined where it records none. Its signature is not verified:
 * `openCheckpoint` does that. */
export const loggedCheckpointIn = ({ envelope, content }: RecordedEvent): LoggedCheckpoint | undefined => {
  if (envelope.type !== checkpointSigned || envelope.version !== 1 || content === null) return undefined;
  const stored = parsed(content);
  if (!isStored(stored)) return undefined;
  return { note: stored.note, through: stored.through, events: stored.events, accounts: stored.accounts };
};

const parsed = (content: string): unknown => {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
};

const isStored = (value: unknown): value is StoredCheckpoint => {
  if (typeof value !== 'object' || value === null) return false;
  const { note, through, events, accounts } = value as Readonly<Record<keyof StoredCheckpoint, unknown>>;
  return typeof note === 'string' && note.length <= noteCharactersMax && [through, events, accounts].every(isWhole);
};

const isWhole = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
