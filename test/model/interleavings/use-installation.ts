import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type InterleavedInstallation, openInstallation } from './installation.ts';

/** Opens stores for the tests of one file. Each run uses an account of its own, so that runs do not affect each other. */
export const useInstallation = (): (() => InterleavedInstallation) => {
  let directory = '';
  let installation: InterleavedInstallation | undefined;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'waymark-interleavings-'));
    installation = await openInstallation(directory);
  });
  afterAll(async () => {
    await installation?.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return () => {
    if (installation === undefined) throw new Error('the stores are not open');
    return installation;
  };
};

let accounts = 0;
export const anAccount = (): string => {
  accounts += 1;
  return `account-${accounts}`;
};
