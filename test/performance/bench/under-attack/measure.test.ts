import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeResident } from '../../../crash/resident.ts';
import type { AttackName } from './attacks.ts';
import { measure } from './measure.ts';
import { lineOf } from './report.ts';

const testMs = 300_000;
const memoryMb = 512;

describeResident('a measurement under attack', () => {
  it.each<AttackName>(['announced lengths', 'guessed tokens'])(
    'sends small requests without the attack and during it: %s',
    async (name) => {
      const directory = mkdtempSync(join(tmpdir(), 'waymark-under-attack-'));
      try {
        const row = await measure(name, { directory, memoryMb, forMs: 100 });
        for (const { get, create } of [row.alone, row.attacked]) {
          expect(get.map(({ status }) => status)).toContain(200);
          expect(create.map(({ status }) => status)).toContain(201);
        }
        expect(row.residentMb).toBeLessThan(memoryMb);
        expect(lineOf(row, memoryMb)).toMatch(/^\| (announced lengths|guessed tokens) \| \d/);
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    },
    testMs,
  );
});
