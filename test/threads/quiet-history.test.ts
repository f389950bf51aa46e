import { join } from 'node:path';
import { notaryDirectory } from '@waymark/checkpoints/notary-directory.ts';
import { aPinpoint } from '../api/samples.ts';
import { bodyOf, type Session } from '../api/session.ts';
import { expectSound } from '../crash/installation.ts';
import { logInAgain, type Server } from '../crash/server.ts';
import { auditorOn } from '../crash/session-of-auditor.ts';
import { useCrashServers } from '../crash/test-servers.ts';
import { until } from '../crash/until.ts';

const ground = useCrashServers();

const preload = join(import.meta.dirname, 'history-thread-told/main.ts');
const settings = { WAYMARK_NOTARY_SECONDS: '1' };
const testMs = 120_000;

const times = (server: Server, what: 'starts' | 'ends'): number => server.printed().split(`the thread of the history ${what}`).length - 1;

const untilItEnds = (server: Server): Promise<void> => {
  const before = times(server, 'ends');
  return until(() => times(server, 'ends') > before);
};

const revisionsOf = async (me: Session, id: number): Promise<readonly number[]> => {
  const { results } = bodyOf<{ results: readonly { revision: number }[] }>(await me.get(`/audit/v1/pinpoints/${id}/history`), 200);
  return results.map(({ revision }) => revision);
};

type OperatorStatus = {
  readonly notary: { readonly state: string; readonly number: number; readonly position: number; readonly through: number };
  readonly head: number;
};

const statusOf = async ({ operator }: Server): Promise<OperatorStatus> => bodyOf<OperatorStatus>(await operator('GET', '/status'), 200);

describe('the thread of the history', () => {
  it(
    'ends while there is nothing to do, and misses no event and no question',
    async () => {
      const at = ground.directory();
      const server = await ground.start(at, { preload, settings });
      const me = await auditorOn(server);
      const { id } = await me.create('/pinpoints', aPinpoint());
      let signed = 0;
      for (let edits = 1; edits <= 2; edits += 1) {
        await untilItEnds(server);
        const { notary, head } = await statusOf(server);
        expect(notary.state).toBe('signing');
        expect(notary.number).toBeGreaterThan(signed);
        expect(head).toBeGreaterThanOrEqual(notary.position);
        signed = notary.number;
        const started = times(server, 'starts');
        bodyOf(await me.put(`/pinpoints/${id}`, { ...aPinpoint(), name: `Name ${edits}` }), 200);
        await until(() => times(server, 'starts') > started);
      }
      expect(await revisionsOf(me, id)).toEqual([2, 1, 0]);
      await until(async () => (await statusOf(server)).notary.number > signed);
      await expectSound(server);
      await server.stop();

      const again = await ground.start(at, { preload, settings });
      expect(times(again, 'starts')).toBe(0);
      expect(await revisionsOf(await logInAgain(again, me), id)).toEqual([2, 1, 0]);
      expect(times(again, 'starts')).toBe(1);
      await again.stop();
    },
    testMs,
  );

  it(
    'signs at a shutdown what a killed process has left, although the thread has not run before',
    async () => {
      const at = ground.directory();
      const rarely = { WAYMARK_NOTARY_SECONDS: '3600' };
      const killed = await ground.start(at, { preload, settings: rarely });
      const me = await auditorOn(killed);
      await until(async () => (await statusOf(killed)).notary.number === 1);
      await me.create('/pinpoints', aPinpoint());
      const { head } = await statusOf(killed);
      await killed.kill();
      const server = await ground.start(at, { preload, settings: rarely });
      expect(times(server, 'starts')).toBe(0);
      await server.stop();
      const record = notaryDirectory(join(at, 'notary')).openRecord();
      expect(record.last()).toMatchObject({ number: 2 });
      record.close();
      const after = await ground.start(at, { preload, settings: rarely });
      await until(async () => (await statusOf(after)).notary.position > head);
      expect((await statusOf(after)).notary).toMatchObject({ number: 2, through: head });
      await after.stop();
    },
    testMs,
  );

  it(
    'starts for the order of an operator, which must not stay until there is something to begin',
    async () => {
      const at = ground.directory();
      const server = await ground.start(at, { preload, settings });
      await (await auditorOn(server)).create('/pinpoints', aPinpoint());
      await untilItEnds(server);
      const { beginning } = notaryDirectory(join(at, 'notary'));
      beginning.order();
      await until(() => !beginning.isOrdered());
      expect(times(server, 'starts')).toBeGreaterThan(1);
      await server.stop();
    },
    testMs,
  );
});
