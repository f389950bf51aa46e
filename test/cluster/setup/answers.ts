import type { Answer } from '../../api/client.ts';
import type { Session } from '../../api/session.ts';
import { until } from './until.ts';

/** A response of an API without anything that belongs to one installation. Cursors and entity tags name their log, so only the part about
 * the objects is kept. */
type ComparableResponse = { readonly status: number; readonly text: string; readonly revision: string | undefined };

const comparable = ({ status, text, headers }: Answer): ComparableResponse => ({
  status,
  text: text.replaceAll(/cursor=[^"&]+/g, 'cursor='),
  revision: headers.etag?.split('-')[0],
});

const kinds = ['pinpoints', 'lists', 'categories', 'events'] as const;
const pageItems = 100;
/** The number of objects at each end of a collection that are read one by one. */
const askedMax = 150;
/** This bound only detects a hang. */
const withinMs = 300_000;

/** Reads everything that an account can read: each page of each collection and each list, the events at some pinpoints, and some single
 * objects, deleted ones included.
 * @param deleted the paths of deleted objects */
export const everyAnswer = async (
  session: Session,
  deleted: readonly string[] = [],
): Promise<Readonly<Record<string, ComparableResponse>>> => {
  const answers: Record<string, ComparableResponse> = {};
  const ask = async (name: string, path = name): Promise<string> => {
    let text = '';
    // On a busy machine, a cluster may answer 503.
    await until(`${path} is answered`, withinMs, async () => {
      const answer = await session.get(path);
      answers[name] = comparable(answer);
      text = answer.text;
      return answer.status !== 503;
    });
    return text;
  };
  const walk = async (path: string): Promise<readonly number[]> => {
    const ids: number[] = [];
    for (let [next, nth]: [string | null, number] = [path, 0]; next !== null; nth += 1) {
      const text = await ask(`${path} ${nth}`, next);
      const page: { results?: { id: number }[]; next: string | null } = JSON.parse(text);
      if (page.results === undefined) throw new Error(`${next} was answered ${text}`);
      ids.push(...page.results.map(({ id }) => id));
      next = page.next;
    }
    return ids;
  };
  for (const kind of kinds) {
    const ids = await walk(`/${kind}?limit=${pageItems}`);
    for (const id of [...ids.slice(0, askedMax), ...ids.slice(-askedMax)]) await ask(`/${kind}/${id}`);
    if (kind === 'lists') for (const id of ids) await walk(`/pinpoints?limit=${pageItems}&list=${id}`);
    if (kind === 'pinpoints') for (const id of ids.slice(0, askedMax)) await walk(`/events?limit=${pageItems}&pinpoint=${id}`);
  }
  for (const path of deleted) await ask(path);
  return answers;
};

/** Returns the paths of all files that responses name. */
export const filesIn = (answers: Readonly<Record<string, ComparableResponse>>, base: string): readonly string[] => [
  ...new Set(
    Object.values(answers).flatMap(({ text }) =>
      [...text.matchAll(/"(https?:[^"]+\.(?:png|jpg|gif|webp|avif))"/g)].map(([, url = '']) => url.slice(base.length)),
    ),
  ),
];
