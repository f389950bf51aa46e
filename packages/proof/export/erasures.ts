import { decode, NewerEvent } from '@waymark/domain/event-types.ts';
import { erasedBefore } from '@waymark/domain/redaction.ts';
import { accountStream, applicationStream } from '@waymark/domain/streams.ts';
import { createDigest } from '@waymark/event-log/erasure/erasure-summary.ts';
import type { ExportedEvent } from './format.ts';

/** Streams whose contents are missing, and whose erasure is still to come in the export. Beyond it, the verification ends. */
const erasedStreamsMax = 100_000;

/** An event of an export or of a log. */
type CheckedEvent = Omit<ExportedEvent, 'inclusion'>;

const withheldPrefixes = [applicationStream(''), accountStream('')];

/** Returns whether the contents of a stream are never exported: those of applications and accounts. */
export const isWithheld = (stream: string): boolean => withheldPrefixes.some((prefix) => stream.startsWith(prefix));

/** The finding after which erasures are not checked completely. */
export const tooManyErased = `More than ${erasedStreamsMax} objects are erased: too many to check.`;

/** Checks that contents are missing only where a later event of the stream records their erasure. An erasure removes the contents of all
 * events of a stream before a revision.
 * @param isLeftOut returns whether the contents of a stream are missing for another reason */
export const createErasureCheck = (isLeftOut: (stream: string) => boolean) => {
  const streams = new Map<string, { count: number; readonly digest: ReturnType<typeof createDigest> }>();

  const addMissing = (event: CheckedEvent): string | undefined => {
    const { stream, revision } = event;
    if (revision === 0 && streams.size < erasedStreamsMax) streams.set(stream, { count: 0, digest: createDigest() });
    const erased = streams.get(stream);
    if (erased === undefined && streams.size >= erasedStreamsMax) return tooManyErased;
    if (erased?.count !== revision) return `${placeOf(event)}: the content is missing, but not that of every earlier event.`;
    erased.digest.add(event);
    erased.count += 1;
    return undefined;
  };

  const addPresent = (event: CheckedEvent): string | undefined => {
    const erased = streams.get(event.stream);
    if (erased === undefined || !event.envelope.type.endsWith('Redacted')) return undefined;
    streams.delete(event.stream);
    const erasure = erasureOf(event);
    if (typeof erasure === 'string') return erasure;
    const { count, digest } = erased.digest.value();
    if (count < erasure.before) return `${placeOf(event)}: it erases ${erasure.before} contents, but only ${count} are missing.`;
    const matches = erasure.before === count && erasure.summary.count === count && erasure.summary.digest === digest;
    return matches ? undefined : `${placeOf(event)}: its summary does not match the erased events before it.`;
  };

  return {
    /** Returns a finding, if there is one. */
    add: (event: CheckedEvent): string | undefined => {
      if (isLeftOut(event.stream)) return undefined;
      return event.content === null ? addMissing(event) : addPresent(event);
    },
    /** Returns the findings about contents whose erasure has not come. */
    end: (): readonly string[] =>
      [...streams].map(
        ([stream, { count }]) => `${stream}: the contents of the first ${count} events are missing, and no later event records an erasure.`,
      ),
  };
};

/** Returns what an event says of an erasure, or a finding. */
const erasureOf = (event: CheckedEvent) => {
  const recorded = { ...event, position: 0 };
  try {
    const before = erasedBefore(recorded);
    const fact = decode(recorded);
    if (before !== undefined && fact !== undefined && 'summary' in fact) return { before, summary: fact.summary };
    return `${placeOf(event)}: its content contradicts its type, stream or account, so it records no erasure.`;
  } catch (error) {
    if (!(error instanceof NewerEvent)) throw error;
    return `${placeOf(event)}: Waymark ${event.envelope.release} wrote it. That release or a later one is needed to check the erasure.`;
  }
};

export const placeOf = ({ stream, revision }: CheckedEvent): string => `${stream}, revision ${revision}`;
