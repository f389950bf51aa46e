import { accountId } from '@waymark/domain/account/decide.ts';
import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { decode } from '@waymark/domain/event-types.ts';
import { type EventStoreLog, openEventStoreLog } from '@waymark/event-log/eventstoredb/event-log.ts';
import { urlOf } from '@waymark/test-engines/test-engines.ts';
import type { Fact } from './history.ts';

/** Opens the log of the engines that the environment names, runs some work, and closes the log. */
export const withLog = async <Result>(work: (log: EventStoreLog) => Promise<Result>): Promise<Result> => {
  const log = openEventStoreLog({ url: urlOf('eventstore') });
  try {
    return await work(log);
  } finally {
    await log.close();
  }
};

/** Returns the facts in the log about some accounts' objects, from a position to the end, by account name. */
export const factsOf = (accounts: readonly string[], after: number): Promise<ReadonlyMap<string, readonly Fact[]>> =>
  withLog(async (log) => {
    const names = new Map(accounts.map((name) => [accountId(name), name]));
    const facts = new Map(accounts.map((name): [string, Fact[]] => [name, []]));
    const { head } = await log.state();
    if (head <= after) return facts;
    const done = new AbortController();
    await log.subscribeToHistory(
      after,
      async ({ events, through }) => {
        for (const event of events) {
          const fact = factOf(event);
          if (fact) facts.get(names.get(event.envelope.account) ?? '')?.push(fact);
        }
        if (through >= head) done.abort();
      },
      done.signal,
    );
    return facts;
  });

/** Returns undefined for an event about none of the four resources. */
const factOf = (event: RecordedEvent): Fact | undefined => {
  const change = changeOf(decode(event) as DomainEvent);
  return change && { operation: event.envelope.request, change };
};

const changeOf = (fact: DomainEvent): Fact['change'] | undefined => {
  switch (fact.type) {
    case 'PinpointCreated':
      return { type: 'created', kind: 'pinpoints', id: fact.pinpoint, value: fact.fields.name };
    case 'ListCreated':
      return { type: 'created', kind: 'lists', id: fact.list, value: fact.fields.name };
    case 'CategoryCreated':
      return { type: 'created', kind: 'categories', id: fact.category, value: fact.fields.name };
    case 'HappeningCreated':
      return { type: 'created', kind: 'events', id: fact.happening, value: fact.fields.name, pinpoint: fact.fields.pinpoint };
    case 'PinpointEdited':
      return { type: 'edited', kind: 'pinpoints', id: fact.pinpoint, value: fact.fields.name };
    case 'ListEdited':
      return { type: 'edited', kind: 'lists', id: fact.list, value: fact.fields.name };
    case 'CategoryEdited':
      return { type: 'edited', kind: 'categories', id: fact.category, value: fact.fields.name };
    case 'HappeningEdited':
      return { type: 'edited', kind: 'events', id: fact.happening, value: fact.fields.name, pinpoint: fact.fields.pinpoint };
    case 'PinpointDeleted':
      return { type: 'deleted', kind: 'pinpoints', id: fact.pinpoint };
    case 'ListDeleted':
      return { type: 'deleted', kind: 'lists', id: fact.list };
    case 'HappeningDeleted':
      return { type: 'deleted', kind: 'events', id: fact.happening };
    case 'PinpointsAdded':
      return { type: 'added', list: fact.list, pinpoints: fact.pinpoints, refused: fact.notAdded.map(({ pinpoint }) => pinpoint) };
    case 'PinpointsRemoved':
      return { type: 'removed', list: fact.list, pinpoints: fact.pinpoints };
    default:
      return undefined;
  }
};
