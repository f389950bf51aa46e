import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentOf } from './content.ts';
import { useGround } from './ground.ts';
import { type AtRest, atRest, expectSound, stateOf } from './installation.ts';
import { logInAgain, sessionOn } from './server.ts';
import { settle } from './settlement.ts';

const fileMs = 300_000;

jest.setTimeout(fileMs);

const ground = useGround();
const lasting = useGround('file');
let here: AtRest;
let elsewhere: AtRest;

beforeAll(async () => {
  here = await atRest(lasting, 'here');
  elsewhere = await atRest(lasting, 'elsewhere');
}, fileMs);

describe('an older copy of the log, put back by hand', () => {
  it('is noticed at the start, each time: it becomes a log of its own, and nothing given out meanwhile comes again', async () => {
    const { session, content } = here;
    const directory = ground.copyOf(here.directory);
    const path = `/pinpoints/${content['pinpoints']?.[0]?.id}`;
    const incarnations = new Set<string>();
    const tags = new Set<unknown>();
    const given: number[] = [];
    for (let time = 1; time <= 2; time += 1) {
      const newer = await ground.start(directory);
      const before = await logInAgain(newer, session);
      given.push((await before.create('/lists', { name: 'newer' })).id);
      tags.add((await before.get(path)).headers.etag);
      incarnations.add((await stateOf(newer)).incarnation);
      await newer.stop();
      cpSync(join(here.directory, 'log.db'), join(directory, 'log.db'));

      const put = await ground.start(directory);
      expect((await sessionOn(put, session.application, before.token).get('/pinpoints')).status).toBe(401);
      const fresh = await logInAgain(put, session);
      expect(await contentOf(fresh)).toEqual(content);
      given.push((await fresh.create('/lists', { name: 'newest' })).id);
      tags.add((await fresh.get(path)).headers.etag);
      incarnations.add((await stateOf(put)).incarnation);
      await expectSound(put);
      await put.stop();
      expect({ given, repeats: given.length - new Set(given).size }).toEqual({ given, repeats: 0 });
      expect([incarnations.size, tags.size]).toEqual([time + 1, time + 1]);
    }
  });
});

describe('a read side that does not fit', () => {
  it.each<readonly [title: string, spoil: (readModels: string) => void]>([
    ['another log is its origin', (at) => replace(at, join(elsewhere.directory, 'read-models'))],
    ['it was deleted', (at) => rmSync(at, { recursive: true })],
    ['its file was deleted', (at) => rmSync(fileIn(at))],
    ['its pointer was deleted', (at) => rmSync(join(at, 'current'))],
    ['its pointer is garbage', (at) => writeFileSync(join(at, 'current'), '../log.db')],
    ['its file is garbage', (at) => writeFileSync(fileIn(at), 'x'.repeat(100_000))],
    ['its file is empty', (at) => truncateSync(fileIn(at))],
    ['its file was cut off', (at) => truncateSync(fileIn(at), 20_000)],
  ])('is made anew from the log where %s', async (_, spoil) => {
    const { session, content } = here;
    const directory = ground.copyOf(here.directory);
    spoil(join(directory, 'read-models'));
    const server = await ground.start(directory);
    const kept = await logInAgain(server, session);
    expect(await contentOf(kept)).toEqual(content);
    await settle(kept, 'later');
    await expectSound(server);
    await server.stop();
    expect(readdirSync(join(directory, 'read-models')).filter((name) => name.endsWith('.db'))).toHaveLength(1);
  });
});

const replace = (directory: string, by: string): void => {
  rmSync(directory, { recursive: true });
  cpSync(by, directory, { recursive: true });
};

const fileIn = (readModels: string): string => join(readModels, readFileSync(join(readModels, 'current'), 'utf8').trim());
