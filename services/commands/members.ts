import type { ListState } from '@waymark/domain/list/state.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import type { Membership } from '@waymark/read-models/read-models.ts';
import { lists } from './aggregates.ts';
import { caughtUp, fromDocument, type Loaded, type Stores, withoutReadSide } from './load.ts';
import { ownerInLog } from './lookups.ts';

/** What a membership request knows of the ids that it asks for. */
export type KnownMembers = Pick<Membership, 'members' | 'pinpoints' | 'full'>;

type LoadedMembers = { readonly loaded: Loaded<ListState>; readonly known: KnownMembers };

/** A list with those of its members that are asked for; without the read side, from the log: slower, and blind to limits. */
export const loadMembers = async (stores: Stores, list: number, ids: readonly number[], fresh: boolean): Promise<LoadedMembers> => {
  const membership = await withoutReadSide(stores.models.membership(list, ids), undefined);
  if (membership === undefined) return fromLog(stores.log, list, ids);
  const told = withMembers(fromDocument(lists, membership.list), membership.members);
  const loaded = fresh ? await caughtUp(stores.log, lists, list, told) : told;
  return { loaded, known: { ...membership, members: membersOf(loaded.state) } };
};

const fromLog = async (log: EventLog, list: number, ids: readonly number[]): Promise<LoadedMembers> => {
  const loaded = await caughtUp(log, lists, list, fromDocument(lists, undefined));
  const account = loaded.state.status === 'present' ? loaded.state.account : undefined;
  const pinpoints = new Set<number>();
  for (const id of ids) {
    if ((await ownerInLog(log, 'pinpoint', id)) === account) pinpoints.add(id);
  }
  return { loaded, known: { members: membersOf(loaded.state), pinpoints, full: new Set() } };
};

const withMembers = (loaded: Loaded<ListState>, members: ReadonlySet<number>): Loaded<ListState> =>
  loaded.state.status === 'present' ? { ...loaded, state: { ...loaded.state, members } } : loaded;

const membersOf = (state: ListState): ReadonlySet<number> => (state.status === 'present' ? state.members : new Set());
