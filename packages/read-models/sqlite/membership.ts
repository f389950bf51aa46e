import type { Database } from 'better-sqlite3';
import { listsPerPinpointMax, type Membership } from '../read-models.ts';
import { sqliteFind } from './reads.ts';

/** The maximum number of ids in one membership request. */
export const membershipIdsMax = 1_000;

/** The maximum number of memberships that one request examines, including those in deleted lists. A pinpoint beyond it counts as full,
 * which also limits the changes of a pinpoint's deletion. With fewer ids, a request examines more of each. */
export const membershipRowsMax = 200_000;

// `(SELECT ?)`: with plain parameters, SQLite plans these statements again each time they run.

/** Returns one row for each id that is a shown pinpoint of the account. */
const pinpointsSql = `
  SELECT pinpoint.id, pinpoint.lists
  FROM json_each((SELECT ?)) AS asked CROSS JOIN pinpoint ON pinpoint.id = asked.value
  WHERE pinpoint.account = (SELECT ?) AND pinpoint.shown`;

const membersSql = `
  SELECT member.pinpoint
  FROM json_each((SELECT ?)) AS asked CROSS JOIN member ON member.pinpoint = asked.value AND member.list = (SELECT ?)`;

const presentListsSql = `
  SELECT count(*) FROM (
    SELECT 1 FROM member CROSS JOIN list ON list.id = member.list
    WHERE member.pinpoint = (SELECT ?) AND list.present LIMIT ${listsPerPinpointMax})`;

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

  /** Returns the full pinpoints. For almost all, the counter decides. Only where it shows that a pinpoint may be full are its present lists
   * counted. */
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
    if (ids.length > membershipIdsMax) throw new RangeError(`A membership request may contain at most ${membershipIdsMax} ids.`);
    return snapshot(list, ids);
  };
};
