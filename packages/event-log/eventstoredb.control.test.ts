import { readFileSync } from 'node:fs';
import { describeOn, urlOf } from '@waymark/engines/engines.ts';
import { eventLogContract } from './contract.ts';
import { eventStoreLog } from './eventstoredb.ts';

// Alone, for the contract's sake: nobody else may append meanwhile.

describeOn(['eventstore'], 'the log in EventStoreDB', () => {
  eventLogContract('eventstoredb', async () => eventStoreLog({ url: urlOf('eventstore') }));
});

describeOn(['eventstoreTls', 'tls'], 'the log in EventStoreDB, by way of TLS', () => {
  eventLogContract('eventstoredb with TLS, user and password', async () =>
    eventStoreLog({ url: urlOf('eventstoreTls'), ca: readFileSync(urlOf('tls'), 'utf8') }),
  );
});
