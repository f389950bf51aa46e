import type { Session } from '../../api/session.ts';
import type { IdBook } from './id-book.ts';
import { kinds, type Seen, seenIn, walk } from './things.ts';
import { eventLine, type World } from './world.ts';

const pageOf = 500;

export type Observed = {
  readonly worlds: ReadonlyMap<string, World>;
  /** The ids of objects, by content line. */
  readonly numbers: ReadonlyMap<string, number>;
};

/** Reads all content of an account, every page to its end, and groups it by writer. The keys of a writer begin with its name.
 * @throws if a line occurs twice */
export const observe = async (session: Session, ids: IdBook): Promise<Observed> => {
  const worlds = new Map<string, Record<string, string>>();
  const put = (owner: string, line: string, value: string): void => {
    const world = worlds.get(owner) ?? {};
    if (world[line] !== undefined) throw new Error(`${line} occurs twice.`);
    world[line] = value;
    worlds.set(owner, world);
  };
  const numbers = new Map<string, number>();
  const keys = new Map<string, string>();
  for (const kind of kinds) {
    for (const thing of await walk(session, `/${kind}?limit=${pageOf}`)) {
      const seen = seenIn(kind, thing);
      ids.note(kind, thing.id, seen.key);
      numbers.set(`${kind}/${seen.key}`, thing.id);
      keys.set(`${kind}/${thing.id}`, seen.key);
      const at = kind === 'events' ? (keys.get(`pinpoints/${thing['pinpoint']}`) ?? 'a pinpoint that does not exist') : undefined;
      put(writerOf(seen.key), `${kind}/${seen.key}`, lineValue(seen, at));
    }
  }
  for (const [line, id] of numbers) {
    if (!line.startsWith('lists/')) continue;
    const list = line.slice('lists/'.length);
    for (const thing of await walk(session, `/pinpoints?list=${id}&limit=${pageOf}`)) {
      const { key } = seenIn('pinpoints', thing);
      put(writerOf(key), `members/${list}/${key}`, '');
    }
  }
  return { worlds, numbers };
};

const lineValue = ({ version }: Seen, at: string | undefined): string => (at === undefined ? String(version) : eventLine(version, at));

const writerOf = (key: string): string => key.split('.')[0] ?? '';
