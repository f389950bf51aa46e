import type { ResourceKind } from '@waymark/domain/streams.ts';
import type { Fact, Needs } from './change.ts';

/** Returns the documents that `project` will look up, so that those of a whole batch can be fetched together. */
export const lookupsFor = ({ event: says }: Fact): Needs => {
  switch (says?.type) {
    case 'PinpointEdited':
    case 'PinpointDeleted':
    case 'PinpointRedacted':
      return itself('pinpoint', says.pinpoint);
    case 'ListEdited':
    case 'ListDeleted':
      return itself('list', says.list);
    case 'ListRedacted':
      return { ...itself('list', says.list), places: says.members, members: [says.list] };
    case 'PinpointsAdded':
      return { ...nothing, places: says.pinpoints };
    case 'CategoryEdited':
    case 'CategoryRedacted':
      return itself('category', says.category);
    case 'HappeningCreated':
      return { ...nothing, places: [says.fields.pinpoint] };
    case 'HappeningEdited': {
      const { pinpoint } = says.fields;
      return { ...itself('happening', says.happening), places: pinpoint === undefined ? [] : [pinpoint] };
    }
    case 'HappeningRedacted':
      return { ...itself('happening', says.happening), places: [says.pinpoint] };
    case 'HappeningDeleted':
      return itself('happening', says.happening);
    case 'SecretAdded':
    case 'SecretDropped':
    case 'ApplicationSuspended':
    case 'ApplicationResumed':
    case 'ApplicationDeleted':
      return { ...nothing, applications: [says.application] };
    case 'PinpointCreated':
    case 'ListCreated':
    case 'PinpointsRemoved':
    case 'CategoryCreated':
    case 'ApplicationRegistered':
    case 'AccountOpened':
    case undefined:
      return nothing;
  }
};

const nothing: Needs = { documents: [], places: [], applications: [], members: [] };

const itself = (kind: ResourceKind, id: number): Needs => ({ ...nothing, documents: [{ kind, id }] });
