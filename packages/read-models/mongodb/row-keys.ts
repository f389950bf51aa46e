import { resourceKinds } from '@waymark/domain/streams.ts';
import { accountInText } from '../stored-application.ts';
import { timeoutOptions } from './client.ts';
import { type Collections, memberId } from './collections.ts';
import { callMs, idsPerQuestionMax } from './limits.ts';
import { applicationRow, documentRow, memberRow, type Row, type RowKind, rowKinds } from './rows.ts';

/** The key of a row: pinpoint and list of a member, the id of all others. */
export type Key = {
  readonly kind: RowKind;
  readonly id: number | string;
  /** 0 where the row is not a member. */
  readonly list: number;
  /** The account, where the row names it. */
  readonly account: string | undefined;
};

export const keyOf = ([kind, id, second]: Row): Key => {
  if (kind === 'member') return { kind, id: id as number, list: second as number, account: undefined };
  const account = kind === 'application' ? accountInText(second as string) : (second as string);
  return { kind, id: id as number | string, list: 0, account };
};

export const textOf = ({ kind, id, list }: Key): string => (kind === 'member' ? `pinpoint ${id} in list ${list}` : `${kind} ${id}`);

/** Compares keys in the order of the rows; below 0 where the first key comes first. */
export const order = (one: Key, other: Key): number =>
  rowKinds.indexOf(one.kind) - rowKinds.indexOf(other.kind) || ordered(one.id, other.id) || one.list - other.list;

const ordered = (one: number | string, other: number | string): number => (one === other ? 0 : one < other ? -1 : 1);

/** Returns the current rows as JSON text, without those that do not exist. */
export const rowsOfKeys = async (collections: Collections, keys: readonly Key[]): Promise<ReadonlyMap<string, string>> => {
  const found = new Map<string, string>();
  const take = (row: Row): void => void found.set(textOf(keyOf(row)), JSON.stringify(row));
  const of = (kind: RowKind): readonly Key[] => keys.filter((key) => key.kind === kind);
  for (const kind of resourceKinds) {
    for (const row of await documents(collections, kind, of(kind))) take(documentRow(kind, row));
  }
  const members = of('member').map(({ id, list }) => memberId(Number(id), list));
  if (members.length > 0) {
    for (const row of await collections.member.find({ _id: { $in: members } }, timeoutOptions(callMs)).toArray()) take(memberRow(row));
  }
  const applications = of('application').map(({ id }) => String(id));
  if (applications.length > 0) {
    for (const row of await collections.application.find({ _id: { $in: applications } }, timeoutOptions(callMs)).toArray())
      take(applicationRow(row));
  }
  return found;
};

const documents = async (collections: Collections, kind: (typeof resourceKinds)[number], keys: readonly Pick<Key, 'id'>[]) =>
  keys.length === 0 ? [] : collections[kind].find({ _id: { $in: keys.map(({ id }) => Number(id)) } }, timeoutOptions(callMs)).toArray();

/** Returns the account of each row, by the key's text. A member has the account of its pinpoint, where one of the two generations has that
 * pinpoint. */
export const accountsOf = async (
  pair: readonly [Collections, Collections],
  keys: readonly Key[],
): Promise<ReadonlyMap<string, string | undefined>> => {
  const owners = new Map<number, string>();
  const members = keys.filter(({ kind }) => kind === 'member');
  for (let from = 0; from < members.length; from += idsPerQuestionMax) {
    for (const collections of pair) {
      const pinpoints = await documents(collections, 'pinpoint', members.slice(from, from + idsPerQuestionMax));
      for (const { _id, account } of pinpoints) owners.set(_id, account);
    }
  }
  return new Map(keys.map((key) => [textOf(key), key.account ?? owners.get(Number(key.id))]));
};
