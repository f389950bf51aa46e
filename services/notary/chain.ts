import { type LoggedCheckpoint, loggedCheckpointIn } from '@waymark/checkpoints/logged.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { checkpointsStream } from '@waymark/domain/streams.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { readEvents } from '@waymark/event-log/read-stream.ts';
import { isRefusedCheckpoint, type OpenedCheckpoint, openCheckpoint } from '@waymark/proof/checkpoint.ts';
import { parseVerifierKey, type VerifierKey } from '@waymark/proof/signed-note.ts';

/** A checkpoint in the log whose signature is verified. */
export type ChainedCheckpoint = OpenedCheckpoint & LoggedCheckpoint & { readonly revision: number };

/** The valid checkpoints of the log, in order. One that is not valid ends what can be continued; only the first one of another origin can follow
 * it. */
export type CheckpointChain = {
  /** Returns the next checkpoint that was not passed yet; undefined after the last one. */
  readonly peek: () => Promise<ChainedCheckpoint | undefined>;
  /** Passes it. */
  readonly pass: () => void;
  /** Returns what is wrong with the last checkpoint that was read, as a sentence. */
  readonly fault: () => string | undefined;
};

/** Reads the checkpoints of a log, one page at a time.
 * @param keys verifier keys to trust; a key that a checkpoint announces is trusted after it */
export const createChain = (read: EventLog['read'], keys: readonly string[]): CheckpointChain => {
  const trusted = keys.map(parseVerifierKey);
  const events = readEvents(read, checkpointsStream);
  let before: ChainedCheckpoint | undefined;
  let next: ChainedCheckpoint | undefined;
  let fault: string | undefined;

  const find = async (): Promise<ChainedCheckpoint | undefined> => {
    for (let read = await events.next(); !read.done; read = await events.next()) {
      const event = read.value;
      const opened = openIn(event, trusted);
      if (typeof opened === 'string') fault = opened;
      else if (!follows(opened, before, fault !== undefined))
        fault ??= `The checkpoint at revision ${event.revision} does not follow the one before.`;
      else {
        fault = undefined;
        if (opened.checkpoint.key !== null) trusted.push(parseVerifierKey(opened.checkpoint.key));
        return opened;
      }
    }
    return undefined;
  };
  return {
    peek: async () => {
      next ??= await find();
      return next;
    },
    pass: () => {
      before = next;
      next = undefined;
    },
    fault: () => fault,
  };
};

/** Returns the checkpoint of an event, or what is wrong with it.
 * @param keys verifier keys to trust */
export const chainedIn = (event: RecordedEvent, keys: readonly string[]): ChainedCheckpoint | string =>
  openIn(event, keys.map(parseVerifierKey));

const openIn = (event: RecordedEvent, trusted: readonly VerifierKey[]): ChainedCheckpoint | string => {
  const logged = loggedCheckpointIn(event);
  if (logged === undefined) return `The event at revision ${event.revision} of the stream ${checkpointsStream} is no checkpoint.`;
  try {
    return { ...openCheckpoint(logged.note, trusted), ...logged, revision: event.revision };
  } catch (error) {
    if (!isRefusedCheckpoint(error)) throw error;
    return `The checkpoint at revision ${event.revision} is not valid. ${error.message}`;
  }
};

/** Returns whether a checkpoint follows another one: the next of its origin, or the first one of another origin. */
const follows = (one: ChainedCheckpoint, before: ChainedCheckpoint | undefined, isFaulty: boolean): boolean => {
  const { origin, number, previous, continues } = one.checkpoint;
  if (before !== undefined && one.through < before.through) return false;
  if (number === 1) return before === undefined || continues === null || continues.digest === before.digest;
  return !isFaulty && origin === before?.checkpoint.origin && number === before.checkpoint.number + 1 && previous === before.digest;
};
