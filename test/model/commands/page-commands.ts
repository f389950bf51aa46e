import fc from 'fast-check';
import type { Answer } from '../../api/client.ts';
import type { Page } from '../../api/session.ts';
import { publicUrl } from '../server.ts';
import { expectResponse, type Request, refusal, send } from './expectation.ts';
import { type Kind, kinds } from './kinds.ts';
import { anybody, type Name, type Person } from './people.ts';
import { type Choice, choiceOf, idOf } from './plans.ts';
import { commandOf, type ModelCommand } from './real.ts';
import { type Bookmark, type Model, shownTo, type Thing, textOf } from './state.ts';

type Slice = { readonly things: readonly Thing[]; readonly before: boolean; readonly after: boolean };

/** Returns the page that a pointer refers to, in the present state of the model. */
const sliceAt = (model: Model, { account, kind, within, direction, from, limit }: Omit<Bookmark, 'url'>): Slice => {
  const all = shownTo(model, account, kind, within);
  if (direction === 'next') {
    const rest = all.filter(({ id }) => id > from);
    return { things: rest.slice(0, limit), before: rest.length < all.length, after: rest.length > limit };
  }
  const rest = all.filter(({ id }) => id < from);
  return { things: rest.slice(-limit), before: rest.length > limit, after: rest.length < all.length };
};

/** Compares a page with the model, and records its pointers. */
const holdPage = (model: Model, request: Request, answer: Answer, at: Omit<Bookmark, 'url'>): Page => {
  const { things, before, after } = sliceAt(model, at);
  const pointer = (exists: boolean): unknown => (exists ? expect.stringMatching(`^${publicUrl}/v3.0/${at.kind}[?]`) : null);
  const results = things.map((thing) => JSON.parse(textOf(thing)));
  expectResponse(request, answer, { status: 200, body: { results, next: pointer(after), previous: pointer(before) } });
  const expected = `{"results":[${things.map(textOf).join(',')}],"next":`;
  expect(answer.text.slice(0, expected.length)).toBe(expected);
  const page = answer.body as Page;
  const last = things.at(-1)?.id ?? (at.direction === 'next' ? at.from : at.from - 1);
  const first = things[0]?.id ?? (at.direction === 'next' ? at.from + 1 : at.from);
  if (page.next) model.bookmarks.push({ ...at, url: page.next, direction: 'next', from: last });
  if (page.previous) model.bookmarks.push({ ...at, url: page.previous, direction: 'previous', from: first });
  model.bookmarks.splice(0, model.bookmarks.length - bookmarksMax);
  return page;
};

const bookmarksMax = 50;

type WalkPlan = { readonly who: Name; readonly kind: Kind; readonly within: Choice | undefined; readonly limit: number | undefined };

const filters: Readonly<Record<Kind, string>> = { pinpoints: 'list', events: 'pinpoint', lists: '', categories: '' };

const walk = commandOf('walk', async (model, real, plan: WalkPlan) => {
  const person = real.people[plan.who];
  const within = plan.within === undefined ? undefined : idOf(model, person.account, plan.within);
  const query = new URLSearchParams();
  if (within !== undefined) query.set(filters[plan.kind], String(within));
  if (plan.limit !== undefined) query.set('limit', String(plan.limit));
  const path = `/${plan.kind}${query.size > 0 ? `?${query}` : ''}`;
  const limit = Math.max(1, plan.limit ?? 20);
  await walkFrom(model, person, path, { account: person.account, kind: plan.kind, within, direction: 'next', from: 0, limit });
});

/** Reads every page from one on. */
export const walkFrom = async (model: Model, person: Person, start: string, from: Omit<Bookmark, 'url'>): Promise<void> => {
  let path: string | null = start;
  let at = from;
  while (path !== null) {
    const request: Request = { person, method: 'GET', path };
    const answer = await send(request);
    const refused = refusal(person, 'read');
    if (refused) return expectResponse(request, answer, refused);
    const { next } = holdPage(model, request, answer, at);
    at = { ...at, from: sliceAt(model, at).things.at(-1)?.id ?? at.from };
    path = next;
  }
};

type FollowPlan = { readonly nth: number; readonly who: Name | undefined };

/** Follows a pointer that an earlier page contained. For another account the pointer is invalid. */
const follow = commandOf('follow', async (model, real, { nth, who }: FollowPlan) => {
  const bookmark = model.bookmarks[nth % Math.max(1, model.bookmarks.length)];
  if (bookmark === undefined) return;
  const owner = bookmark.account === 'a' ? real.people.ann : real.people.bob;
  const person = who === undefined ? owner : real.people[who];
  const request: Request = { person, method: 'GET', path: bookmark.url };
  const answer = await send(request);
  const refused = refusal(person, 'read');
  if (refused) return expectResponse(request, answer, refused);
  if (person.account !== bookmark.account) return expectResponse(request, answer, { status: 404, body: { detail: 'Invalid page.' } });
  holdPage(model, request, answer, bookmark);
});

const walkPlan = (kind: Kind): fc.Arbitrary<WalkPlan> => {
  const of = kind === 'pinpoints' ? 'lists' : 'pinpoints';
  const isFiltered = filters[kind] !== '';
  return fc.record({
    who: anybody,
    kind: fc.constant(kind),
    within: isFiltered ? fc.option(choiceOf(of), { nil: undefined }) : fc.constant(undefined),
    limit: fc.option(fc.integer({ min: 0, max: 12 }), { nil: undefined }),
  });
};

export const pageCommands: Readonly<Record<'walk' | 'follow', fc.Arbitrary<ModelCommand>>> = {
  walk: fc
    .constantFrom(...kinds)
    .chain(walkPlan)
    .map(walk),
  follow: fc
    .record({ nth: fc.nat(1_000), who: fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: anybody }) })
    .map(follow),
};
