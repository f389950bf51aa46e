import { setTimeout as pause } from 'node:timers/promises';
import { emptyDatabase } from '@waymark/read-models/testing/empty-database.ts';
import { control } from '@waymark/test-engines/control.ts';
import { describeOn, urlOf } from '@waymark/test-engines/test-engines.ts';
import { Redis } from 'ioredis';
import { deleteTopic } from './setup/own-names.ts';
import { itSurvives, useCluster } from './setup/use-cluster.ts';

const awayMs = 500;

const flushAll = async (): Promise<void> => {
  const redis = new Redis(urlOf('redis'));
  await redis.flushall();
  redis.disconnect();
};

describeOn(['eventstore', 'kafka', 'mongodb', 'redis', 'media', 'control'], 'A cluster under load that loses', () => {
  const cluster = useCluster();
  const wipe = async (engine: 'kafka' | 'mongodb' | 'redis'): Promise<void> => {
    await control('wipe', engine);
    await pause(awayMs);
    await control('start', engine);
  };

  itSurvives('its Kafka topic: everything continues', cluster, {
    strike: ({ own }) => deleteTopic(own),
    refuses: [],
    keepsProcesses: true,
  });
  itSurvives('all of Kafka: everything continues', cluster, { strike: () => wipe('kafka'), refuses: [], keepsProcesses: true });
  itSurvives('the content of Redis: everything continues', cluster, { strike: flushAll, refuses: [], keepsProcesses: true });
  itSurvives('all of Redis: everything continues', cluster, { strike: () => wipe('redis'), refuses: [], keepsProcesses: true });
  itSurvives('the content of its read model database: reads recover, writes continue', cluster, {
    strike: ({ own }) => emptyDatabase(own.database),
    refuses: ['reads'],
    keepsProcesses: true,
  });
  itSurvives('all of MongoDB: reads recover, writes continue', cluster, {
    strike: () => wipe('mongodb'),
    refuses: ['reads'],
    keepsProcesses: true,
  });
});
