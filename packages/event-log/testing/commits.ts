import { readFileSync } from 'node:fs';

const headerBytes = 32;
const frameHeaderBytes = 24;

/** Counts the commits in a write-ahead log that was not restarted. A frame that ends a transaction holds the file's size in pages, other
 * frames hold 0. */
export const commitsIn = (file: string): number => {
  const wal = readFileSync(`${file}-wal`);
  const frameBytes = frameHeaderBytes + wal.readUInt32BE(8);
  let commits = 0;
  for (let at = headerBytes; at < wal.length; at += frameBytes) if (wal.readUInt32BE(at + 4) !== 0) commits += 1;
  return commits;
};
