import type { RecordedEvent } from '@waymark/domain/event.ts';
import { type ResourceKind, resourceKinds } from '@waymark/domain/streams.ts';
import type { Store } from '../projection/buffer.ts';
import type { Change, Lookup, Needs, ProjectedDocument } from '../projection/change.ts';
import { lookupsFor } from '../projection/needs.ts';
import { factOf, project } from '../projection/projection.ts';
import type { ApplicationDocument } from '../read-models.ts';

type Counted = { readonly document: ProjectedDocument; readonly lists: number; readonly happenings: number };

/** Creates a store that applies changes in memory, in the simplest possible way. */
export const memoryStore = (): Store & { readonly dump: () => string[] } => {
  const documents = new Map<string, Counted>();
  const members = new Map<string, { pinpoint: number; shown: boolean }>();
  const applications = new Map<string, ApplicationDocument>();
  const key = (kind: ResourceKind, id: number): string => `${kind}-${id}`;

  const change = (kind: ResourceKind, id: number, how: (row: Counted) => Counted): void => {
    const row = documents.get(key(kind, id));
    if (row) documents.set(key(kind, id), how(row));
  };

  const hide = (pinpoint: number): void => {
    for (const member of members.values()) if (member.pinpoint === pinpoint) member.shown = false;
    for (const [name, row] of documents) {
      if (row.document.pinpoint === pinpoint) documents.set(name, { ...row, document: { ...row.document, shown: false } });
    }
  };

  const write = (it: Change): void => {
    switch (it.type) {
      case 'put': {
        const known = documents.get(key(it.kind, it.document.id));
        documents.set(key(it.kind, it.document.id), { lists: 0, happenings: 0, ...known, document: it.document });
        return;
      }
      case 'moved':
        change(it.kind, it.id, (row) => ({ ...row, document: { ...row.document, revision: it.revision } }));
        return;
      case 'members-added':
        for (const member of it.members) members.set(`${member.pinpoint} in ${it.list}`, { ...member });
        return;
      case 'members-removed':
        for (const pinpoint of it.pinpoints) members.delete(`${pinpoint} in ${it.list}`);
        return;
      case 'pinpoint-hidden':
        hide(it.pinpoint);
        return;
      case 'counted':
        for (const id of it.pinpoints) {
          change('pinpoint', id, (row) => ({
            ...row,
            lists: row.lists + it.lists,
            happenings: row.happenings + it.happenings,
          }));
        }
        return;
      case 'application-put':
        applications.set(it.document.id, it.document);
    }
  };

  const lookup: Lookup = {
    document: (kind, id) => documents.get(key(kind, id))?.document,
    place: (id) => documents.get(key('pinpoint', id))?.document,
    application: (id) => applications.get(id),
    members: (list) => new Set([...members].filter(([name]) => name.endsWith(` in ${list}`)).map(([, { pinpoint }]) => pinpoint)),
  };
  const dump = (): string[] => [...documents, ...members, ...applications].map((row) => JSON.stringify(row)).sort();
  return { lookup, write, dump };
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
    members: (list) => {
      check(named.members.includes(list), `members of ${list}`);
      return lookup.members(list);
    },
  };
};
