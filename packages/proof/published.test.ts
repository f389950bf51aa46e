import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { publishedExports, publishedFolder } from './testing/published-exports.ts';
import { publishedVectors } from './testing/published-vectors.ts';
import { signer, verified } from './testing/some-export.ts';

const files = { ...publishedExports, 'vectors.json': `${JSON.stringify(publishedVectors(), null, 2)}\n` };

if (process.env['WAYMARK_WRITE'] === '1')
  for (const [name, text] of Object.entries(files)) writeFileSync(join(publishedFolder, name), text);

describe('the files for the authors of other verifiers', () => {
  it.each(Object.entries(files))('have what the code makes: %s (WAYMARK_WRITE=1 writes it)', (name, text) => {
    expect(readFileSync(join(publishedFolder, name), 'utf8')).toBe(text);
  });

  it.each(Object.entries(files).filter(([name]) => name.endsWith('.ndjson')))('are sound: %s', async (_, text) => {
    expect((await verified(text.trimEnd().split('\n'), { keys: [signer.verifierKey] })).findings).toEqual([]);
  });

  it('are named by the document, which has the key', () => {
    const document = readFileSync(join(publishedFolder, '../proofs.md'), 'utf8');
    for (const name of Object.keys(files)) expect(document).toContain(`proofs/${name}`);
    expect(document).toContain(signer.verifierKey);
  });
});
