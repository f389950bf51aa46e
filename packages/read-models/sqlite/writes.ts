import { byResourceKind, type ResourceKind } from '@waymark/domain/streams.ts';
import type { Database } from 'better-sqlite3';
import type { Store } from '../projection/buffer.ts';
import type { Change, Counts, Lookup, PinpointState, ProjectedDocument, Put } from '../projection/change.ts';
import { applicationText } from '../stored-application.ts';
import { sqliteApplication } from './reads.ts';

type Flag = 0 | 1;

const flag = (value: boolean): Flag => (value ? 1 : 0);

const notCounted: Counts = { lists: 0, happenings: 0 };

type StoredRow = [string, number, Flag, Flag, number | null, string | null, string];

/** Creates the writes of one kind. An edit that changes no indexed column updates no index. */
const documentWrites = (db: Database, kind: ResourceKind) => {
  const insert = db.prepare<[number, ...StoredRow, number, number]>(
    `INSERT INTO ${kind} (id, account, revision, shown, present, pinpoint, file, text, lists, happenings) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const write = db.prepare<[number, string | null, string, number, number, number]>(
    `UPDATE ${kind} SET revision = ?, file = ?, text = ?, lists = lists + ?, happenings = happenings + ? WHERE id = ?`,
  );
  const stand = db.prepare<[Flag, Flag, number | null, number]>(`UPDATE ${kind} SET shown = ?, present = ?, pinpoint = ? WHERE id = ?`);
  const move = db.prepare<[number, number]>(`UPDATE ${kind} SET revision = ? WHERE id = ?`);
  const find = db
    .prepare<[number], StoredRow>(`SELECT account, revision, shown, present, pinpoint, file, text FROM ${kind} WHERE id = ?`)
    .raw();
  return {
    put: ({ document, before, counts: { lists, happenings } = notCounted }: Put): void => {
      const { id, account, revision, shown, present, pinpoint, file, text } = document;
      if (!before) {
        insert.run(id, account, revision, flag(shown), flag(present), pinpoint, file, text, lists, happenings);
        return;
      }
      write.run(revision, file, text, lists, happenings, id);
      if (before.shown !== shown || before.present !== present || before.pinpoint !== pinpoint) {
        stand.run(flag(shown), flag(present), pinpoint, id);
      }
    },
    move: (id: number, revision: number): void => {
      move.run(revision, id);
    },
    find: (id: number): ProjectedDocument | undefined => {
      const row = find.get(id);
      if (!row) return undefined;
      const [account, revision, shown, present, pinpoint, file, text] = row;
      return { id, account, revision, shown: shown === 1, present: present === 1, pinpoint, file, text };
    },
  };
};

const memberWrites = (db: Database) => {
  // A repeated member is an error in the event, but it must not stop all events after it.
  const add = db.prepare<[number, number, Flag]>('INSERT OR IGNORE INTO member (pinpoint, list, shown) VALUES (?, ?, ?)');
  const remove = db.prepare<[number, number]>('DELETE FROM member WHERE pinpoint = ? AND list = ?');
  const hideMembers = db.prepare<[number]>('UPDATE member SET shown = 0 WHERE pinpoint = ? AND shown');
  const hideHappenings = db.prepare<[number]>('UPDATE happening SET shown = 0 WHERE pinpoint = ? AND shown');
  const showMembers = db.prepare<[number]>(
    `UPDATE member SET shown = 1 WHERE pinpoint = ? AND NOT shown AND EXISTS (
      SELECT 1 FROM list JOIN pinpoint USING (account) WHERE list.id = member.list AND pinpoint.id = member.pinpoint)`,
  );
  const showHappenings = db.prepare<[number]>(
    `UPDATE happening SET shown = 1 WHERE pinpoint = ? AND NOT shown AND present AND EXISTS (
      SELECT 1 FROM pinpoint WHERE pinpoint.id = happening.pinpoint AND pinpoint.account = happening.account)`,
  );
  const count = db.prepare<[number, number, number]>('UPDATE pinpoint SET lists = lists + ?, happenings = happenings + ? WHERE id = ?');
  const place = db.prepare<[number], [string, Flag]>('SELECT account, present FROM pinpoint WHERE id = ?').raw();
  // This query reads the members of all lists in the range, because it is only made after an erasure.
  const of = db
    .prepare<[number, number, number], number>('SELECT pinpoint FROM member WHERE pinpoint BETWEEN ? AND ? AND list = ?')
    .pluck();
  const has = db.prepare<[number, number], 1>('SELECT 1 FROM member WHERE pinpoint = ? AND list = ?').pluck();
  const show = (pinpoint: number, shown: boolean): void => {
    (shown ? showMembers : hideMembers).run(pinpoint);
    (shown ? showHappenings : hideHappenings).run(pinpoint);
  };
  return { add, remove, of, has, show, count, place };
};

const applicationWrites = (db: Database) => {
  const put = db.prepare<[string, string]>('INSERT OR REPLACE INTO application (id, document) VALUES (?, ?)');
  return { put, find: sqliteApplication(db) };
};

/** Creates the store that writes the changes of the projection, and does its lookups. */
export const sqliteWrites = (db: Database): Store => {
  const documents = byResourceKind((kind) => documentWrites(db, kind));
  const members = memberWrites(db);
  const applications = applicationWrites(db);

  const lookup: Lookup = {
    document: (kind, id) => documents[kind].find(id),
    place: (pinpoint): PinpointState | undefined => {
      const row = members.place.get(pinpoint);
      return row && { account: row[0], present: row[1] === 1 };
    },
    application: applications.find,
    isMember: (list, pinpoint) => members.has.get(pinpoint, list) !== undefined,
    members: ({ list, from, to }) => new Set(members.of.all(from, to, list)),
  };

  const write = (change: Change): void => {
    switch (change.type) {
      case 'put':
        documents[change.kind].put(change);
        return;
      case 'moved':
        documents[change.kind].move(change.id, change.revision);
        return;
      case 'members-added':
        for (const { pinpoint, shown } of change.members) members.add.run(pinpoint, change.list, flag(shown));
        return;
      case 'members-removed':
        for (const pinpoint of change.pinpoints) members.remove.run(pinpoint, change.list);
        return;
      case 'pinpoint-shown':
        members.show(change.pinpoint, change.shown);
        return;
      case 'counted':
        for (const pinpoint of change.pinpoints) members.count.run(change.lists, change.happenings, pinpoint);
        return;
      case 'application-put':
        applications.put.run(change.document.id, applicationText(change.document));
    }
  };
  return { lookup, write };
};
