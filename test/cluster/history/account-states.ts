import type { Fact, Kind, Read, Seen } from './history.ts';

/** The state that an account shows after a number of its facts, consequences included. */
export type AccountStates = {
  /** The number of facts. */
  readonly last: number;
  /** The objects that a read returns after a number of facts; undefined: 404. */
  readonly shown: (read: Read, facts: number) => readonly Seen[] | undefined;
  /** The state of an object by its own changes alone, even if the pinpoint of an event is deleted. */
  readonly own: (kind: Kind, id: number, facts: number) => Seen | undefined;
  readonly isMember: (list: number, pinpoint: number, facts: number) => boolean;
};

/** A value from a number of facts on. */
type Since<Value> = { readonly facts: number; readonly value: Value };

export const accountStates = (facts: readonly Fact[]): AccountStates => {
  const objects = new Map<string, Since<Seen | undefined>[]>();
  const members = new Map<number, Map<number, Since<boolean>[]>>();
  const put = (kind: Kind, id: number, at: number, value: Seen | undefined): void => {
    const key = `${kind}/${id}`;
    objects.set(key, [...(objects.get(key) ?? []), { facts: at, value }]);
  };
  const putMember = (list: number, pinpoint: number, at: number, value: boolean): void => {
    const ofList = members.get(list) ?? new Map<number, Since<boolean>[]>();
    ofList.set(pinpoint, [...(ofList.get(pinpoint) ?? []), { facts: at, value }]);
    members.set(list, ofList);
  };
  for (const [nth, { change }] of facts.entries()) {
    const at = nth + 1;
    if (change.type === 'added' || change.type === 'removed')
      for (const pinpoint of change.pinpoints) putMember(change.list, pinpoint, at, change.type === 'added');
    else if (change.type === 'deleted') put(change.kind, change.id, at, undefined);
    else {
      const before = change.type === 'edited' ? latest(objects.get(`${change.kind}/${change.id}`), at) : undefined;
      const pinpoint = change.pinpoint ?? before?.pinpoint;
      put(change.kind, change.id, at, {
        id: change.id,
        value: change.value ?? before?.value ?? '',
        ...(pinpoint !== undefined && { pinpoint }),
      });
    }
  }

  const own = (kind: Kind, id: number, at: number): Seen | undefined => latest(objects.get(`${kind}/${id}`), at);
  /** Returns an object as a read shows it. An event is shown while its pinpoint is. */
  const one = (kind: Kind, id: number, at: number): Seen | undefined => {
    const seen = own(kind, id, at);
    return seen?.pinpoint !== undefined && own('pinpoints', seen.pinpoint, at) === undefined ? undefined : seen;
  };
  const isMember = (list: number, pinpoint: number, at: number): boolean => latest(members.get(list)?.get(pinpoint), at) ?? false;
  const ids = new Map<Kind, number[]>();
  for (const key of objects.keys()) {
    const [kind, id] = key.split('/') as [Kind, string];
    ids.set(
      kind,
      [...(ids.get(kind) ?? []), Number(id)].sort((a, b) => a - b),
    );
  }
  const all = (kind: Kind, at: number): Seen[] => (ids.get(kind) ?? []).flatMap((id) => one(kind, id, at) ?? []);
  const page = (kind: Kind, of: number | undefined, at: number): readonly Seen[] => {
    if (of === undefined) return all(kind, at);
    if (kind === 'events') return all(kind, at).filter(({ pinpoint }) => pinpoint === of);
    return own('lists', of, at) === undefined ? [] : all(kind, at).filter(({ id }) => isMember(of, id, at));
  };
  return {
    last: facts.length,
    shown: (read, at) => {
      if (read.type === 'page') return page(read.kind, read.of, at);
      const seen = one(read.kind, read.id, at);
      return seen && [seen];
    },
    own,
    isMember,
  };
};

const latest = <Value>(since: readonly Since<Value>[] | undefined, facts: number): Value | undefined =>
  since?.findLast((one) => one.facts <= facts)?.value;
