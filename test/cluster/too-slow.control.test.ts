import { setTimeout as pause } from 'node:timers/promises';
import { EventStoreDBClient, START } from '@eventstore/db-client';
import { control } from '@waymark/engines/control.ts';
import { describeOn, urlOf } from '@waymark/engines/engines.ts';
import { itStands, useCluster } from './faults.ts';
import { figuresOf } from './places.ts';
import type { Fault } from './trial.ts';

const restartMs = 120_000;
const loadMs = 4_000;
/** As few live events may wait for a subscriber as this engine lets us choose; another one has a limit of its own. */
const impatience = { EVENTSTORE_FLAGS: '--slow-consumer-limit 1' };

const restarted = async (environment: Readonly<Record<string, string>>): Promise<void> => {
  await control('kill', 'eventstore');
  await control('start', 'eventstore', environment);
};

type RelayFigures = { readonly sessions: number; readonly failures: number };

describeOn(
  ['eventstore', 'kafka', 'mongodb', 'redis', 'media', 'control'],
  'A cluster under load, whose event store cuts who is slow,',
  () => {
    let cuts = 0;
    const cluster = useCluster({}, impatience);
    afterAll(() => restarted({}), restartMs);

    /** Nobody hears of it, and nothing begins anew. */
    const cutOften: Fault = {
      strike: async (here) => {
        const before = await figuresOf<RelayFigures>(here, 'relay');
        const from = here.printed().length;
        const seen = countCuts(() => {
          cuts += 1;
        });
        await pause(loadMs);
        await seen.stop();
        const { sessions, failures } = await figuresOf<RelayFigures>(here, 'relay');
        expect({ sessions, failures }).toEqual({ sessions: before.sessions, failures: before.failures });
        expect(here.printed().slice(from).split('\n').filter(isAlarm)).toEqual([]);
      },
      refuses: [],
      keepsProcesses: true,
    };

    itStands('loses no event, raises no alarm, and makes no pause', cluster, cutOften);

    it('was cut off indeed, or would have been', () => {
      expect(cuts).toBeGreaterThan(0);
    });
  },
);

/** A warning, or worse, of those who follow the log. */
const isAlarm = (line: string): boolean => {
  if (!line.startsWith('{')) return false;
  const { level, service } = JSON.parse(line) as { level: number; service: string };
  return level >= 40 && (service === 'relay' || service === 'projector');
};

/** Follows the log as a reader does that is far too slow, and counts how often it is cut off. */
const countCuts = (cut: () => void) => {
  const client = EventStoreDBClient.connectionString(urlOf('eventstore'));
  let stopped = false;
  const follow = (): void => {
    if (stopped) return;
    const subscription = client.subscribeToAll({ fromPosition: START });
    subscription.on('error', (error) => {
      if (/too slow/i.test(error.message)) cut();
      setTimeout(follow, 50);
    });
    subscription.on('data', () => {
      subscription.pause();
      setTimeout(() => subscription.resume(), 5);
    });
  };
  follow();
  return {
    stop: async () => {
      stopped = true;
      await client.dispose();
    },
  };
};
