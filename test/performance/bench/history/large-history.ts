import { randomUUID } from 'node:crypto';
import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { recorder } from '@waymark/read-models/testing/recorder.ts';

export const account = '5d41402abc4b2a76b9719d911017c592';
const application = '653ec5d943cd61f595f1e9514125f6d2';
/** The pinpoint that a tenth of all events edit. */
export const busiest = 1;
const beginMs = Date.parse('2026-01-01T00:00:00.000Z');

const { PinpointCreated, PinpointEdited, ApplicationRegistered, ChangesetOpened } = sampleEvents;

/** Creates a function that records facts as the log of one account has them: one every 10 ms, each with ids of its own. */
export const createRecorder = () => {
  const { record } = recorder();
  let nth = 0;
  return (event: DomainEvent, correlation?: string): RecordedEvent => {
    const recorded = record(account, event);
    nth += 1;
    const [id, time] = [randomUUID(), new Date(beginMs + nth * 10).toISOString()];
    const envelope = { ...recorded.envelope, id, time, actor: application, request: randomUUID(), correlation: correlation ?? id };
    return { ...recorded, envelope };
  };
};

/** Returns a function that returns a number from 0 to below a limit. Every run returns the same numbers. */
export const pseudoRandom = (): ((below: number) => number) => {
  let state = 1;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
};

/** Yields the events of the large history: a quarter creates pinpoints, a tenth edits one of them as part of a changeset, and the rest edits any
 * of them. */
export function* largeHistory(events: number): Generator<RecordedEvent> {
  const record = createRecorder();
  const draw = pseudoRandom();
  const changeset = randomUUID();
  yield record({ ...ApplicationRegistered, account, application });
  yield record({ ...ChangesetOpened, account, changeset });
  let pinpoints = 0;
  for (let nth = 2; nth < events; nth += 1) {
    const isCreated = nth % 4 === 2;
    if (isCreated) pinpoints += 1;
    const isBusiest = nth % 10 === 3;
    const fields = { name: `Name ${nth}`, latitude: (nth % 90_000) / 1_000 };
    const edited: DomainEvent = { ...PinpointEdited, pinpoint: isBusiest ? busiest : 1 + draw(pinpoints), fields };
    yield record(isCreated ? { ...PinpointCreated, account, pinpoint: pinpoints } : edited, isBusiest ? changeset : undefined);
  }
}

/** Yields the creation of an object with a long text, and edits of one of its numbers. */
export function* editsOfNumber(edits: number): Generator<RecordedEvent> {
  const record = createRecorder();
  const description = `<p>${'Steep steps lead down to the water. '.repeat(200)}</p>`;
  yield record({ ...PinpointCreated, account, pinpoint: busiest, fields: { ...PinpointCreated.fields, description } });
  for (let nth = 1; nth <= edits; nth += 1) yield record({ ...PinpointEdited, pinpoint: busiest, fields: { altitude: nth % 100 } });
}
