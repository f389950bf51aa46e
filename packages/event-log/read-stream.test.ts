import { readEnd } from './read-stream.ts';
import { newStream, someEvents } from './testing/some-events.ts';
import { logOfItsOwn } from './testing/temporary-logs.ts';

let log: Awaited<ReturnType<typeof logOfItsOwn>>;
beforeAll(async () => {
  log = await logOfItsOwn();
});
afterAll(() => log.close());

describe('the end of a stream', () => {
  it('is the last event and its revision', async () => {
    const stream = newStream();
    const events = someEvents(3);
    await log.append(stream, events, 'none');
    expect(await readEnd(log, stream)).toMatchObject({ revision: 2, event: { revision: 2, ...events[2] } });
  });

  it('is no event where the stream has none', async () => {
    expect(await readEnd(log, newStream())).toEqual({ revision: 'none', event: undefined });
  });

  it('has a revision but no event where another program wrote the last event', async () => {
    const foreign = { ...log, lastRevisions: async () => [5], read: async () => [] };
    expect(await readEnd(foreign, newStream())).toEqual({ revision: 5, event: undefined });
  });
});
