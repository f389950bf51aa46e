import { CommandFailed } from './terminal/exit-codes.ts';

/** The product in this process, on the data directory that the environment names, for as long as a command lasts. */
export type Product = { readonly url: string; readonly token: string; readonly close: () => Promise<void> };

/** What is loopback, free and quiet, whatever the environment says: nobody but the command is to speak to it. */
const ownSettings = {
  WAYMARK_HOST: '127.0.0.1',
  WAYMARK_PORT: '0',
  WAYMARK_OPS_HOST: '127.0.0.1',
  WAYMARK_OPS_PORT: '0',
  WAYMARK_PUBLIC_URL: '',
  WAYMARK_RATE_LIMITS: 'off',
};

/** Undefined while another process owns the data directory.
 * @throws CommandFailed where it cannot be started */
export const startProduct = async (environment: NodeJS.ProcessEnv): Promise<Product | undefined> => {
  // Loaded here, so that commands that find a running server need not wait for all of this.
  const [{ startInstallation }, { settingsFrom }, { WrongSettings }, { DirectoryInUse }, { pino }] = await Promise.all([
    import('@waymark/standalone/app.ts'),
    import('@waymark/standalone/settings.ts'),
    import('@waymark/runtime/settings.ts'),
    import('@waymark/runtime/lock.ts'),
    import('pino'),
  ]);
  const onFatal = (error: Error): void => {
    process.stderr.write(`waymark: ${error.message}\n`);
    process.exit(1);
  };
  try {
    const settings = settingsFrom({ ...environment, ...ownSettings });
    const { operator, complete, close } = await startInstallation({ settings, logger: pino({ level: 'silent' }), onFatal });
    await complete;
    return { url: operator.url, token: operator.token, close };
  } catch (error) {
    if (error instanceof DirectoryInUse) return undefined;
    if (error instanceof WrongSettings) throw new CommandFailed('usage', error.message, { cause: error });
    throw new CommandFailed('unreachable', `The installation cannot be started. ${(error as Error).message}`, { cause: error });
  }
};
