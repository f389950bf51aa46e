import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { namedOperator } from './environment.ts';

const url = 'http://127.0.0.1:8081';

describe('the operator API that the environment names', () => {
  it('is called with the first token, while the operator service accepts several', () => {
    const folder = mkdtempSync(join(tmpdir(), 'waymark-environment-'));
    const file = join(folder, 'operator');
    writeFileSync(file, 'new-token,old-token\n');
    const called = { url, token: 'new-token' };
    expect(namedOperator({ WAYMARK_OPS_URL: url, WAYMARK_OPS_TOKEN: 'new-token, old-token' })).toEqual(called);
    expect(namedOperator({ WAYMARK_OPS_URL: url, WAYMARK_OPS_TOKEN_FILE: file })).toEqual(called);
    writeFileSync(file, ' new-token\n');
    expect(namedOperator({ WAYMARK_OPS_URL: url, WAYMARK_OPS_TOKEN_FILE: file })).toEqual(called);
    rmSync(folder, { recursive: true });
  });

  it('needs a token', () => {
    expect(() => namedOperator({ WAYMARK_OPS_URL: url, WAYMARK_OPS_TOKEN: '' })).toThrow('WAYMARK_OPS_TOKEN');
  });
});
