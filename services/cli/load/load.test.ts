import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Operator } from '../client/operator.ts';
import { load } from './load.ts';

const unexpected = (): never => {
  throw new Error('unexpected call');
};

describe('a load', () => {
  it('is refused while the log does not respond: its saved progress could not be checked', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'waymark-load-'));
    const file = join(directory, 'rows.ndjson');
    writeFileSync(file, '{}\n');
    const status = { api: 'http://127.0.0.1:1' };
    const request: Operator['request'] = async () => status as never;
    const operator = { request, requestWithRetries: unexpected, as: unexpected, close: unexpected };
    const order = {
      file,
      account: 'demo',
      notes: directory,
      progress: unexpected,
      onStart: unexpected,
      onRefused: unexpected,
      warn: unexpected,
    };
    await expect(load(operator, { ...order, signal: new AbortController().signal })).rejects.toMatchObject({ ending: 'unreachable' });
    rmSync(directory, { recursive: true });
  });
});
