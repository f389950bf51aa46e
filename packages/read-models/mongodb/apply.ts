import { resourceKinds } from '@waymark/domain/streams.ts';
import { createChangeBuffer } from '../projection/buffer.ts';
import type { Change, Fact } from '../projection/change.ts';
import { type ContradictoryEvent, factOf, project } from '../projection/projection.ts';
import { applicationMarker, type Collections, documentMarker, memberMarker } from './collections.ts';
import { readLookups } from './lookups.ts';
import { checkSteps, createApplySteps, type Step } from './steps.ts';
import type { InTransaction, TransactionContext } from './transactions.ts';
import { collectedWrites } from './writes.ts';

/** Creates the function that applies steps. `begin` is called in the transaction that creates the first position of the generation. */
export const createApply = (
  collections: Collections,
  inTransaction: InTransaction,
  begin: (at: TransactionContext) => Promise<void>,
  contradicted?: ContradictoryEvent,
) => {
  const applySteps = createApplySteps(collections.position, inTransaction, async (at) => {
    await begin(at);
    await mark(collections, at);
  });

  const write = async (facts: readonly Fact[], at: TransactionContext): Promise<void> => {
    const writes = collectedWrites();
    const looked = await readLookups(collections, facts, at);
    const take = (change: Change): void => {
      looked.note(change);
      writes.take(change);
    };
    const store = createChangeBuffer({ lookup: looked.lookup, write: take });
    for (const fact of facts) for (const change of project(fact, store.lookup)) store.write(change);
    store.flush();
    await writes.write(collections, at);
  };

  return async (steps: readonly Step[]): Promise<boolean> => {
    checkSteps(steps);
    const facts = factsIn(steps, contradicted);
    return steps.length === 0 || applySteps(steps, (at) => write(facts, at));
  };
};

const factsIn = (steps: readonly Step[], contradicted: ContradictoryEvent | undefined): readonly Fact[] => {
  const facts: Fact[] = [];
  for (const { events } of steps) {
    for (const event of events) {
      const fact = factOf(event, contradicted);
      if (fact !== undefined) facts.push(fact);
    }
  }
  return facts;
};

const mark = async (collections: Collections, at: TransactionContext): Promise<void> => {
  const { member, application } = collections;
  for (const kind of resourceKinds) await collections[kind].insertOne(documentMarker, { ...at });
  await member.insertOne(memberMarker, { ...at });
  await application.insertOne(applicationMarker, { ...at });
};
