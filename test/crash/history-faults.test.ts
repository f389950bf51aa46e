import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { bodyOf, openSession, type Session } from '../api/session.ts';
import { expectSound } from './installation.ts';
import type { Server } from './server.ts';
import { auditorOn } from './session-of-auditor.ts';
import { useCrashServers } from './test-servers.ts';
import { until } from './until.ts';

const ground = useCrashServers();

const endsHistory = join(import.meta.dirname, 'end-history-thread/main.ts');
const times = 3;
/** Writes that are acknowledged between two faults, and clients that write at once. */
const writesBetween = 60;
const writers = 4;
const testMs = 600_000;

/** Clients that write until a fault, and what was acknowledged: the number of revisions of each pinpoint. */
type Writing = {
  readonly acknowledged: () => number;
  readonly revisions: ReadonlyMap<number, number>;
  /** Ends the writes, and waits for those in progress. */
  readonly end: () => Promise<void>;
};

/** @param mayFail whether a request may fail: then its client ends, and the request may count or not */
const beginWriting = (me: Session, mayFail: boolean): Writing => {
  const revisions = new Map<number, number>();
  let isOver = false;
  let acknowledged = 0;
  const write = async (): Promise<void> => {
    const { id } = await me.create('/pinpoints', { name: 'Name 0', latitude: 1, longitude: 2 });
    for (let nth = 1; !isOver; nth += 1) {
      revisions.set(id, nth);
      acknowledged += 1;
      bodyOf(await me.put(`/pinpoints/${id}`, { name: `Name ${nth}`, latitude: 1, longitude: 2 }), 200);
    }
  };
  const failed = (error: unknown): void => {
    if (!mayFail) throw error;
  };
  const running = Promise.all(Array.from({ length: writers }, () => write().catch(failed)));
  return {
    acknowledged: () => acknowledged,
    revisions,
    end: async () => {
      isOver = true;
      await running;
    },
  };
};

type History = { readonly results: readonly { readonly revision: number | null }[]; readonly next: string | null };

/** Returns the revisions that the history of a pinpoint has. Waits while the history is not available. */
const revisionsOf = async (me: Session, id: number): Promise<readonly (number | null)[]> => {
  const revisions: (number | null)[] = [];
  for (let path: string | null = `/audit/v1/pinpoints/${id}/history?limit=500`; path !== null; ) {
    const from: string = path;
    let answer = await me.get(from);
    await until(async () => {
      if (answer.status === 503) answer = await me.get(from);
      return answer.status !== 503;
    }, 100);
    const page: History = bodyOf<History>(answer, 200);
    revisions.push(...page.results.map(({ revision }) => revision));
    path = page.next;
  }
  return revisions;
};

/** Checks that the history has each acknowledged write once, and equals one that is built from the log. */
const expectComplete = async (server: Server, me: Session, { revisions }: Writing): Promise<void> => {
  for (const [id, acknowledged] of revisions) {
    const found = await revisionsOf(me, id);
    expect(found).toEqual(Array.from({ length: found.length }, (_, nth) => found.length - 1 - nth));
    // A request that got no response may count.
    expect([acknowledged, acknowledged + 1]).toContain(found.length);
  }
  await expectSound(server);
};

describe('the history of a standalone server under load', () => {
  it(
    'loses nothing, and fails no write, if its thread ends again and again',
    async () => {
      const server = await ground.start(ground.directory(), { preload: endsHistory });
      const me = await auditorOn(server);
      const writing = beginWriting(me, false);
      for (let time = 1; time <= times; time += 1) {
        const before = writing.acknowledged();
        await until(() => writing.acknowledged() >= before + writesBetween);
        server.child.kill('SIGUSR2');
        await until(() => server.printed().split('the thread of the history was ended').length === time + 1);
        await until(async () => (await me.get('/audit/v1/activity')).status === 200, 100);
      }
      await writing.end();
      await expectComplete(server, me, writing);
      await server.stop();
    },
    testMs,
  );

  it.each<[string, readonly string[]]>([
    ['', []],
    [', and its file is removed', ['history.db', 'history.db-wal', 'history.db-shm']],
    [', and its file is removed without its write-ahead log', ['history.db']],
  ])(
    'loses nothing if the process is killed%s',
    async (_, removed) => {
      const directory = ground.directory();
      const first = await ground.start(directory);
      const me = await auditorOn(first);
      const writing = beginWriting(me, true);
      await until(() => writing.acknowledged() >= 2 * writesBetween);
      await first.kill();
      await writing.end();
      for (const file of removed) rmSync(join(directory, file), { force: true });
      const second = await ground.start(directory);
      await expectComplete(second, openSession(second.client.send, me.application, me.token), writing);
      await second.stop();
    },
    testMs,
  );
});
