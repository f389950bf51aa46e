import type { ApplicationEvent } from '@waymark/domain/application/events.ts';
import type { EventLog, Revision } from '@waymark/event-log/event-log.ts';
import { LogUnavailable } from '@waymark/event-log/event-log.ts';
import { applicationLog, registered } from './application-log.ts';
import { knownApplications } from './applications.ts';

const suspended: ApplicationEvent = { type: 'ApplicationSuspended', application: 'app-1' };
const resumed: ApplicationEvent = { type: 'ApplicationResumed', application: 'app-1' };

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('what is known of an application', () => {
  it('is what its stream says', async () => {
    const { log } = applicationLog([registered, suspended, resumed]);
    const application = await knownApplications(log).find('app-1');
    expect(application).toMatchObject({ state: { status: 'active', account: 'account-1' }, revision: 2, suspended: 1 });
  });

  it('is read to the end, however long the stream is', async () => {
    const often = Array.from({ length: 25 }, () => [suspended, resumed]).flat();
    const { log } = applicationLog([registered, ...often]);
    expect(await knownApplications(log).find('app-1')).toMatchObject({ state: { status: 'active' }, revision: 50, suspended: 49 });
  });

  it('is nothing where there is no such stream, and that is not remembered', async () => {
    const { log, asked } = applicationLog([]);
    const applications = knownApplications(log);
    for (let time = 1; time <= 2; time += 1) {
      expect(await applications.find('app-1')).toMatchObject({ state: { status: 'absent' }, revision: -1, suspended: -1 });
      expect(asked.last).toBe(time);
    }
  });

  it('is good for a second, then one look at the last revision renews it', async () => {
    const { log, asked } = applicationLog([registered]);
    const applications = knownApplications(log);
    await applications.find('app-1');
    jest.advanceTimersByTime(999);
    await applications.find('app-1');
    expect(asked).toEqual({ last: 1, read: 1 });
    jest.advanceTimersByTime(1);
    await applications.find('app-1');
    expect(asked).toEqual({ last: 2, read: 1 });
  });

  it('is asked for once by all who wait', async () => {
    const { log, asked } = applicationLog([registered]);
    const applications = knownApplications(log);
    const found = await Promise.all(Array.from({ length: 100 }, () => applications.find('app-1')));
    expect(new Set(found).size).toBe(1);
    expect(asked.last).toBe(1);
  });

  it('takes in only what is new', async () => {
    const { log, events, asked } = applicationLog([registered]);
    const applications = knownApplications(log);
    await applications.find('app-1');
    events.push(suspended);
    expect(await applications.refresh('app-1')).toMatchObject({ state: { status: 'suspended' }, revision: 1, suspended: 1 });
    expect(await applications.find('app-1')).toMatchObject({ revision: 1 });
    expect(asked).toEqual({ last: 2, read: 2 });
  });

  it('is not held up by what was erased', async () => {
    const { log } = applicationLog([registered, 'erased', suspended, 'erased']);
    expect(await knownApplications(log).find('app-1')).toMatchObject({ state: { status: 'suspended' }, revision: 3, suspended: 2 });
  });

  it('is not waited for where the stream is shorter than it was said to be', async () => {
    const { log } = applicationLog([registered]);
    const promising: EventLog = { ...log, last: () => Promise.resolve([7]) };
    expect(await knownApplications(promising).find('app-1')).toMatchObject({ revision: 0 });
  });

  it('is not overwritten by an older answer that comes later', async () => {
    const { log, events } = applicationLog([registered]);
    const waiting: ((revisions: readonly Revision[]) => void)[] = [];
    const slow: EventLog = { ...log, last: () => new Promise((resolve) => waiting.push(resolve)) };
    const applications = knownApplications(slow);
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

  it('is away with the log, and back with it', async () => {
    const { log } = applicationLog([registered]);
    let away = true;
    const flaky: EventLog = { ...log, last: (streams) => (away ? Promise.reject(new LogUnavailable('away')) : log.last(streams)) };
    const applications = knownApplications(flaky);
    await expect(applications.find('app-1')).rejects.toThrow(LogUnavailable);
    away = false;
    expect(await applications.find('app-1')).toMatchObject({ revision: 0 });
    away = true;
    jest.advanceTimersByTime(1_000);
    await expect(applications.find('app-1')).rejects.toThrow(LogUnavailable);
  });
});
