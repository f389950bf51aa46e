import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bodyOf, openSession, type Session } from '../api/session.ts';
import { expectSound } from './installation.ts';
import { createSampleContent } from './sample-content.ts';
import { auditorOn } from './session-of-auditor.ts';
import { useCrashServers } from './test-servers.ts';

const ground = useCrashServers();

const activityOf = async (me: Session): Promise<string> => {
  const answer = await me.get('/audit/v1/activity?limit=500');
  bodyOf(answer, 200);
  return answer.text;
};

const damages: readonly (readonly [what: string, damage: (file: string) => void])[] = [
  ['missing', (file) => rmSync(file)],
  ['no database', (file) => writeFileSync(file, 'this is no database, and it is long enough to look like one'.repeat(100))],
  ['cut off', (file) => writeFileSync(file, readFileSync(file).subarray(0, 5_000))],
];

describe('the history of a standalone server', () => {
  it.each(damages)('is built again if its file is %s, and then is the same', async (_, damage) => {
    const directory = ground.directory();
    const first = await ground.start(directory);
    const me = await auditorOn(first);
    await createSampleContent(me, 'first');
    const before = await activityOf(me);
    await first.stop();
    damage(join(directory, 'history.db'));
    const second = await ground.start(directory);
    expect(await activityOf(openSession(second.client.send, me.application, me.token))).toBe(before);
    await expectSound(second);
    await second.stop();
  });

  it('is rebuilt while it is in use', async () => {
    const server = await ground.start(ground.directory());
    const me = await auditorOn(server);
    await createSampleContent(me, 'first');
    const before = await activityOf(me);
    let isDone = false;
    const rebuilding = server.operator('POST', '/rebuild').finally(() => {
      isDone = true;
    });
    while (!isDone) expect(await activityOf(me)).toBe(before);
    bodyOf(await rebuilding, 200);
    expect(await activityOf(me)).toBe(before);
    await createSampleContent(me, 'second');
    await expectSound(server);
    await server.stop();
  });
});
