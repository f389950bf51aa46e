import { rmSync } from 'node:fs';
import { accountsIn } from '@waymark/checkpoints/testing/rewritten.ts';
import { type Tampering, tamperings } from '@waymark/checkpoints/testing/tamperings.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { isHistory } from '@waymark/domain/streams.ts';
import SQLite from 'better-sqlite3';
import fc from 'fast-check';
import { useSignedLog } from '../testing/signed-log.ts';

const tamperingsMax = Number(process.env['WAYMARK_TAMPERINGS'] ?? 36);
/** The runs of each kind: those of `tamperings`, and changed bytes. */
const runs = Math.ceil(tamperingsMax / (Object.keys(tamperings).length + 1));
/** A bound that only catches hangs. */
const msPerRun = 60_000;

const { intact, rows, copyOf, tampered, found } = useSignedLog();

/** Selects an event of the history. The last checkpoint covers all of it. */
const covered = (nth: number): number => {
  const places = rows().flatMap(({ stream }, place) => (isHistory(stream) ? [place] : []));
  return places[nth % places.length] ?? 0;
};

describe('a log that was tampered with at a random place', () => {
  it(
    'is not sound after a changed byte of an envelope, a salt or a content',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.nat(),
          fc.constantFrom('envelope' as const, 'salt' as const, 'content' as const),
          fc.nat(),
          fc.integer({ min: 1, max: 255 }),
          async (nth, column, place, difference) => {
            const { position } = rows()[covered(nth)] as RecordedEvent;
            const file = copyOf(intact);
            const isChanged = changeByte(file, { position, column }, place, difference);
            const { faults, unchecked } = await found(file);
            rmSync(file);
            expect(faults.length + unchecked.length > 0).toBe(isChanged);
          },
        ),
        { numRuns: runs },
      );
    },
    (runs + 1) * msPerRun,
  );

  it.each(Object.entries<Tampering>(tamperings))(
    'is not sound after %s',
    async (_, tamper) => {
      await fc.assert(
        fc.asyncProperty(fc.nat(), fc.nat(), async (one, other) => {
          const changed = tamper(rows(), covered(one), covered(other));
          fc.pre(accountsIn(changed) !== accountsIn(rows()));
          const file = tampered(() => changed);
          const { faults } = await found(file);
          rmSync(file);
          expect(faults).not.toEqual([]);
        }),
        { numRuns: runs },
      );
    },
    (runs + 1) * msPerRun,
  );
});

/** Changes one byte of a stored text, as it is in the file. Returns whether there was one. */
const changeByte = (
  file: string,
  { position, column }: { readonly position: number; readonly column: 'envelope' | 'salt' | 'content' },
  place: number,
  difference: number,
): boolean => {
  const db = new SQLite(file);
  try {
    const text = db.prepare<[number], Buffer | null>(`select cast(${column} as blob) from event where position = ?`).pluck().get(position);
    if (!text) return false;
    text[place % text.length] = (text[place % text.length] ?? 0) ^ difference;
    db.prepare(`update event set ${column} = cast(? as text) where position = ?`).run(text, position);
    return true;
  } finally {
    db.close();
  }
};
