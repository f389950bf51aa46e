import type { Change, Fact, Lookup, ProjectedEvent, Put } from './change.ts';
import { categories, created, happenings, lists, pinpoints } from './document.ts';
import { happeningPlaced } from './happening.ts';

/** An event that creates an object of a resource. */
export type Creation = Extract<ProjectedEvent, { type: 'PinpointCreated' | 'ListCreated' | 'CategoryCreated' | 'HappeningCreated' }>;

export const isCreation = (event: ProjectedEvent): event is Creation =>
  event.type === 'PinpointCreated' || event.type === 'ListCreated' || event.type === 'CategoryCreated' || event.type === 'HappeningCreated';

/** Returns the new document, without a lookup: all work that needs one is left to `placed`. */
export const creationOf = (event: Creation, fact: Fact): Put => {
  switch (event.type) {
    case 'PinpointCreated':
      return created(pinpoints, event.pinpoint, event.fields, fact);
    case 'ListCreated':
      return created(lists, event.list, event.fields, fact);
    case 'CategoryCreated':
      return created(categories, event.category, event.fields, fact);
    case 'HappeningCreated':
      return created(happenings, event.happening, event.fields, fact, event.fields.pinpoint);
  }
};

/** Returns all changes of a creation. */
export const placed = (creation: Put, lookup: Lookup): readonly Change[] =>
  creation.document.pinpoint === null ? [creation] : happeningPlaced(creation, creation.document.pinpoint, lookup);
