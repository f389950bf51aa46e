import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sharedNumber } from '@waymark/threads/shared-number.ts';
import { fileOf, makeCurrent } from './generations.ts';
import { repairReadModels } from './repair.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'waymark-repair-'));
  makeCurrent(directory, fileOf(directory, 3));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

/** Repairs with a rebuild that fails at first, as while another operation runs. */
const repairing = () => {
  const damaged = sharedNumber();
  let tries = 0;
  const rebuild = async (): Promise<void> => {
    tries += 1;
    if (tries === 1) throw new Error('Another operation is running.');
    makeCurrent(directory, fileOf(directory, 4));
  };
  const logger = { info: () => undefined, error: () => undefined };
  return { damaged, tries: () => tries, stop: repairReadModels({ directory, damaged, rebuild, logger }) };
};

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await pause(20);
};

describe('The repair of the read models', () => {
  it('rebuilds a damaged file, and tries again after a failure', async () => {
    const { damaged, tries, stop } = repairing();
    Atomics.store(damaged, 0, 3);
    await until(() => tries() === 2);
    // The report is of a file that is not the current one any more.
    await pause(2_500);
    expect(tries()).toBe(2);
    stop();
  });

  it('leaves a file alone of which nobody has reported damage', async () => {
    const { damaged, tries, stop } = repairing();
    Atomics.store(damaged, 0, 2);
    await pause(2_500);
    expect(tries()).toBe(0);
    stop();
  });
});
