import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import type { HappeningFields } from '@waymark/domain/happening/events.ts';
import type { PinpointFields } from '@waymark/domain/pinpoint/events.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import type { ReadModels } from '../read-models.ts';
import { at, beginning, recorder } from './recorder.ts';

export const mine = 'account-a';
export const theirs = 'account-b';

export const pinpointFields: PinpointFields = sampleEvents.PinpointCreated.fields;
export const happeningFields: HappeningFields = sampleEvents.HappeningCreated.fields;

type Fact<Type extends DomainEvent['type']> = Extract<DomainEvent, { type: Type }>;

export const pinpointCreated = (pinpoint: number, account = mine): Fact<'PinpointCreated'> => ({
  type: 'PinpointCreated',
  account,
  pinpoint,
  fields: { ...pinpointFields, name: `Pinpoint ${pinpoint}` },
});

export const pinpointDeleted = (pinpoint: number): Fact<'PinpointDeleted'> => ({ type: 'PinpointDeleted', pinpoint });

export const pinpointRestored = (pinpoint: number): Fact<'PinpointRestored'> => ({
  type: 'PinpointRestored',
  pinpoint,
  fields: pinpointCreated(pinpoint).fields,
});

export const listCreated = (list: number, account = mine): Fact<'ListCreated'> => ({
  type: 'ListCreated',
  account,
  list,
  fields: { name: `List ${list}`, description: '' },
});

export const listDeleted = (list: number): Fact<'ListDeleted'> => ({ type: 'ListDeleted', list });

export const listRestored = (list: number): Fact<'ListRestored'> => ({ type: 'ListRestored', list, fields: listCreated(list).fields });

export const added = (list: number, ...pinpoints: number[]): Fact<'PinpointsAdded'> => ({
  type: 'PinpointsAdded',
  list,
  pinpoints,
  notAdded: [],
});

export const removed = (list: number, ...pinpoints: number[]): Fact<'PinpointsRemoved'> => ({
  type: 'PinpointsRemoved',
  list,
  pinpoints,
});

export const happeningCreated = (happening: number, pinpoint: number, account = mine): Fact<'HappeningCreated'> => ({
  type: 'HappeningCreated',
  account,
  happening,
  fields: { ...happeningFields, name: `Happening ${happening}`, pinpoint },
});

export const happeningMoved = (happening: number, pinpoint: number): Fact<'HappeningEdited'> => ({
  type: 'HappeningEdited',
  happening,
  fields: { pinpoint },
});

export const happeningDeleted = (happening: number): Fact<'HappeningDeleted'> => ({ type: 'HappeningDeleted', happening });

export const happeningRestored = (happening: number, pinpoint: number): Fact<'HappeningRestored'> => ({
  type: 'HappeningRestored',
  happening,
  fields: happeningCreated(happening, pinpoint).fields,
});

export const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Creates functions that apply facts to read models, one after the other: each call is one batch. */
export const createFacts = (models: () => ReadModels) => {
  let { record, erased } = recorder();
  let from = beginning;
  const apply = async (events: readonly RecordedEvent[]): Promise<void> => {
    const to = events.map(at).at(-1) ?? from;
    if (!(await models().apply(0, from.position, events, to))) throw new Error(`Not applied after ${from.position}.`);
    from = to;
  };
  beforeEach(async () => {
    ({ record, erased } = recorder());
    from = beginning;
    await apply([]);
  });
  const accountOf = (fact: DomainEvent, account: string): string => ('account' in fact ? fact.account : account);
  return {
    /** Applies facts of the account that each one names, otherwise of `mine`. */
    apply: (...facts: DomainEvent[]) => apply(facts.map((fact) => record(accountOf(fact, mine), fact))),
    applyOf: (account: string, ...facts: DomainEvent[]) => apply(facts.map((fact) => record(account, fact))),
    applyErased: (...facts: DomainEvent[]) => apply(facts.map((fact) => erased(accountOf(fact, mine), fact))),
  };
};
