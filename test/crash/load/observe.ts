import type { Session } from '../../api/session.ts';
import { type ExpectedContent, eventLine } from './expected-content.ts';
import type { IdRegistry } from './id-book.ts';
import { identify, kinds, type Seen, walk } from './objects.ts';

const pageOf = 500;

export type Observed = {
  readonly contentByWriter: ReadonlyMap<string, ExpectedContent>;
  /** The ids of objects, by content line. */
  readonly numbers: ReadonlyMap<string, number>;
};

/** Reads all content of an account, every page to its end, and groups it by writer. The keys of a writer begin with its name.
 * @throws if a line occurs twice */
export const observe = async (session: Session, ids: IdRegistry): Promise<Observed> => {
  const contentByWriter = new Map<string, Record<string, string>>();
  const put = (owner: string, line: string, value: string): void => {
    const content = contentByWriter.get(owner) ?? {};
    if (content[line] !== undefined) throw new Error(`${line} occurs twice.`);
    content[line] = value;
    contentByWriter.set(owner, content);
  };
  const numbers = new Map<string, number>();
  const keys = new Map<string, string>();
  for (const kind of kinds) {
    for (const thing of await walk(session, `/${kind}?limit=${pageOf}`)) {
      const seen = identify(kind, thing);
      ids.record(kind, thing.id, seen.key);
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
      const { key } = identify('pinpoints', thing);
      put(writerOf(key), `members/${list}/${key}`, '');
    }
  }
  return { contentByWriter, numbers };
};

const lineValue = ({ version }: Seen, at: string | undefined): string => (at === undefined ? String(version) : eventLine(version, at));

const writerOf = (key: string): string => key.split('.')[0] ?? '';
