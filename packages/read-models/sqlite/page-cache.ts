const kibibyte = 1_024;
const mebibyte = 1_024 * kibibyte;

/** SQLite's shares of the process's memory: for the pages of one connection, for those of a rebuild, and for the changes that a rebuild
 * buffers between two commits, at two bytes per character. */
const shares = {
  connection: { part: 1 / 32, bytesMin: 2 * mebibyte, bytesMax: 16 * mebibyte },
  rebuild: { part: 1 / 16, bytesMin: 4 * mebibyte, bytesMax: 64 * mebibyte },
  held: { part: 1 / 16, bytesMin: 4 * mebibyte, bytesMax: 96 * mebibyte },
} as const;

const bytesOf = (share: keyof typeof shares, memoryBytes: number): number => {
  const { part, bytesMin, bytesMax } = shares[share];
  return Math.min(bytesMax, Math.max(bytesMin, Math.floor(memoryBytes * part)));
};

/** Returns the pragma that limits a connection's page cache in a process that plans with `memoryBytes`. */
export const pageCache = (share: 'connection' | 'rebuild', memoryBytes: number): string =>
  `cache_size = -${Math.floor(bytesOf(share, memoryBytes) / kibibyte)}`;

/** Returns the number of characters of events and documents that a rebuild buffers between two commits. */
export const heldCharacters = (memoryBytes: number): number => bytesOf('held', memoryBytes) / 2;
