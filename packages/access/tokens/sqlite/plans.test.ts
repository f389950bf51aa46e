import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { replannedStatements } from '@waymark/event-log/testing/replanned.ts';
import { openTokens } from './file.ts';
import { prepareTokens } from './token-store.ts';

describe('the statements of the tokens', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-tokens-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('keep their plans when they run', () => {
    const file = join(folder, 'tokens.db');
    openTokens(file).close();
    expect(replannedStatements(file, prepareTokens)).toEqual([]);
  });
});
