import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { type Document, type Membership, type ReadModels, ReadModelsUnavailable } from '@waymark/read-models/read-models.ts';
import { added, listCreated, mine, pinpointCreated, pinpointDeleted, theirs } from '@waymark/read-models/testing/facts.ts';
import { recorder } from '@waymark/read-models/testing/recorder.ts';
import { lists } from './aggregates.ts';
import { loadWithMembers } from './members.ts';

const { record } = recorder();
const events: readonly RecordedEvent[] = [
  record(mine, listCreated(1)),
  record(mine, pinpointCreated(1)),
  record(mine, pinpointCreated(2)),
  record(mine, pinpointCreated(3)),
  record(mine, pinpointDeleted(3)),
  record(theirs, pinpointCreated(4, theirs)),
  record(mine, added(1, 1)),
];
const asked = [1, 2, 3, 4, 5];

const of = (stream: string): readonly RecordedEvent[] => events.filter((event) => event.stream === stream);
const streamsRead = new Set<string>();
const log: Pick<EventLog, 'lastRevisions' | 'owners' | 'read'> = {
  lastRevisions: async (streams) => streams.map((stream) => of(stream).at(-1)?.revision ?? 'none'),
  owners: async (streams) => streams.map((stream) => of(stream).at(-1)?.envelope.account),
  read: async (stream, from) => {
    streamsRead.add(stream);
    return of(stream).filter(({ revision }) => revision >= from);
  },
};

/** Loads the members with read models that have this much of the list. */
const loaded = async (told: Partial<Membership> | undefined) => {
  const nothing: Membership = { list: undefined, members: new Set(), pinpoints: new Set(), full: new Set() };
  const membership: ReadModels['membership'] = async () => {
    if (told === undefined) throw new ReadModelsUnavailable('away');
    return { ...nothing, ...told };
  };
  const stores = { log: log as EventLog, models: { membership } as ReadModels };
  const { loaded: now, known } = await loadWithMembers(stores, lists, 1, asked, 'none');
  return [known.pinpoints, now.state.status === 'present' ? now.state.members : undefined];
};

const list: Document = {
  id: 1,
  account: mine,
  revision: 0,
  present: true,
  shown: true,
  text: '{"id":1,"name":"List 1","description":""}',
  file: null,
  lists: 0,
  happenings: 0,
};

describe('The data of a membership request', () => {
  it.each([
    ['the read models are unavailable', undefined],
    ['the read models do not have the list yet', {}],
  ])('comes from the log if %s', async (_, told) => {
    expect(await loaded(told)).toEqual([new Set([1, 2]), new Set([1])]);
  });

  it('comes from the read models, except for pinpoints that they do not have yet', async () => {
    expect(await loaded({ list, members: new Set([1]), pinpoints: new Set([1]) })).toEqual([new Set([1, 2]), new Set([1])]);
  });

  it('needs no stream of another account, or of a pinpoint that does not exist', async () => {
    streamsRead.clear();
    await loaded({ list, members: new Set(), pinpoints: new Set() });
    expect([...streamsRead].sort()).toEqual(['pinpoint-1', 'pinpoint-2', 'pinpoint-3']);
  });

  it('comes from the read models and the later events of the log if the read models are behind', async () => {
    const membership: ReadModels['membership'] = async () => ({ list, members: new Set(), pinpoints: new Set([1]), full: new Set() });
    const stores = { log: log as EventLog, models: { membership } as ReadModels };
    const memberships = async (least: number): Promise<unknown> => (await loadWithMembers(stores, lists, 1, [1], least)).loaded;
    expect(await memberships(0)).toMatchObject({ revision: 0, state: { members: new Set() } });
    expect(await memberships(1)).toMatchObject({ revision: 1, state: { members: new Set([1]) } });
  });
});
