import type { EventLog } from '@waymark/event-log/event-log.ts';
import { openEventStoreLog } from '@waymark/event-log/eventstoredb/event-log.ts';
import { logOfItsOwn } from '@waymark/event-log/testing/temporary-logs.ts';
import { describeOn, urlOf } from '@waymark/test-engines/test-engines.ts';
import { refusalsContract } from '../contract/refusals.ts';

type ClosableLog = EventLog & { readonly close: () => Promise<void> };

const onLog = (open: () => Promise<ClosableLog>): (() => EventLog) => {
  let log: ClosableLog;
  beforeAll(async () => {
    log = await open();
  });
  afterAll(() => log.close());
  return () => log;
};

describe('over the log in SQLite,', () =>
  refusalsContract(
    'SQLite',
    onLog(() => logOfItsOwn()),
  ));

describeOn(['eventstore'], 'over the log in EventStoreDB,', () =>
  refusalsContract(
    'EventStoreDB',
    onLog(async () => openEventStoreLog({ url: urlOf('eventstore') })),
  ),
);
