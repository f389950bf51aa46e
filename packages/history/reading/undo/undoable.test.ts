import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { decode } from '@waymark/domain/event-types.ts';
import { resourceOfStream } from '@waymark/domain/streams.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { planUndo, type Surroundings, type UndoPlan, type UndoStep, type Values } from '@waymark/domain/undo/plan.ts';
import { applyEvent, type ExpectedState, emptyState } from '@waymark/read-models/testing/expected-state.ts';
import { histories } from '@waymark/read-models/testing/histories.ts';
import { applyAll, recorder } from '@waymark/read-models/testing/recorder.ts';
import { temporaryFiles } from '@waymark/read-models/testing/temporary-files.ts';
import fc from 'fast-check';
import type { HistoryReads } from '../../history.ts';
import { openSqliteHistory } from '../../sqlite/history.ts';
import { answer } from '../answer.ts';

const newFile = temporaryFiles();

/** An object as clients see it; undefined if it is not present. */
type Seen = { readonly fields: Values; readonly members: readonly number[] } | undefined;

const fold = (events: readonly RecordedEvent[]): ExpectedState => {
  const states = emptyState();
  for (const event of events) {
    const fact = resourceOfStream(event.stream) && decode(event);
    if (fact !== undefined) applyEvent(states, fact);
  }
  return states;
};

const seenIn = (states: ExpectedState, stream: string): Seen => {
  const { resource = 'pinpoint', id = 0 } = resourceOfStream(stream) ?? {};
  const state = states[resource].get(id);
  if (state?.status !== 'present') return undefined;
  return { fields: state.fields, members: 'members' in state ? inOrder(state.members) : [] };
};

const inOrder = (ids: Iterable<number>): readonly number[] => [...ids].sort((one, other) => one - other);

/** Returns what a plan may know of other objects. */
const surroundingsOf = (states: ExpectedState, account: string, members: readonly number[]): Surroundings => ({
  missingFiles: new Set(),
  members: new Set(members),
  pinpoints: new Set([...states.pinpoint].flatMap(([id, state]) => (state.status === 'present' && state.account === account ? [id] : []))),
  full: new Set(),
});

const carriedOut = (seen: Seen, step: UndoStep): Seen => {
  const { fields = {}, members = [] } = seen ?? {};
  switch (step.type) {
    case 'restore':
    case 'edit':
      return { fields: { ...fields, ...step.fields }, members };
    case 'delete':
      return undefined;
    case 'add':
      return { fields, members: inOrder(new Set([...members, ...step.pinpoints])) };
    case 'remove':
      return { fields, members: members.filter((id) => !step.pinpoints.includes(id)) };
  }
};

type Planned = { readonly plan: UndoPlan; readonly before: Seen; readonly after: Seen; readonly without: Seen };

/** Plans to undo events of an object, and returns the object before it, after it, and as it would be without the events. */
const planned = async (reads: HistoryReads, events: readonly RecordedEvent[], undone: readonly RecordedEvent[]): Promise<Planned> => {
  const [{ stream, envelope }] = undone as readonly [RecordedEvent];
  const revisions = undone.map(({ revision }) => revision);
  const reply = await answer(reads, { type: 'undoable', account: envelope.account, stream, revisions });
  if (reply.outcome !== 'undoable') throw new Error(reply.outcome);
  const states = fold(events);
  const before = seenIn(states, stream);
  // A deleted list keeps its members for when it is brought back.
  const { id = 0 } = resourceOfStream(stream) ?? {};
  const list = stream.startsWith('list-') ? states.list.get(id) : undefined;
  const members = list !== undefined && 'members' in list ? inOrder(list.members) : [];
  const plan = planUndo(reply.changes, surroundingsOf(states, envelope.account, members));
  const after = plan.steps.reduce<Seen>(carriedOut, before ?? { fields: {}, members });
  const isGone = before === undefined && plan.steps.length === 0;
  const rest = events.filter((event) => !undone.includes(event));
  return { plan, before, after: isGone ? undefined : after, without: seenIn(fold(rest), stream) };
};

/** Returns the lists to which a pinpoint was added in a race with its deletion: such a change of members is in no history. */
const racedLists = (events: readonly RecordedEvent[]): ReadonlySet<string> => {
  const states = emptyState();
  const raced = new Set<string>();
  for (const event of events) {
    const fact = resourceOfStream(event.stream) && decode(event);
    if (fact === undefined) continue;
    if (fact.type === 'PinpointsAdded' && fact.pinpoints.some((id) => states.pinpoint.get(id)?.status !== 'present'))
      raced.add(event.stream);
    applyEvent(states, fact);
  }
  return raced;
};

/** Calls `check` for events of objects in random histories of which nothing was erased. */
const forEvents = (check: (reads: HistoryReads, events: readonly RecordedEvent[], undone: RecordedEvent) => Promise<void>) =>
  fc.assert(
    fc.asyncProperty(
      histories({ minLength: 10, maxLength: 60, apart: true }),
      fc.array(fc.nat({ max: 1_000 }), { minLength: 5, maxLength: 5 }),
      async ({ events: written }, picks) => {
        const events = written.filter(({ content }) => content !== null).filter(({ stream }) => !hasErased(written, stream));
        const raced = racedLists(events);
        const ofObjects = events.filter(({ stream }) => resourceOfStream(stream) !== undefined && !raced.has(stream));
        const history = openSqliteHistory(newFile());
        await applyAll(history.apply, events);
        await history.read(async (reads) => {
          for (const pick of ofObjects.length === 0 ? [] : picks) {
            await check(reads, events, ofObjects[pick % ofObjects.length] as RecordedEvent);
          }
        });
        await history.close();
      },
    ),
    { numRuns: 150, endOnFailure: true },
  );

const hasErased = (events: readonly RecordedEvent[], stream: string): boolean =>
  events.some((event) => event.stream === stream && event.content === null);

describe('undoing several events of an object', () => {
  it('leaves it as if none of them had ever been, if nothing is kept', async () => {
    const kept = new Map<string | null, number>();
    await forEvents(async (reads, events, { stream, position }) => {
      const own = events.filter((event) => event.stream === stream);
      // The position of the picked event decides.
      const some = own.filter((event) => (event.position * 7 + position) % 3 !== 0);
      if (some.length === 0) return;
      const { plan, after, without } = await planned(reads, events, some);
      kept.set(plan.kept.reason, (kept.get(plan.kept.reason) ?? 0) + 1);
      const types = own.map((event) => [event.envelope.type, some.includes(event)]);
      // Without its creation, what others did to the object has no meaning.
      const isMeaningful = some.length === own.length || !some.includes(own[0] as RecordedEvent);
      if (plan.kept.reason === null && isMeaningful) expect([types, after]).toEqual([types, without]);
    });
    expect([...kept.keys()]).toEqual(expect.arrayContaining([null, 'changed-since']));
  });
});

describe('an undo that continues after an interruption', () => {
  it('does not take what it has appended itself for a change that others shared', async () => {
    const { record } = recorder();
    const { ListCreated, ListEdited, ListDeleted, ListRestored } = sampleEvents;
    const { account, list } = ListCreated;
    const by = (correlation: string, cause: string | null, fact: DomainEvent): RecordedEvent => {
      const event = record(account, fact);
      return { ...event, envelope: { ...event.envelope, correlation, cause } };
    };
    const events = [
      by('others', null, ListCreated),
      by('import', null, { ...ListDeleted, list }),
      by('import', null, { ...ListRestored, list, fields: { name: 'Tours', description: 'Changed' } }),
      by('others', null, { ...ListEdited, list, fields: { name: 'Walks' } }),
      by('job', 'start-of-job', { ...ListEdited, list, fields: { description: 'As before' } }),
    ];
    const history = openSqliteHistory(newFile());
    await applyAll(history.apply, events);
    const scope = { correlation: 'import', application: null, sinceMs: 0, untilMs: null, through: Number.MAX_SAFE_INTEGER };
    const question = { type: 'undoable', account, stream: `list-${list}`, revisions: [1, 2, 4] } as const;
    const reply = await history.read((reads) => answer(reads, { ...question, job: { scope, cause: 'start-of-job' } }));
    expect(reply).toMatchObject({ outcome: 'undoable', changes: { isShared: false, setSince: ['name'] } });
    await history.close();
  });
});

describe('undoing an event', () => {
  it('leaves the object as if the event had never been, if nothing is kept; otherwise it says why', async () => {
    const reasons = new Set<string | null>();
    await forEvents(async (reads, events, undone) => {
      const { plan, after, without } = await planned(reads, events, [undone]);
      reasons.add(plan.kept.reason);
      if (plan.kept.reason === null) expect([undone.envelope.type, after]).toEqual([undone.envelope.type, without]);
    });
    expect([...reasons]).toEqual(expect.arrayContaining([null, 'changed-since', 'deleted-since', 'in-use', 'never-deleted']));
  });

  it('keeps nothing where the event is the last one of its object', async () => {
    await forEvents(async (reads, events, { stream }) => {
      const last = events.findLast((event) => event.stream === stream) as RecordedEvent;
      const { plan } = await planned(reads, events, [last]);
      expect([null, 'in-use', 'never-deleted', 'deleted-since']).toContain(plan.kept.reason);
      if (plan.kept.reason === 'deleted-since') expect(last.envelope.type).toBe('PinpointsRemoved');
      if (plan.kept.reason === 'in-use') expect(last.envelope.type).toMatch(/^Pinpoint(Created|Restored)$/);
    });
  });
});
