import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { resourceOfStream, resourceStream } from '@waymark/domain/streams.ts';

/** What the projection of an event looks up. */
export type Needs = {
  /** The streams of objects whose last states are looked up. */
  readonly streams: readonly string[];
  /** The pinpoints whose lists are looked up, each with its last state. */
  readonly pinpoints: readonly number[];
  readonly memberships: readonly { readonly list: number; readonly pinpoint: number }[];
  /** The ranges of ids in which the members of a list are looked up, each with the last state of its pinpoint. */
  readonly ranges: readonly { readonly list: number; readonly from: number; readonly to: number }[];
  readonly happenings: readonly number[];
  /** The fields whose present values are looked up. */
  readonly values: readonly { readonly stream: string; readonly names: readonly string[] }[];
  /** The accounts whose latest time is looked up. */
  readonly accounts: readonly string[];
  readonly events: readonly { readonly stream: string; readonly revision: number }[];
};

/** Returns what `project` will look up for an event, so that everything that a batch needs can be fetched together.
 * @param says the content; undefined if it was erased */
export const lookupsFor = ({ stream, revision, envelope }: RecordedEvent, says: DomainEvent | undefined): Needs => {
  const { resource, id = 0 } = resourceOfStream(stream) ?? {};
  return {
    // Nothing is known of an object before its first event.
    streams: [...(revision > 0 ? [stream] : []), ...otherStreams(says)],
    pinpoints: resource === 'pinpoint' && revision > 0 && says?.type !== 'PinpointEdited' ? [id] : [],
    memberships: membersIn(says),
    ranges: rangesIn(says),
    happenings: resource === 'happening' ? [id] : [],
    values: valuesIn(stream, says),
    accounts: [envelope.account],
    events: says !== undefined && 'restatedFrom' in says ? [{ stream, revision: says.restatedFrom }] : [],
  };
};

const valuesIn = (stream: string, says: DomainEvent | undefined): Needs['values'] => {
  switch (says?.type) {
    case 'SecretAdded':
    case 'SecretDropped':
      return [{ stream, names: ['secrets'] }];
    case 'PinpointEdited':
    case 'PinpointRestored':
      return 'latitude' in says.fields || 'longitude' in says.fields ? [{ stream, names: ['latitude', 'longitude'] }] : [];
    default:
      return [];
  }
};

const otherStreams = (says: DomainEvent | undefined): readonly string[] => {
  switch (says?.type) {
    case 'HappeningCreated':
    case 'HappeningRestored':
      return [resourceStream('pinpoint', says.fields.pinpoint)];
    case 'HappeningEdited':
      return says.fields.pinpoint === undefined ? [] : [resourceStream('pinpoint', says.fields.pinpoint)];
    case 'HappeningRedacted':
      return [resourceStream('pinpoint', says.pinpoint)];
    case 'ErasureOrdered':
    case 'HoldPlaced':
    case 'HoldReleased':
      return [says.object];
    default:
      return membersIn(says).map(({ pinpoint }) => resourceStream('pinpoint', pinpoint));
  }
};

const rangesIn = (says: DomainEvent | undefined): Needs['ranges'] => {
  if (says?.type === 'ListMembersRestated') return [says];
  return says?.type === 'ListRedacted' && 'members' in says ? [{ list: says.list, from: 0, to: Number.MAX_SAFE_INTEGER }] : [];
};

const membersIn = (says: DomainEvent | undefined): Needs['memberships'] => {
  switch (says?.type) {
    case 'PinpointsAdded':
    case 'PinpointsRemoved':
      return says.pinpoints.map((pinpoint) => ({ list: says.list, pinpoint }));
    case 'ListMembersRestated':
      return says.members.map((pinpoint) => ({ list: says.list, pinpoint }));
    case 'ListRedacted':
      return 'members' in says ? says.members.map((pinpoint) => ({ list: says.list, pinpoint })) : [];
    default:
      return [];
  }
};
