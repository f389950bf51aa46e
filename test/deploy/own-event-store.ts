import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { control } from '@waymark/test-engines/control.ts';

const host = '10.99.0.2';

/** Starts an event store for the tests of a block, at an address of its own in the node's network: one event store has one installation.
 * @returns its URL */
export const useOwnEventStore = (): string => {
  let state: string;
  const engines = () => ({ ENGINES_HOST: host, ENGINES_STATE: state });
  const address = (verb: 'add' | 'del') => execFileSync('ip', ['address', verb, `${host}/24`, 'dev', 'node0']);
  beforeAll(async () => {
    state = mkdtempSync(join(tmpdir(), 'waymark-event-store-'));
    // There is no network to install them from.
    symlinkSync(join(process.env['ENGINES_STATE'] ?? '', 'libraries'), join(state, 'libraries'));
    address('add');
    await control('start', 'eventstore', engines());
  });
  afterAll(async () => {
    await control('wipe', 'eventstore', engines());
    address('del');
    rmSync(state, { recursive: true, force: true });
  });
  return `esdb://${host}:12113?tls=false`;
};
