import { resourceOfStream, resourceStream } from '@waymark/domain/streams.ts';
import type { Database } from 'better-sqlite3';
import type { Lookup } from '../projection/change.ts';
import type { LastStates } from './last-states.ts';
import { byStream, isOfStream, type StreamParameters } from './rows.ts';
import { isOpenStay } from './schema.ts';

/** Creates the lookups of the projection. */
export const sqliteLookup = (db: Database, { last, values, clockMs }: LastStates): Lookup => {
  const positionAt = db
    .prepare<[...StreamParameters, number], number>(`SELECT position FROM entry WHERE ${isOfStream} AND revision = ?`)
    .pluck();
  const listsOf = db.prepare<[number], number>('SELECT list FROM member WHERE pinpoint = (SELECT ?) ORDER BY list').pluck();
  const member = db.prepare<[number, number], 1>('SELECT 1 FROM member WHERE pinpoint = ? AND list = ?').pluck();
  const membersOf = db
    .prepare<[number, number, number], number>(
      'SELECT pinpoint FROM member WHERE list = (SELECT ?) AND pinpoint BETWEEN ? AND ? ORDER BY pinpoint',
    )
    .pluck();
  const openPlace = db.prepare<[string], string>(`SELECT within FROM interval WHERE item_stream = ? AND ${isOpenStay}`).pluck();

  return {
    last,
    clockMs,
    values,
    lists: (pinpoint) => listsOf.all(pinpoint),
    isMember: (list, pinpoint) => member.get(pinpoint, list) === 1,
    members: (list, from, to) => membersOf.all(list, from, to),
    place: (happening) => resourceOfStream(openPlace.get(resourceStream('happening', happening)) ?? '')?.id,
    positionOf: (stream, revision) => positionAt.get(...byStream(stream), revision),
  };
};
