import { byResourceKind, type ResourceKind, resourceKinds } from '@waymark/domain/streams.ts';
import type { ApplicationDocument } from '../read-models.ts';
import type { Change, Counts, Lookup, PinpointState, ProjectedDocument } from './change.ts';

/** A store that looks up documents and accepts changes. */
export type Store = { readonly lookup: Lookup; readonly write: (change: Change) => void };

/** Buffers the changes of a batch, so that a document with many events is looked up once and written once. Before `flush` the store
 * receives only the changes of members. */
export const createChangeBuffer = (store: Store): Store & { readonly flush: () => void } => {
  const documents = byResourceKind((kind) => heldDocuments(store, kind));
  const place = heldPlaces(store, documents.pinpoint.held);
  const counts = heldCounts(store);
  const shown = new Map<number, boolean>();
  const applications = new Map<string, ApplicationDocument>();

  const write = (change: Change): void => {
    switch (change.type) {
      case 'put':
        documents[change.kind].put(change.document, change.before);
        // A change has no effect on the counters of a pinpoint that does not exist yet.
        if (change.kind === 'pinpoint' && !change.before) counts.forget(change.document.id);
        return;
      case 'moved':
        documents[change.kind].move(change.id, change.revision);
        return;
      case 'members-added':
      case 'members-removed':
        store.write(change);
        return;
      case 'pinpoint-shown':
        shown.set(change.pinpoint, change.shown);
        return;
      case 'counted':
        for (const pinpoint of change.pinpoints) counts.add(pinpoint, change.lists, change.happenings);
        return;
      case 'application-put':
        applications.set(change.document.id, change.document);
    }
  };

  const flush = (): void => {
    for (const kind of resourceKinds) documents[kind].flush(kind === 'pinpoint' ? counts.take : uncounted);
    counts.flush();
    // Written after the documents, whatever else the batch changes before or after: the last change of a pinpoint decides.
    for (const [pinpoint, isShown] of shown) store.write({ type: 'pinpoint-shown', pinpoint, shown: isShown });
    for (const document of applications.values()) store.write({ type: 'application-put', document });
    place.forget();
    shown.clear();
    applications.clear();
  };

  const lookup: Lookup = {
    document: (kind, id) => documents[kind].find(id),
    place: place.find,
    application: (id) => applications.get(id) ?? store.lookup.application(id),
    members: store.lookup.members,
    isMember: store.lookup.isMember,
  };
  return { lookup, write, flush };
};

const uncounted = (): undefined => undefined;

type Held = { document: ProjectedDocument; readonly before: ProjectedDocument | undefined };

const heldDocuments = (store: Store, kind: ResourceKind) => {
  const held = new Map<number, Held>();
  /** Revisions of documents that were not looked up. */
  const moved = new Map<number, number>();
  return {
    held,
    find: (id: number): ProjectedDocument | undefined => {
      const known = held.get(id);
      if (known) return known.document;
      const document = store.lookup.document(kind, id);
      if (document) held.set(id, { document, before: document });
      return document;
    },
    put: (document: ProjectedDocument, before: ProjectedDocument | undefined): void => {
      const known = held.get(document.id);
      if (known) known.document = document;
      else held.set(document.id, { document, before });
    },
    move: (id: number, revision: number): void => {
      const known = held.get(id);
      if (known) known.document = { ...known.document, revision };
      else moved.set(id, revision);
    },
    flush: (countsOf: (id: number) => Counts | undefined): void => {
      // Written first: a document that was looked up later has a later revision.
      for (const [id, revision] of moved) store.write({ type: 'moved', kind, id, revision });
      for (const { document, before } of held.values()) {
        if (document !== before) store.write({ type: 'put', kind, document, before, counts: countsOf(document.id) });
      }
      moved.clear();
      held.clear();
    },
  };
};

const heldPlaces = (store: Store, pinpoints: ReadonlyMap<number, Held>) => {
  const places = new Map<number, PinpointState | undefined>();
  return {
    find: (id: number): PinpointState | undefined => {
      const known = pinpoints.get(id);
      if (known) return known.document;
      if (!places.has(id)) places.set(id, store.lookup.place(id));
      return places.get(id);
    },
    forget: (): void => places.clear(),
  };
};

const heldCounts = (store: Store) => {
  const counts = new Map<number, Counts>();
  return {
    add: (pinpoint: number, lists: number, happenings: number): void => {
      const known = counts.get(pinpoint);
      counts.set(pinpoint, {
        lists: (known?.lists ?? 0) + lists,
        happenings: (known?.happenings ?? 0) + happenings,
      });
    },
    forget: (pinpoint: number): void => void counts.delete(pinpoint),
    /** Returns the counts of a pinpoint that is written, and forgets them. */
    take: (pinpoint: number): Counts | undefined => {
      const taken = counts.get(pinpoint);
      counts.delete(pinpoint);
      return taken;
    },
    flush: (): void => {
      for (const [pinpoint, count] of counts) store.write({ type: 'counted', pinpoints: [pinpoint], ...count });
      counts.clear();
    },
  };
};
