import type { ApplicationEvent } from '@waymark/domain/application/events.ts';
import { type EventLog, LogUnavailable, type Revision, readEventsMax } from '@waymark/event-log/event-log.ts';
import { type ApplicationDocument, ReadModelsUnavailable } from '@waymark/read-models/read-models.ts';
import { createApplications } from './applications.ts';
import { applicationLog, registered } from './testing/application-log.ts';

const suspended: ApplicationEvent = { type: 'ApplicationSuspended', application: 'app-1' };
const resumed: ApplicationEvent = { type: 'ApplicationResumed', application: 'app-1' };

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('the known state of an application', () => {
  it('follows from the events of its stream', async () => {
    const { log } = applicationLog([registered, suspended, resumed]);
    const application = await createApplications(log).find('app-1');
    expect(application).toMatchObject({ state: { status: 'active', account: 'account-1' }, revision: 2, suspended: 1 });
  });

  it('includes all events of a long stream', async () => {
    const often = Array.from({ length: readEventsMax }, () => [suspended, resumed]).flat();
    const { log } = applicationLog([registered, ...often]);
    const known = { state: { status: 'active' }, revision: often.length, suspended: often.length - 1 };
    expect(await createApplications(log).find('app-1')).toMatchObject(known);
  });

  it('is `absent` without a stream, and that result is not cached', async () => {
    const { log, asked } = applicationLog([]);
    const applications = createApplications(log);
    for (let time = 1; time <= 2; time += 1) {
      expect(await applications.find('app-1')).toMatchObject({ state: { status: 'absent' }, revision: -1, suspended: -1 });
      expect(asked.last).toBe(time);
    }
  });

  it.each(['editor@example.com', '\0', '', 'x'.repeat(65)])(
    'is `absent` for an id that no application can have, without a query: %j',
    async (id) => {
      const { log, asked } = applicationLog([registered]);
      expect(await createApplications(log).refresh(id)).toMatchObject({ state: { status: 'absent' }, revision: -1 });
      expect(asked).toEqual({ last: 0, read: 0 });
    },
  );

  it('is fresh for 1 s, then one query of the last revision renews it', async () => {
    const { log, asked } = applicationLog([registered]);
    const applications = createApplications(log);
    await applications.find('app-1');
    jest.advanceTimersByTime(999);
    await applications.find('app-1');
    expect(asked).toEqual({ last: 1, read: 1 });
    jest.advanceTimersByTime(1);
    await applications.find('app-1');
    expect(asked).toEqual({ last: 2, read: 1 });
  });

  it('is read once for all concurrent callers', async () => {
    const { log, asked } = applicationLog([registered]);
    const applications = createApplications(log);
    const found = await Promise.all(Array.from({ length: 100 }, () => applications.find('app-1')));
    expect(new Set(found).size).toBe(1);
    expect(asked.last).toBe(1);
  });

  it('is updated with the new events only', async () => {
    const { log, events, asked } = applicationLog([registered]);
    const applications = createApplications(log);
    await applications.find('app-1');
    events.push(suspended);
    expect(await applications.refresh('app-1')).toMatchObject({ state: { status: 'suspended' }, revision: 1, suspended: 1 });
    expect(await applications.find('app-1')).toMatchObject({ revision: 1 });
    expect(asked).toEqual({ last: 2, read: 2 });
  });

  it('is computed past erased events', async () => {
    const { log } = applicationLog([registered, 'erased', suspended, 'erased']);
    expect(await createApplications(log).find('app-1')).toMatchObject({ state: { status: 'suspended' }, revision: 3, suspended: 2 });
  });

  it('is returned at once if the stream is shorter than its reported last revision', async () => {
    const { log } = applicationLog([registered]);
    const promising: EventLog = { ...log, lastRevisions: () => Promise.resolve([7]) };
    expect(await createApplications(promising).find('app-1')).toMatchObject({ revision: 0 });
  });

  it('is not overwritten by an older response that arrives later', async () => {
    const { log, events } = applicationLog([registered]);
    const waiting: ((revisions: readonly Revision[]) => void)[] = [];
    const slow: EventLog = { ...log, lastRevisions: () => new Promise((resolve) => waiting.push(resolve)) };
    const applications = createApplications(slow);
    const older = applications.find('app-1');
    jest.advanceTimersByTime(10);
    const newer = applications.refresh('app-1');
    events.push(suspended);
    waiting[1]?.([1]);
    expect(await newer).toMatchObject({ revision: 1 });
    waiting[0]?.([0]);
    await older;
    expect(await applications.find('app-1')).toMatchObject({ state: { status: 'suspended' } });
  });

  it('is unavailable while the log is, and available again with it', async () => {
    const { log } = applicationLog([registered]);
    let unavailable = true;
    const flaky: EventLog = {
      ...log,
      lastRevisions: (streams) => (unavailable ? Promise.reject(new LogUnavailable('away')) : log.lastRevisions(streams)),
    };
    const applications = createApplications(flaky);
    await expect(applications.find('app-1')).rejects.toThrow(LogUnavailable);
    unavailable = false;
    expect(await applications.find('app-1')).toMatchObject({ revision: 0 });
    unavailable = true;
    jest.advanceTimersByTime(1_000);
    await expect(applications.find('app-1')).rejects.toThrow(LogUnavailable);
  });
});

describe('while the log is unavailable, the known state of an application', () => {
  const row: ApplicationDocument = {
    id: 'app-1',
    account: 'account-1',
    revision: 3,
    status: 'active',
    suspended: 1,
    name: 'Museum CMS',
    scopes: ['write', 'read'],
    secrets: [{ id: 'secret-1', hash: 'hash-1' }],
  };
  const state = { status: 'active', account: 'account-1', name: row.name, scopes: row.scopes, secrets: row.secrets };

  /** Creates a gateway's view of applications. Its log can be made unavailable; its read models return the result of `says`. */
  const gateway = (history: readonly ApplicationEvent[], says: () => ApplicationDocument | undefined) => {
    const { log, asked } = applicationLog(history);
    const link = { unavailable: true };
    const last: EventLog['lastRevisions'] = (streams) =>
      link.unavailable ? Promise.reject(new LogUnavailable('away')) : log.lastRevisions(streams);
    const applications = createApplications({ ...log, lastRevisions: last }, { models: { application: async () => says() } });
    return { applications, asked, link };
  };

  it('comes from the read models', async () => {
    const { applications } = gateway([], () => row);
    expect(await applications.find('app-1')).toMatchObject({ state, revision: 3, suspended: 1 });
    const deleted = gateway([], () => ({ ...row, status: 'deleted', name: '', scopes: [], secrets: [] }));
    expect((await deleted.applications.find('app-1')).state).toEqual({ status: 'deleted', account: 'account-1' });
  });

  it('is the newer of the read models and the cache', async () => {
    let says: ApplicationDocument = { ...row, revision: 0, suspended: -1 };
    const { applications, link } = gateway([registered, suspended], () => says);
    link.unavailable = false;
    await applications.find('app-1');
    link.unavailable = true;
    expect(await applications.refresh('app-1')).toMatchObject({ state: { status: 'suspended' }, revision: 1 });
    says = row;
    expect(await applications.refresh('app-1')).toMatchObject({ state, revision: 3 });
  });

  it('is fresh for 1 s too, and is the base for later events once the log is available', async () => {
    const { applications, asked, link } = gateway([registered, suspended, resumed, resumed, suspended], () => row);
    await applications.find('app-1');
    link.unavailable = false;
    jest.advanceTimersByTime(999);
    expect(await applications.find('app-1')).toMatchObject({ revision: 3 });
    jest.advanceTimersByTime(1);
    expect(await applications.find('app-1')).toMatchObject({ state: { status: 'suspended' }, revision: 4, suspended: 4 });
    expect(asked).toEqual({ last: 1, read: 1 });
  });

  it('is unknown if the read models do not have the application or are unavailable', async () => {
    await expect(gateway([], () => undefined).applications.find('app-1')).rejects.toThrow(LogUnavailable);
    const unavailable = gateway([], () => {
      throw new ReadModelsUnavailable('away');
    });
    await expect(unavailable.applications.find('app-1')).rejects.toThrow(ReadModelsUnavailable);
  });

  it('is unknown if the read models are known to be out of date', async () => {
    const { applications } = gateway([], () => row);
    expect(await applications.refresh('app-1', 3)).toMatchObject({ revision: 3 });
    await expect(applications.refresh('app-1', 4)).rejects.toThrow(LogUnavailable);
  });

  it('comes from the log only in a process without read models', async () => {
    const { log } = applicationLog([registered]);
    const unavailable: EventLog = { ...log, lastRevisions: () => Promise.reject(new LogUnavailable('away')) };
    await expect(createApplications(unavailable).find('app-1')).rejects.toThrow(LogUnavailable);
  });

  it('comes from the read models only if the log is unavailable, not after another error', async () => {
    const { log } = applicationLog([registered]);
    const broken: EventLog = { ...log, lastRevisions: () => Promise.reject(new RangeError('a mistake')) };
    const application = jest.fn();
    await expect(createApplications(broken, { models: { application } }).find('app-1')).rejects.toThrow(RangeError);
    expect(application).not.toHaveBeenCalled();
  });
});
