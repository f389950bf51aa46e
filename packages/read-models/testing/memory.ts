import type { RecordedEvent } from '@waymark/domain/event.ts';
import { type ResourceKind, resourceKinds } from '@waymark/domain/streams.ts';
import type { Store } from '../projection/buffer.ts';
import type { Change, Counts, Lookup, Needs, ProjectedDocument } from '../projection/change.ts';
import { lookupsFor } from '../projection/needs.ts';
import { factOf, project } from '../projection/projection.ts';
import type { ApplicationDocument } from '../read-models.ts';

type Counted = { readonly document: ProjectedDocument; readonly lists: number; readonly happenings: number };

type Member = { readonly list: number; readonly pinpoint: number; shown: boolean };

const key = (kind: ResourceKind, id: number): string => `${kind}-${id}`;

/** Creates a store that applies changes in memory, in the simplest possible way. */
export const memoryStore = (): Store & { readonly dump: () => string[] } => {
  const documents = new Map<string, Counted>();
  const members = new Map<string, Member>();
  const applications = new Map<string, ApplicationDocument>();

  const change = (kind: ResourceKind, id: number, how: (row: Counted) => Counted): void => {
    const row = documents.get(key(kind, id));
    if (row) documents.set(key(kind, id), how(row));
  };

  const count = (pinpoint: number, { lists, happenings }: Counts): void =>
    change('pinpoint', pinpoint, (row) => ({ ...row, lists: row.lists + lists, happenings: row.happenings + happenings }));

  const write = (it: Change): void => {
    switch (it.type) {
      case 'put': {
        const known = documents.get(key(it.kind, it.document.id));
        documents.set(key(it.kind, it.document.id), { lists: 0, happenings: 0, ...known, document: it.document });
        if (it.counts) count(it.document.id, it.counts);
        return;
      }
      case 'moved':
        change(it.kind, it.id, (row) => ({ ...row, document: { ...row.document, revision: it.revision } }));
        return;
      case 'members-added':
        for (const member of it.members) members.set(`${member.pinpoint} in ${it.list}`, { ...member, list: it.list });
        return;
      case 'members-removed':
        for (const pinpoint of it.pinpoints) members.delete(`${pinpoint} in ${it.list}`);
        return;
      case 'pinpoint-shown':
        show({ documents, members }, it.pinpoint, it.shown);
        return;
      case 'counted':
        for (const id of it.pinpoints) count(id, it);
        return;
      case 'application-put':
        applications.set(it.document.id, it.document);
    }
  };

  const lookup: Lookup = {
    document: (kind, id) => documents.get(key(kind, id))?.document,
    place: (id) => documents.get(key('pinpoint', id))?.document,
    application: (id) => applications.get(id),
    isMember: (list, pinpoint) => members.has(`${pinpoint} in ${list}`),
    members: ({ list, from, to }) =>
      new Set(
        [...members.values()]
          .filter((member) => member.list === list && member.pinpoint >= from && member.pinpoint <= to)
          .map(({ pinpoint }) => pinpoint),
      ),
  };
  const dump = (): string[] => [...documents, ...members, ...applications].map((row) => JSON.stringify(row)).sort();
  return { lookup, write, dump };
};

type Rows = { readonly documents: Map<string, Counted>; readonly members: ReadonlyMap<string, Member> };

/** Hides or shows the memberships and happenings of a pinpoint. Only those of its account are shown. */
const show = ({ documents, members }: Rows, pinpoint: number, shown: boolean): void => {
  const accountOf = (kind: ResourceKind, id: number): string | undefined => documents.get(key(kind, id))?.document.account;
  const account = accountOf('pinpoint', pinpoint);
  for (const member of members.values()) {
    if (member.pinpoint === pinpoint) member.shown = shown && accountOf('list', member.list) === account;
  }
  for (const [name, row] of documents) {
    const { document } = row;
    if (document.pinpoint !== pinpoint) continue;
    documents.set(name, { ...row, document: { ...document, shown: shown && document.present && document.account === account } });
  }
};

/** Projects an event on a store, and checks that `lookupsFor` named everything that is looked up. */
export const projectOn = (store: Store, event: RecordedEvent): void => {
  const fact = factOf(event);
  if (!fact) return;
  for (const change of project(fact, onlyNamed(store.lookup, lookupsFor(fact)))) store.write(change);
};

const onlyNamed = (lookup: Lookup, named: Needs): Lookup => {
  const check = (known: boolean, what: string): void => {
    if (!known) throw new Error(`${what} was looked up, but not named as needed.`);
  };
  return {
    document: (kind, id) => {
      check(resourceKinds.includes(kind) && named.documents.some((one) => one.kind === kind && one.id === id), `${kind} ${id}`);
      return lookup.document(kind, id);
    },
    place: (id) => {
      check(named.places.includes(id), `place ${id}`);
      return lookup.place(id);
    },
    application: (id) => {
      check(named.applications.includes(id), `application ${id}`);
      return lookup.application(id);
    },
    isMember: (list, pinpoint) => {
      check(
        named.memberships.some((one) => one.list === list && one.pinpoints.includes(pinpoint)),
        `membership of ${pinpoint} in ${list}`,
      );
      return lookup.isMember(list, pinpoint);
    },
    members: (range) => {
      const { list, from, to } = range;
      check(
        named.members.some((one) => one.list === list && one.from === from && one.to === to),
        `members of ${list}`,
      );
      return lookup.members(range);
    },
  };
};
