import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { History } from '@waymark/history/history.ts';
import { at, beginning } from '@waymark/read-models/testing/recorder.ts';

/** Events of one batch, as the processes that follow a log apply them. */
const batchEvents = 500;
/** What the log stores of an event beside its envelope and its content: stream, revision, position and salt. */
const otherBytes = 70;

/** What was applied so far. */
export type Filled = { readonly events: number; readonly logBytes: number; readonly seconds: number; readonly position: number };

/** Creates a function that applies events to an empty history of one partition, in batches. */
export const createFilling = ({ apply }: Pick<History, 'apply'>): ((events: Iterable<RecordedEvent>) => Promise<Filled>) => {
  let filled: Filled | undefined;
  const add = async (before: Filled, batch: readonly RecordedEvent[]): Promise<Filled> => {
    const to = batch.map(at).at(-1) ?? beginning;
    const began = performance.now();
    if (!(await apply(0, before.position, batch, to))) throw new Error(`Not applied after ${before.position}.`);
    return {
      events: before.events + batch.length,
      logBytes: before.logBytes + batch.reduce((sum, event) => sum + bytesOf(event), 0),
      seconds: before.seconds + (performance.now() - began) / 1_000,
      position: to.position,
    };
  };
  return async (events) => {
    if (filled === undefined) await apply(0, 0, [], beginning);
    filled ??= { events: 0, logBytes: 0, seconds: 0, position: 0 };
    let batch: RecordedEvent[] = [];
    for (const event of events) {
      batch.push(event);
      if (batch.length < batchEvents) continue;
      filled = await add(filled, batch);
      batch = [];
    }
    if (batch.length > 0) filled = await add(filled, batch);
    return filled;
  };
};

const bytesOf = ({ envelope, content }: RecordedEvent): number =>
  Buffer.byteLength(JSON.stringify(envelope)) + Buffer.byteLength(content ?? '') + otherBytes;
