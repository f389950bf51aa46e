import { createHash } from 'node:crypto';

/** Returns the id of an event that a job appends: a UUID of version 8. So the event is appended once, however often it is tried.
 * @param undoes the revision of the event of a list whose members it takes back; null for the event that changes fields or presence */
export const undoEventId = (undo: string, stream: string, undoes: number | null): string => {
  const bytes = createHash('sha256')
    .update(`${undo}\0${stream}\0${undoes ?? ''}`)
    .digest();
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};
