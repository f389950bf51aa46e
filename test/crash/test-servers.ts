import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inherited } from '../engines/environment.ts';
import { type Launched, type LaunchOptions, launch, type Server, waitUntilReady } from './server.ts';

/** The directories and servers of one test or one test file. Afterwards, all servers that still run are killed and all directories are
 * removed. */
export type TestServers = {
  /** Returns the path of a directory that does not exist yet. */
  readonly directory: () => string;
  /** Copies a directory. Everything in the copy is unchanged. */
  readonly copyOf: (directory: string) => string;
  readonly launch: (directory: string, options?: LaunchOptions) => Launched;
  readonly start: (directory: string, options?: LaunchOptions) => Promise<Server>;
};

const stopWithinMs = 300_000;

/** Every second server of a test file, the first one among them, has two HTTP threads beside its main thread, and the others none: each kind finds
 * what the other kind has left behind. A test or the whole run may want another number. */
export const useCrashServers = (lasting: 'test' | 'file' = 'test'): TestServers => {
  let launched = 0;
  return useTestServers(lasting, () => {
    launched += 1;
    return { WAYMARK_HTTP_THREADS: inherited.WAYMARK_HTTP_THREADS ?? (launched % 2 === 1 ? '2' : '0') };
  });
};

/** @param settingsOfNext returns settings of the next server, which its own settings override */
export const useTestServers = (
  lasting: 'test' | 'file' = 'test',
  settingsOfNext: () => NonNullable<LaunchOptions['settings']> = () => ({}),
): TestServers => {
  const [before, after] = lasting === 'test' ? [beforeEach, afterEach] : [beforeAll, afterAll];
  let folder = '';
  let made = 0;
  const running: Launched[] = [];
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'waymark-faults-'));
  });
  after(async () => {
    await Promise.all(running.splice(0).map(({ kill }) => kill()));
    rmSync(folder, { recursive: true, force: true });
  }, stopWithinMs);

  const directory = (): string => {
    made += 1;
    return join(folder, String(made));
  };
  const launchTracked = (at: string, options?: LaunchOptions): Launched => {
    const launched = launch(at, { ...options, settings: { ...settingsOfNext(), ...options?.settings } });
    running.push(launched);
    return launched;
  };
  return {
    directory,
    copyOf: (original) => {
      const copy = directory();
      cpSync(original, copy, { recursive: true, preserveTimestamps: true });
      return copy;
    },
    launch: launchTracked,
    start: (at, options) => waitUntilReady(launchTracked(at, options)),
  };
};
