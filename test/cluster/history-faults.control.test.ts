import { emptyHistory } from '@waymark/read-models/testing/empty-database.ts';
import { describeOn, ownName } from '@waymark/test-engines/test-engines.ts';
import { type Client, openClient } from '../api/client.ts';
import { aPinpoint } from '../api/samples.ts';
import { type Application, bodyOf, openSession, type Session, tokenCall } from '../api/session.ts';
import type { Cluster } from './setup/cluster.ts';
import { pidOf } from './setup/processes.ts';
import type { Fault } from './setup/trial.ts';
import { until } from './setup/until.ts';
import { itSurvives, useCluster } from './setup/use-cluster.ts';

const answeredWithinMs = 300_000;
const editsBetween = 5;

type History = { readonly results: readonly { readonly revision: number }[] };

describeOn(['eventstore', 'kafka', 'mongodb', 'redis', 'media', 'control'], 'The history of a cluster under load', () => {
  const cluster = useCluster();
  const clients: Client[] = [];
  afterAll(() => {
    for (const client of clients) client.close();
  });

  const auditorOf = async ({ url, operator }: Cluster): Promise<Session> => {
    const client = openClient(url);
    clients.push(client);
    const order = { account: ownName('audited'), name: 'test/cluster', scopes: ['read', 'write', 'audit'] };
    const application = bodyOf<Application>(await operator('POST', '/applications', order), 201);
    const { access_token } = bodyOf<{ access_token: string }>(await client.send(tokenCall(application)), 200);
    return openSession(client.send, application, access_token);
  };

  /** Returns a fault, after which the history must have each edit that was acknowledged before, during and after it. */
  const withHistory = (fault: Fault): Fault => ({
    ...fault,
    strike: async (struck, time) => {
      const me = await auditorOf(struck);
      const { id } = await me.create('/pinpoints', aPinpoint({ name: 'Name 0' }));
      let edits = 0;
      const edit = async (): Promise<void> => {
        for (let nth = 0; nth < editsBetween; nth += 1) {
          edits += 1;
          bodyOf(await me.put(`/pinpoints/${id}`, aPinpoint({ name: `Name ${edits}` })), 200);
        }
      };
      await edit();
      await Promise.all([fault.strike(struck, time), edit()]);
      await edit();
      const expected = Array.from({ length: edits + 1 }, (_, nth) => edits - nth);
      await until('the history has every acknowledged edit, once', answeredWithinMs, async () => {
        const answer = await me.get(`${struck.url}/audit/v1/pinpoints/${id}/history?limit=100`);
        if (answer.status !== 200) return false;
        const { results } = bodyOf<History>(answer, 200);
        return JSON.stringify(results.map(({ revision }) => revision)) === JSON.stringify(expected);
      });
    },
  });
  const kill = async (name: string): Promise<void> => {
    process.kill(await pidOf(cluster(), name), 'SIGKILL');
  };

  // Each trial ends with a verification, which compares the history with one that is built from the log.
  itSurvives('is complete again after its projector was killed', cluster, withHistory({ strike: () => kill('projector'), refuses: [] }));
  itSurvives('is answered again after the auditor was killed', cluster, withHistory({ strike: () => kill('auditor'), refuses: [] }));
  itSurvives(
    'is built again after it was wiped',
    cluster,
    withHistory({ strike: ({ own }) => emptyHistory(own.database), refuses: [], keepsProcesses: true }),
  );
});
