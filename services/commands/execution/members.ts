import type { AggregateTypes } from '@waymark/domain/decider.ts';
import { resourceStream } from '@waymark/domain/streams.ts';
import { type EventLog, nextRevision, type Revision } from '@waymark/event-log/event-log.ts';
import type { Membership } from '@waymark/read-models/read-models.ts';
import type { Aggregate } from './aggregates.ts';
import { catchUp, fromDocument, type LoadedState, type Stores, startOf, unlessUnavailable } from './load.ts';
import { ownerInLog } from './lookups.ts';

/** What is known of the pinpoints in membership requests: which exist in the account, and which are in as many lists as they may be. */
export type KnownPinpoints = Pick<Membership, 'pinpoints' | 'full'>;

export const noPinpoints: KnownPinpoints = { pinpoints: new Set(), full: new Set() };

type LoadedMembers<State> = { readonly loaded: LoadedState<State>; readonly known: KnownPinpoints };

/** Loads a list with its members among the named ids. Without the read models, it reads the log, which is slower and does not know limits.
 * @param least the revision that the state must have at least, or `all` for every event of the log */
export const loadWithMembers = async <Of extends AggregateTypes>(
  stores: Stores,
  aggregate: Aggregate<Of>,
  list: number,
  ids: readonly number[],
  least: Revision | 'all',
): Promise<LoadedMembers<Of['state']>> => {
  const membership = await unlessUnavailable(stores.models.membership(list, ids), undefined);
  // If the read models do not have the list yet, they return no pinpoints either.
  if (membership?.list === undefined) return fromLog(stores.log, aggregate, list, ids);
  const found = fromDocument(aggregate, membership.list, membership.members);
  const isBehind = least === 'all' || nextRevision(found.revision) < nextRevision(least);
  const loaded = isBehind ? await catchUp(stores.log, aggregate, list, found) : found;
  const unknown = ids.filter((id) => !membership.pinpoints.has(id));
  const more = await ownedInLog(stores.log, membership.list.account, unknown);
  return { loaded, known: { pinpoints: new Set([...membership.pinpoints, ...more]), full: membership.full } };
};

const fromLog = async <Of extends AggregateTypes>(
  log: EventLog,
  aggregate: Aggregate<Of>,
  list: number,
  ids: readonly number[],
): Promise<LoadedMembers<Of['state']>> => {
  const loaded = await catchUp(log, aggregate, list, startOf(aggregate));
  const account = await ownerInLog(log, aggregate.kind, list);
  const pinpoints = account === undefined ? [] : await ownedInLog(log, account, ids);
  return { loaded, known: { pinpoints: new Set(pinpoints), full: new Set() } };
};

/** Returns the ids of existing pinpoints of the account, including acknowledged ones that the read models do not show yet. All owners are queried
 * together, and the streams of the account alone are read, one after the other. */
const ownedInLog = async (log: EventLog, account: string, ids: readonly number[]): Promise<readonly number[]> => {
  const owned: number[] = [];
  const owners = ids.length === 0 ? [] : await log.owners(ids.map((id) => resourceStream('pinpoint', id)));
  for (const [nth, id] of ids.entries()) {
    if (owners[nth] === account && (await ownerInLog(log, 'pinpoint', id)) === account) owned.push(id);
  }
  return owned;
};
