import type { Answer, Call } from '../api/client.ts';
import { inFlight } from '../api/client.ts';
import type { Session, Thing } from '../api/session.ts';

export const kinds = ['pinpoints', 'lists', 'categories', 'events'] as const;
export type Kind = (typeof kinds)[number];

/** The expected content of an account, according to the responses it received. Requests are sent one at a time. */
export type ExpectedContent = {
  readonly things: Readonly<Record<Kind, Map<number, Thing>>>;
  readonly members: Map<number, Set<number>>;
  /** The path and Idempotency-Key of executed requests. A repeat has no effect. */
  readonly done: Set<string>;
};

export const emptyShadow = (): ExpectedContent => ({
  things: { pinpoints: new Map(), lists: new Map(), categories: new Map(), events: new Map() },
  members: new Map(),
  done: new Set(),
});

const route = /^\/v3\.0\/(pinpoints|lists|categories|events)(?:\/(\d+)(\/pinpoints)?)?\/?(?:\?.*)?$/;

/** Records the change of an acknowledged write. */
export const record = (shadow: ExpectedContent, call: Call, answer: Answer): void => {
  const [, kind, id, membership] = route.exec(call.path) ?? [];
  if (kind === undefined || answer.status >= 300 || isRepeat(shadow, call)) return;
  if (membership !== undefined) noteMembers(shadow, Number(id), call, answer);
  else noteThing(shadow, kind as Kind, Number(id), call, answer);
};

const noteThing = (shadow: ExpectedContent, kind: Kind, id: number, call: Call, answer: Answer): void => {
  const things = shadow.things[kind];
  if (answer.status === 201) things.set((answer.body as Thing).id, answer.body as Thing);
  if (call.method === 'PUT') things.set(id, answer.body as Thing);
  if (call.method === 'DELETE') noteDeleted(shadow, kind, id);
};

const isRepeat = ({ done }: ExpectedContent, { method, path, headers }: Call): boolean => {
  const key = headers?.['Idempotency-Key'];
  if (method !== 'POST' || key === undefined) return false;
  const place = `${path.replace(/\/?(\?.*)?$/, '')} ${String(key)}`;
  if (done.has(place)) return true;
  done.add(place);
  return false;
};

const noteDeleted = ({ things, members }: ExpectedContent, kind: Kind, id: number): void => {
  things[kind].delete(id);
  if (kind === 'lists') members.delete(id);
  if (kind !== 'pinpoints') return;
  for (const event of things.events.values()) if (event['pinpoint'] === id) things.events.delete(event.id);
  for (const ids of members.values()) ids.delete(id);
};

const noteMembers = ({ members }: ExpectedContent, list: number, call: Call, answer: Answer): void => {
  const sent: unknown = JSON.parse(call.body?.toString() ?? '[]');
  const { errors = [] } = (answer.body ?? {}) as { errors?: readonly { id: unknown; code: string }[] };
  const refused = new Set(errors.filter(({ code }) => code !== 'invalid').map(({ id }) => id));
  const ids = (Array.isArray(sent) ? sent : []).map((element: { id?: unknown } | null) => element?.id);
  const held = members.get(list) ?? new Set();
  members.set(list, held);
  for (const id of ids) {
    if (!Number.isSafeInteger(id) || Number(id) < 1 || refused.has(id)) continue;
    if (call.method === 'POST') held.add(Number(id));
    else held.delete(Number(id));
  }
};

const atOnce = 16;
const byId = (one: Thing, other: Thing): number => one.id - other.id;

/** Compares every page of an account with its shadow, and the members of its last `listsMax` lists. */
export const compareAccount = async (me: Session, { things, members }: ExpectedContent, listsMax: number): Promise<void> => {
  for (const kind of kinds) {
    const expected = [...things[kind].values()].sort(byId);
    const found = await everything(me, `/${kind}?limit=500`);
    // The texts are compared first, which is much faster if nothing differs.
    if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found).toEqual(expected);
  }
  await inFlight(atOnce, [...members].slice(-listsMax), async ([list, ids]) => {
    const shown = (await everything(me, `/pinpoints?list=${list}&limit=500`)).map(({ id }) => id);
    expect([list, shown]).toEqual([list, [...ids].sort((one, other) => one - other)]);
  });
};

const thingsMax = 100_000;

const everything = async (me: Session, start: string): Promise<Thing[]> => {
  const found: Thing[] = [];
  for (let url: string | null = start; url !== null; ) {
    const page = await me.page(url);
    found.push(...page.results);
    if (found.length > thingsMax) throw new Error(`the pages from ${start} do not end`);
    url = page.next;
  }
  return found;
};
