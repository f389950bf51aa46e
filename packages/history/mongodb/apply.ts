import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { decode } from '@waymark/domain/event-types.ts';
import { isHistory } from '@waymark/domain/streams.ts';
import { checkSteps, createApplySteps, type Step } from '@waymark/read-models/mongodb/steps.ts';
import type { InTransaction, TransactionContext } from '@waymark/read-models/mongodb/transactions.ts';
import { lookupsFor, type Needs } from '../projection/needs.ts';
import { project } from '../projection/projection.ts';
import { type Collections, writeMarkers } from './collections.ts';
import { type AccountClocks, createKnownClocks } from './known-clocks.ts';
import { readLookups } from './lookups.ts';
import { collectedWrites } from './writes.ts';

type Fact = { readonly recorded: RecordedEvent; readonly says: DomainEvent | undefined };

/** Creates the function that applies steps. `begin` is called in the transaction that creates the first position of the generation. */
export const createApply = (collections: Collections, writing: InTransaction, begin: (at: TransactionContext) => Promise<void>) => {
  const applySteps = createApplySteps(collections.position, writing, async (at) => {
    await begin(at);
    await writeMarkers(collections, at);
  });

  const knownClocks = createKnownClocks();

  /** Returns the clocks of the accounts after the facts. */
  const write = async (facts: readonly Fact[], known: AccountClocks, at: TransactionContext): Promise<AccountClocks> => {
    if (facts.length === 0) return known;
    const { lookup, note, isStored, clocks } = await readLookups(collections, { ...needsOf(facts), knownClocks: known }, at);
    const writes = collectedWrites();
    for (const { recorded } of facts) {
      for (const change of project(recorded, lookup)) {
        note(change);
        writes.take(change);
      }
    }
    await writes.write(collections, isStored, at);
    return clocks;
  };

  return async (steps: readonly Step[]): Promise<boolean> => {
    checkSteps(steps);
    const facts = steps.flatMap(({ events }) => events.flatMap(factsOf));
    if (steps.length === 0) return true;
    let clocks: AccountClocks = new Map();
    const isApplied = await applySteps(steps, async (at) => {
      clocks = await write(facts, knownClocks.before(steps), at);
    });
    if (isApplied) knownClocks.note(steps, clocks);
    return isApplied;
  };
};

const factsOf = (recorded: RecordedEvent): readonly Fact[] => (isHistory(recorded.stream) ? [{ recorded, says: decode(recorded) }] : []);

const needsOf = (facts: readonly Fact[]): Needs => {
  const all = facts.map(({ recorded, says }) => lookupsFor(recorded, says));
  return {
    streams: all.flatMap(({ streams }) => streams),
    pinpoints: all.flatMap(({ pinpoints }) => pinpoints),
    memberships: all.flatMap(({ memberships }) => memberships),
    ranges: all.flatMap(({ ranges }) => ranges),
    happenings: all.flatMap(({ happenings }) => happenings),
    values: all.flatMap(({ values }) => values),
    accounts: all.flatMap(({ accounts }) => accounts),
    events: all.flatMap(({ events }) => events),
  };
};
