import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExportVerification } from '@waymark/proof/export/verify.ts';
import { patienceMs, useDesk } from './waymark.ts';

const published = join(import.meta.dirname, '../../docs/internals/proofs');
const file = join(published, 'account.ndjson');
const keys = join(published, 'keys');
const key = readFileSync(keys, 'utf8').trim();

describe('waymark audit verify', () => {
  const desk = useDesk({ WAYMARK_OPS_URL: 'http://127.0.0.1:9', WAYMARK_OPS_TOKEN: 'x'.repeat(32) });
  const verify = (...words: string[]) => desk.run('audit', 'verify', ...words);

  const write = (name: string, text: string): string => {
    const path = join(desk.directory, name);
    writeFileSync(path, text);
    return path;
  };

  it(
    'checks an export without an installation, with a key as text or in a file',
    async () => {
      for (const one of [key, keys]) {
        const { code, stdout, stderr } = await verify(file, '--key', one);
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
        expect(stdout).toContain('14: 8 with content, 4 erased, 2 of applications and accounts');
        expect(stdout).toMatch(/^checkpoint +14 of waymark\/.*\/first, signed 2026-/m);
        expect(stdout).toMatch(/^proven +These are all events of the account up to the checkpoint/m);
      }
    },
    patienceMs,
  );

  it(
    'ends with 5 and names what it found',
    async () => {
      const tampered = write('tampered.ndjson', readFileSync(file, 'utf8').replace('Harbour light, north', 'Harbour light, south'));
      const { code, stdout, stderr } = await verify(tampered, '--key', key);
      expect({ code, stderr }).toEqual({ code: 5, stderr: 'waymark: The export does not prove its history.\n' });
      expect(stdout).toMatch(/^FOUND +pinpoint-1, revision 1: the content does not match its commitment\.$/m);
      expect(stdout).not.toMatch(/^proven/m);
      const found = await desk.json<ExportVerification>(['audit', 'verify', tampered, '--key', key], 5);
      expect(found).toMatchObject({ sound: false, proves: null, findings: [expect.stringContaining('does not match')] });
    },
    patienceMs,
  );

  it(
    'compares the export with checkpoints that are given',
    async () => {
      const lines = readFileSync(file, 'utf8').split('\n');
      const { checkpoint } = JSON.parse(lines[0] ?? '{}').earlier[0];
      const earlier = write('earlier', checkpoint);
      expect((await verify(file, '--key', key, '--checkpoint', earlier)).code).toBe(0);
      const unsigned = write('unsigned', checkpoint.replace('number 6', 'number 7'));
      const { code, stdout } = await verify(file, '--key', key, '--checkpoint', earlier, '--checkpoint', unsigned);
      expect({ code, stdout }).toEqual({ code: 5, stdout: expect.stringMatching(/^FOUND +Given checkpoint 2 is not valid\./m) });
    },
    patienceMs,
  );

  it(
    'refuses what is no key, and files that it cannot read',
    async () => {
      expect(await verify(file, '--key', key.replace(/\+[0-9a-f]{8}\+/, '+00000000+'))).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('--key: The id of the key'),
      });
      expect(await verify(file, '--key', file)).toMatchObject({ code: 2, stderr: expect.stringContaining('--key: It is no verifier key') });
      const blank = join(desk.directory, 'blank.pub');
      writeFileSync(blank, '\n \n');
      expect(await verify(file, '--key', blank)).toMatchObject({ code: 2, stderr: expect.stringContaining(`--key: ${blank} has no key.`) });
      expect(await verify(file)).toMatchObject({ code: 2, stderr: expect.stringContaining('--key') });
      const missing = join(desk.directory, 'missing');
      for (const words of [
        [missing, '--key', key],
        [file, '--key', missing],
        [file, '--key', key, '--checkpoint', missing],
      ]) {
        expect(await verify(...words)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`${missing} cannot be read`) });
      }
    },
    patienceMs,
  );
});
