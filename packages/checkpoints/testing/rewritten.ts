import type { RecordedEvent } from '@waymark/domain/event.ts';
import { checkpointsStream, erasuresStream, isHistory, redactedStream } from '@waymark/domain/streams.ts';
import { commitmentTo } from '@waymark/event-log/seal.ts';

/** Replaces the content of an event, with a commitment that matches it. */
export const withContent = (event: RecordedEvent, content: string): RecordedEvent => {
  const salt = event.salt ?? Buffer.alloc(16).toString('base64url');
  const commitment = commitmentTo(Buffer.from(salt, 'base64url'), content);
  return { ...event, salt, content, envelope: { ...event.envelope, commitment } };
};

/** Numbers the revisions of each stream of the history again, without a gap. */
export const renumbered = (events: readonly RecordedEvent[]): readonly RecordedEvent[] => {
  const next = new Map<string, number>();
  return events.map((event) => {
    if (!isHistory(event.stream)) return event;
    const revision = next.get(event.stream) ?? 0;
    next.set(event.stream, revision + 1);
    return { ...event, revision };
  });
};

/** Gives events positions from 1 on, also where events name the positions of others. */
export const withNewPositions = (events: readonly RecordedEvent[]): readonly RecordedEvent[] =>
  events.map((event, nth) => ({
    ...withPositions(event, (named) => events.findLastIndex(({ position }) => position <= named) + 1),
    position: nth + 1,
  }));

/** Replaces the positions in the content of a housekeeping event: of the record of a checkpoint, and of those of an erasure. */
export const withPositions = (event: RecordedEvent, replaced: (position: number) => number): RecordedEvent => {
  const { stream } = event;
  if (stream !== checkpointsStream && stream !== erasuresStream && !stream.startsWith(redactedStream(''))) return event;
  const names = ['through', 'position', 'first', 'last'];
  const content: unknown = JSON.parse(event.content ?? '{}', (name, value) =>
    names.includes(name) && typeof value === 'number' ? replaced(value) : value,
  );
  return withContent(event, JSON.stringify(content));
};

/** Returns the events of each account, in their order, as text. Their positions, and the order of different accounts, are left out: no checkpoint
 * covers these. */
export const accountsIn = (events: readonly RecordedEvent[]): string =>
  JSON.stringify(
    [...Map.groupBy(events, ({ envelope }) => envelope.account)].map(([account, own]) => [account, own.map(withoutPosition)]).sort(),
  );

const withoutPosition = ({ position: _, ...event }: RecordedEvent) => event;
