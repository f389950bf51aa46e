import { setTimeout as pause } from 'node:timers/promises';
import { ownName } from '@waymark/test-engines/test-engines.ts';
import { openClient } from '../../api/client.ts';
import { type Application, bodyOf, openSession, tokenCall } from '../../api/session.ts';
import { until } from '../../cluster/setup/until.ts';
import { itSurvives } from '../../cluster/setup/use-cluster.ts';
import { chart } from '../helm.ts';
import {
  change,
  deletePod,
  describeOnInstallation,
  installation,
  podsOfInstallation,
  refusedInChanges,
  scale,
  underLoad,
  untilAvailable,
  useTwoReplicas,
  workloads,
} from './installation.ts';

jest.setTimeout(1_800_000);

const readers = 16;
const scaledWithinMs = 300_000;
/** Connections to a service end after 5 s: a new gateway gets its share after that. */
const sharedWithinMs = 10_000;
/** Several such connections of each reader, so that chance does not decide. */
const sampleMs = 30_000;
/** Of an equal share. */
const leastShare = 0.5;
const gateways = 'query-gateway';

/** Reads one object without a pause until it is ended. Returns the responses that were not as expected. */
const load = async () => {
  const { url, operator } = installation();
  const order = { account: ownName('scaling'), name: 'test/deploy', scopes: ['read', 'write'] };
  const application = bodyOf<Application>(await operator('POST', '/applications', order), 201);
  const client = openClient(url);
  const { access_token: token } = bodyOf<{ access_token: string }>(await client.send(tokenCall(application)), 200);
  const me = openSession(client.send, application, token);
  const { id } = await me.create('/lists', { name: 'read' });
  const ending = new AbortController();
  const wrong: string[] = [];
  const read = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const { status, text } = await me.get(`/lists/${id}`);
      if (status !== 200) wrong.push(`${status} ${text}`);
    }
  };
  const reading = Promise.all(Array.from({ length: readers }, read));
  return {
    end: async (): Promise<readonly string[]> => {
      ending.abort();
      await reading;
      client.close();
      return wrong;
    },
  };
};

/** Returns how many requests each gateway has answered, by pod. */
const answered = async (): Promise<ReadonlyMap<string, number>> => {
  const pods = (await podsOfInstallation()).filter(({ component }) => component === gateways);
  const counts = await Promise.all(
    pods.map(async ({ name, address }): Promise<readonly [string, number]> => {
      const metrics = await (await fetch(`http://${address}:8081/metrics`, { headers: { Connection: 'close' } })).text();
      const values = Array.from(metrics.matchAll(/^waymark_http_request_duration_seconds_count\S* (\d+)$/gm), ([, value]) => Number(value));
      return [name, values.reduce((sum, value) => sum + value, 0)];
    }),
  );
  return new Map(counts);
};

/** Expects that each gateway answers its share of the requests of many kept connections. */
const expectShares = async (): Promise<void> => {
  const reading = await load();
  await pause(sharedWithinMs);
  const before = await answered();
  await pause(sampleMs);
  const shares = [...(await answered())].map(([name, count]) => count - (before.get(name) ?? 0));
  expect(await reading.end()).toEqual([]);
  const equal = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  expect(Math.min(...shares)).toBeGreaterThan(leastShare * equal);
};

describeOnInstallation('A cluster on Kubernetes, under load,', () => {
  useTwoReplicas();

  itSurvives(
    'scales every Deployment from one pod to three and back; each gateway gets its share',
    installation,
    underLoad({
      strike: async () => {
        for (const replicas of [1, 3, 1]) {
          await scale(replicas);
          await untilAvailable();
          if (replicas === 3) await expectShares();
        }
      },
      refuses: refusedInChanges,
    }),
  );

  it('stops a pod of each service, and says how long that takes', async () => {
    const pods = new Map((await podsOfInstallation()).map((pod) => [pod.component, pod]));
    const seconds = await Promise.all(
      [...pods].map(async ([component, pod]): Promise<readonly [string, number]> => {
        const startedMs = performance.now();
        await deletePod(pod, true);
        return [component, Math.round((performance.now() - startedMs) / 100) / 10];
      }),
    );
    process.stderr.write(`seconds until a pod has stopped: ${JSON.stringify(Object.fromEntries(seconds))}\n`);
    await untilAvailable();
  });

  const replicas = async (): Promise<number> => (await workloads()).find(({ name }) => name === gateways)?.wanted ?? 0;

  it('adds a gateway by its autoscaler and removes it again; turning the autoscaler on removes none', async () => {
    await scale(2);
    await untilAvailable();
    const reading = await load();
    const auto = {
      enabled: true,
      maxReplicas: 3,
      // Of what a gateway requests: a tenth of a core, which only load takes.
      targetCPUUtilizationPercentage: 60,
      behavior: { scaleDown: { stabilizationWindowSeconds: 15 } },
    };
    await change('upgrade', chart, '--reuse-values', '--set-json', `queryGateway.autoscaling=${JSON.stringify(auto)}`);
    expect(await replicas()).toBeGreaterThanOrEqual(2);
    await until('there is another gateway', scaledWithinMs, async () => (await replicas()) === 3);
    expect(await reading.end()).toEqual([]);
    await until('it is removed', scaledWithinMs, async () => (await replicas()) === 2);
    await change('upgrade', chart, '--reuse-values', '--set', 'queryGateway.autoscaling.enabled=false');
  });
});
