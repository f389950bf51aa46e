import { setTimeout as pause } from 'node:timers/promises';
import { control } from '@waymark/test-engines/control.ts';
import { describeOn, ownName } from '@waymark/test-engines/test-engines.ts';
import { openClient } from '../api/client.ts';
import { type Application, bodyOf, openSession, type Session, tokenCall } from '../api/session.ts';
import type { Cluster } from './setup/cluster.ts';
import { figuresOf, pidOf } from './setup/processes.ts';
import type { Fault } from './setup/trial.ts';
import { itSurvives, useCluster } from './setup/use-cluster.ts';

const restartMs = 300_000;
/** The lowest limit of waiting live events for a subscriber that this engine accepts. Other engines have limits of their own. */
const slowConsumerLimit = { EVENTSTORE_FLAGS: '--slow-consumer-limit 1' };
/** How often the relay is stopped, and for how long. The time is shorter than any client waits for its own writes. */
const stalls = 3;
const stallMs = 700;
const betweenMs = 500;
/** More data than the buffers on the way to the relay hold. */
const listsAtOnce = 24;
const description = `<p>${'x'.repeat(90_000)}</p>`;

type RelayFigures = { readonly sessions: number; readonly failures: number };

describeOn(
  ['eventstore', 'kafka', 'mongodb', 'redis', 'media', 'control'],
  'A cluster under load, whose event store cuts off slow subscribers,',
  () => {
    const cluster = useCluster(() => ({ WAYMARK_LOG_LEVEL: 'debug' }), slowConsumerLimit);
    afterAll(async () => {
      await control('kill', 'eventstore');
      await control('start', 'eventstore');
    }, restartMs);

    /** Stops the relay until the event store cuts it off. No session restarts, and no process logs a warning. */
    const cutOff: Fault = {
      strike: async (here) => {
        const before = await figuresOf<RelayFigures>(here, 'relay');
        const from = here.printed().length;
        const account = await anAccount(here);
        for (let stall = 0; stall < stalls; stall += 1) {
          await stalled(await pidOf(here, 'relay'), () => createLists(account.session));
          await pause(betweenMs);
        }
        account.close();
        const { sessions, failures } = await figuresOf<RelayFigures>(here, 'relay');
        expect({ sessions, failures }).toEqual({ sessions: before.sessions, failures: before.failures });
        const lines = here.printed().slice(from).split('\n').flatMap(subscriberLine);
        expect(lines.filter(({ msg }) => msg.startsWith('The event log ended a slow subscription')).length).toBeGreaterThan(0);
        expect(lines.filter(({ level }) => level >= warning)).toEqual([]);
      },
      refuses: [],
      keepsProcesses: true,
    };

    itSurvives('loses no event, raises no alarm, and does not pause', cluster, cutOff);
  },
);

/** Stops a process while some work is done, and for a minimum time. */
const stalled = async (pid: number, work: () => Promise<void>): Promise<void> => {
  process.kill(pid, 'SIGSTOP');
  const written = work();
  await pause(stallMs);
  process.kill(pid, 'SIGCONT');
  await written;
};

const anAccount = async ({ url, operator }: Cluster): Promise<{ readonly session: Session; readonly close: () => void }> => {
  const client = openClient(url);
  const body = { account: ownName('account'), name: 'test/cluster', scopes: ['read', 'write'] };
  const application = bodyOf<Application>(await operator('POST', '/applications', body), 201);
  const { access_token: token } = bodyOf<{ access_token: string }>(await client.send(tokenCall(application)), 200);
  return { session: openSession(client.send, application, token), close: client.close };
};

const createLists = async (session: Session): Promise<void> => {
  await Promise.all(Array.from({ length: listsAtOnce }, (_, nth) => session.create('/lists', { name: `list ${nth}`, description })));
};

type Line = { readonly level: number; readonly service: string; readonly msg: string };
const warning = 40;

/** Returns the log line of a process that subscribes to the log. */
const subscriberLine = (text: string): readonly Line[] => {
  if (!text.startsWith('{')) return [];
  const line = JSON.parse(text) as Line;
  return line.service === 'relay' || line.service === 'projector' ? [line] : [];
};
