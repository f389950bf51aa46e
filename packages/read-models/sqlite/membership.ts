import type { Database } from 'better-sqlite3';
import { listsPerPinpointMax, type Membership } from '../read-models.ts';
import { sqliteFind } from './reads.ts';

/** Ids that one membership request may ask for. */
export const membershipIdsMax = 1_000;

/** Memberships that one request may look through, those in deleted lists included. A pinpoint past it counts as full, which also bounds what
 * the deletion of a pinpoint changes; whoever asks for fewer ids at once gets further. */
export const membershipRowsMax = 200_000;

/** One row per shown pinpoint of the account among the ids. */
const pinpointsSql = `
  SELECT pinpoint.id, pinpoint.lists
  FROM json_each(?) AS asked CROSS JOIN pinpoint ON pinpoint.id = asked.value
  WHERE pinpoint.account = ? AND pinpoint.shown`;

const membersSql = `
  SELECT member.pinpoint
  FROM json_each(?) AS asked CROSS JOIN member ON member.pinpoint = asked.value AND member.list = ?`;

const presentListsSql = `
  SELECT count(*) FROM (
    SELECT 1 FROM member CROSS JOIN list ON list.id = member.list
    WHERE member.pinpoint = ? AND list.present LIMIT ${listsPerPinpointMax})`;

export const sqliteMembership = (db: Database): ((list: number, pinpoints: readonly number[]) => Membership) => {
  const find = sqliteFind(db);
  const pinpointsOf = db.prepare<[string, string], [id: number, lists: number]>(pinpointsSql).raw();
  const membersOf = db.prepare<[string, number], number>(membersSql).pluck();
  const presentLists = db.prepare<[number], number>(presentListsSql).pluck();

  const read = (list: number, ids: readonly number[]): Membership => {
    const asked = JSON.stringify(ids);
    const document = find('list', list);
    const rows = document ? pinpointsOf.all(asked, document.account) : [];
    return {
      list: document,
      members: new Set(membersOf.all(asked, list)),
      pinpoints: new Set(rows.map(([id]) => id)),
      full: full(rows),
    };
  };

  /** The counter tells for almost all; only where it says that a pinpoint may be full are the lists that still live counted. */
  const full = (rows: readonly [id: number, lists: number][]): Set<number> => {
    const ids = new Set<number>();
    let looked = 0;
    for (const [id, lists] of rows) {
      if (lists < listsPerPinpointMax) continue;
      looked += lists;
      if (looked > membershipRowsMax || presentLists.get(id) === listsPerPinpointMax) ids.add(id);
    }
    return ids;
  };

  const snapshot = db.transaction(read);
  return (list, ids) => {
    if (ids.length > membershipIdsMax) throw new RangeError(`A membership request asks for at most ${membershipIdsMax} ids.`);
    return snapshot(list, ids);
  };
};
