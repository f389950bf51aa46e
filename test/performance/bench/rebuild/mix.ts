import type { DomainEvent } from '@waymark/domain/event.ts';
import type { ResourceKind } from '@waymark/domain/streams.ts';
import { sampleEvents, sampleFile } from '@waymark/domain/testing/samples.ts';
import { pinpointParts } from '../pinpoint.ts';

export type Mixed = { readonly account: string; readonly kind: ResourceKind; readonly id: number; readonly event: DomainEvent };

const accounts = 50;
/** Half of the changes concern an account's last objects, up to this number. */
const recent = 20;

const { media_credits: mediaCredits, ...sent } = JSON.parse(pinpointParts.join('1777777777777'));
const pinpointFields = { ...sent, mediaCredits, category: null };
const happeningFields = sampleEvents.HappeningCreated.fields;
const listFields = sampleEvents.ListCreated.fields;

/** Returns a function that returns a number from 0 to below a limit. Every run returns the same numbers. */
const pseudoRandom = (): ((below: number) => number) => {
  let state = 1;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
};

/** Returns a function that returns the next event: of a hundred, 45 create pinpoints, 22 edit and 3 delete one, 15 add members to a list and
 * 3 remove one, 2 create lists, 8 create happenings and 2 move one. Every run returns the same events. */
export const createMix = (): (() => Mixed) => {
  const draw = pseudoRandom();
  const counts = { pinpoint: 0, list: 0, happening: 0 };
  const fresh = (kind: keyof typeof counts): number => {
    counts[kind] += 1;
    return counts[kind];
  };
  /** An object that exists, of the account that owns the object `owned`. The object with number n belongs to account n modulo `accounts`. */
  const some = (kind: keyof typeof counts, owned: number): number => {
    const all = Math.floor((counts[kind] - (owned % accounts)) / accounts);
    const back = draw(draw(2) === 0 ? Math.min(recent, all) : all);
    return (all - back) * accounts + (owned % accounts);
  };
  const mixed = (kind: ResourceKind, id: number, event: DomainEvent): Mixed => ({ account: `account-${id % accounts}`, kind, id, event });

  const createPinpoint = (id = fresh('pinpoint')): Mixed => {
    const fields = { ...pinpointFields, name: `Pinpoint ${id}`, media: id % 3 === 0 ? sampleFile : null };
    return mixed('pinpoint', id, { type: 'PinpointCreated', account: `account-${id % accounts}`, pinpoint: id, fields });
  };
  const createList = (list = fresh('list')): Mixed =>
    mixed('list', list, { type: 'ListCreated', account: `account-${list % accounts}`, list, fields: listFields });
  const createHappening = (id = fresh('happening')): Mixed => {
    const fields = { ...happeningFields, pinpoint: some('pinpoint', id) };
    return mixed('happening', id, { type: 'HappeningCreated', account: `account-${id % accounts}`, happening: id, fields });
  };
  const changed = (percent: number): Mixed => {
    const pinpoint = some('pinpoint', draw(accounts));
    const list = some('list', draw(accounts));
    const happening = some('happening', draw(accounts));
    const members = (count: number) => Array.from({ length: count }, () => some('pinpoint', list));
    if (percent < 22) {
      return mixed('pinpoint', pinpoint, {
        type: 'PinpointEdited',
        pinpoint,
        fields: { description: `<p>Edited: ${percent}.</p>`, tags: ['edited'] },
      });
    }
    if (percent < 25) return mixed('pinpoint', pinpoint, { type: 'PinpointDeleted', pinpoint });
    if (percent < 40) {
      const pinpoints = [...new Set(members(1 + draw(5)))];
      return mixed('list', list, { type: 'PinpointsAdded', list, pinpoints, notAdded: [] });
    }
    if (percent < 43) return mixed('list', list, { type: 'PinpointsRemoved', list, pinpoints: members(1) });
    return mixed('happening', happening, { type: 'HappeningEdited', happening, fields: { pinpoint: some('pinpoint', happening) } });
  };
  return () => {
    // The first objects make sure that each account has some of each kind.
    if (counts.pinpoint < 2 * accounts) return createPinpoint();
    if (counts.list < 2 * accounts) return createList();
    if (counts.happening < 2 * accounts) return createHappening();
    const percent = draw(100);
    if (percent < 45) return changed(percent);
    if (percent < 90) return createPinpoint();
    return percent < 92 ? createList() : createHappening();
  };
};
