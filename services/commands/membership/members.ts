import type { ListState } from '@waymark/domain/list/state.ts';
import { resourceStream } from '@waymark/domain/streams.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import type { Membership } from '@waymark/read-models/read-models.ts';
import { lists } from '../execution/aggregates.ts';
import { catchUp, fromDocument, type LoadedState, type Stores, unlessUnavailable } from '../execution/load.ts';
import { ownerInLog } from '../execution/lookups.ts';

/** The known data of the ids in a membership request. */
export type KnownMembers = Pick<Membership, 'members' | 'pinpoints' | 'full'>;

type LoadedMembers = { readonly loaded: LoadedState<ListState>; readonly known: KnownMembers };

/** Loads a list with its members among the requested ids. Without the read models, it reads the log, which is slower and does not know
 * limits. */
export const loadMembers = async (stores: Stores, list: number, ids: readonly number[], fresh: boolean): Promise<LoadedMembers> => {
  const membership = await unlessUnavailable(stores.models.membership(list, ids), undefined);
  // If the read models do not have the list yet, they return no pinpoints either.
  if (membership?.list === undefined) return fromLog(stores.log, list, ids);
  const { account } = membership.list;
  const told = withMembers(fromDocument(lists, membership.list), membership.members);
  const loaded = fresh ? await catchUp(stores.log, lists, list, told) : told;
  const unknown = ids.filter((id) => !membership.pinpoints.has(id));
  const pinpoints = new Set([...membership.pinpoints, ...(await ownedInLog(stores.log, account, unknown))]);
  return { loaded, known: { ...membership, pinpoints, members: membersOf(loaded.state) } };
};

const fromLog = async (log: EventLog, list: number, ids: readonly number[]): Promise<LoadedMembers> => {
  const loaded = await catchUp(log, lists, list, fromDocument(lists, undefined));
  const pinpoints = loaded.state.status === 'present' ? await ownedInLog(log, loaded.state.account, ids) : [];
  return { loaded, known: { members: membersOf(loaded.state), pinpoints: new Set(pinpoints), full: new Set() } };
};

/** Returns the ids of existing pinpoints of the account, including acknowledged ones that the read models do not show yet. */
const ownedInLog = async (log: EventLog, account: string, ids: readonly number[]): Promise<readonly number[]> => {
  const owned: number[] = [];
  const last = ids.length === 0 ? [] : await log.lastRevisions(ids.map((id) => resourceStream('pinpoint', id)));
  for (const [nth, id] of ids.entries()) {
    if (last[nth] !== 'none' && (await ownerInLog(log, 'pinpoint', id)) === account) owned.push(id);
  }
  return owned;
};

const withMembers = (loaded: LoadedState<ListState>, members: ReadonlySet<number>): LoadedState<ListState> =>
  loaded.state.status === 'present' ? { ...loaded, state: { ...loaded.state, members } } : loaded;

const membersOf = (state: ListState): ReadonlySet<number> => (state.status === 'present' ? state.members : new Set());
