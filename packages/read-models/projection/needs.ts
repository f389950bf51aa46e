import type { ResourceKind } from '@waymark/domain/streams.ts';
import type { Fact, Needs } from './change.ts';
import { restoredByErased } from './erased.ts';
import { allMembers } from './membership.ts';

/** Returns the documents that `project` will look up, so that those of a whole batch can be fetched together. It is long because it lists every
 * type of event. */
export const lookupsFor = (fact: Fact): Needs => {
  const { event: says } = fact;
  switch (says?.type) {
    case 'PinpointEdited':
    case 'PinpointDeleted':
    case 'PinpointRestored':
    case 'PinpointRedacted':
      return itself('pinpoint', says.pinpoint);
    case 'ListEdited':
    case 'ListDeleted':
    case 'ListRestored':
      return itself('list', says.list);
    case 'ListRedacted':
      return 'members' in says
        ? { ...itself('list', says.list), places: says.members, members: [allMembers(says.list)] }
        : itself('list', says.list);
    case 'ListMembersRestated':
      return { ...nothing, places: says.members, members: [says] };
    case 'PinpointsAdded':
      return { ...nothing, places: says.pinpoints, memberships: [{ list: says.list, pinpoints: says.pinpoints }] };
    case 'PinpointsRemoved':
      return { ...nothing, memberships: [{ list: says.list, pinpoints: says.pinpoints }] };
    case 'CategoryEdited':
    case 'CategoryRedacted':
      return itself('category', says.category);
    case 'HappeningCreated':
      return { ...nothing, places: [says.fields.pinpoint] };
    case 'HappeningEdited': {
      const { pinpoint } = says.fields;
      return { ...itself('happening', says.happening), places: pinpoint === undefined ? [] : [pinpoint] };
    }
    case 'HappeningRestored':
      return { ...itself('happening', says.happening), places: [says.fields.pinpoint] };
    case 'HappeningRedacted':
      return { ...itself('happening', says.happening), places: [says.pinpoint] };
    case 'HappeningDeleted':
      return itself('happening', says.happening);
    case 'SecretAdded':
    case 'SecretDropped':
    case 'ApplicationSuspended':
    case 'ApplicationResumed':
    case 'ApplicationDeleted':
    case 'ApplicationScopesChanged':
    case 'ApplicationRedacted':
      return { ...nothing, applications: [says.application] };
    case 'PinpointCreated':
    case 'ListCreated':
    case 'CategoryCreated':
    case 'ApplicationRegistered':
    case 'AccountOpened':
      return nothing;
    case undefined: {
      const object = restoredByErased(fact);
      return object ? itself(object.kind, object.id) : nothing;
    }
  }
};

const nothing: Needs = { documents: [], places: [], applications: [], members: [], memberships: [] };

const itself = (kind: ResourceKind, id: number): Needs => ({ ...nothing, documents: [{ kind, id }] });
