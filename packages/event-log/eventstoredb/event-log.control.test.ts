import { readFileSync } from 'node:fs';
import { describeOn, urlOf } from '@waymark/test-engines/test-engines.ts';
import { eventLogContract } from '../contract/event-log.ts';
import { eventStore } from '../testing/eventstore.ts';
import { newStream, someEvent } from '../testing/some-events.ts';
import { openEventStoreLog } from './event-log.ts';

// These tests run alone, because the contract requires that no other process appends meanwhile.

describeOn(['eventstore'], 'the log in EventStoreDB', () => {
  eventLogContract('eventstoredb', async () => openEventStoreLog({ url: urlOf('eventstore') }));
});

describeOn(['eventstoreTls', 'tls'], 'the log in EventStoreDB over TLS', () => {
  eventLogContract('eventstoredb with TLS, user and password', async () =>
    openEventStoreLog({ url: urlOf('eventstoreTls'), ca: readFileSync(urlOf('tls'), 'utf8') }),
  );
});

describeOn(['eventstore'], 'a stream in EventStoreDB', () => {
  const { log, library } = eventStore();

  // This test runs here because a cluster whose facts name a permanently deleted event reports that the log was rolled back.
  it('accepts no append once it is deleted for good', async () => {
    const [stream, one] = [newStream(), log()];
    await one.append(stream, [someEvent()], 'none');
    await library().tombstoneStream(stream);
    expect(await one.read(stream, 0)).toEqual([]);
    expect(await one.lastRevisions([stream])).toEqual(['none']);
    await expect(one.append(stream, [someEvent()], 'none')).rejects.toThrow('deleted for good');
  });
});
