import { CommandFailed } from './terminal/exit-codes.ts';

/** The product, running in this process on the data directory that the environment names, for the duration of a command. */
export type Product = { readonly url: string; readonly token: string; readonly close: () => Promise<void> };

/** Settings that override the environment: loopback addresses, free ports and no rate limits, because only the command may connect. */
const ownSettings = {
  WAYMARK_HOST: '127.0.0.1',
  WAYMARK_PORT: '0',
  WAYMARK_OPS_HOST: '127.0.0.1',
  WAYMARK_OPS_PORT: '0',
  WAYMARK_PUBLIC_URL: '',
  WAYMARK_RATE_LIMITS: 'off',
};

/** Starts the product. Returns undefined while another process owns the data directory.
 * @throws CommandFailed where it cannot be started */
export const startProduct = async (environment: NodeJS.ProcessEnv): Promise<Product | undefined> => {
  // Imported here, so that commands that find a running server do not wait for these modules.
  const [{ startInstallation }, { settingsFrom }, { WrongSettings }, { DirectoryInUse }, { default: pino }] = await Promise.all([
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
    const { operator, complete, close } = await startInstallation({
      settings,
      logger: pino({ level: 'silent' }),
      writeLine: () => undefined,
      publicUrl: environment['WAYMARK_PUBLIC_URL']?.replace(/\/+$/, '') || undefined,
      onFatal,
    });
    await complete;
    return { url: operator.url, token: operator.token, close };
  } catch (error) {
    if (error instanceof DirectoryInUse) return undefined;
    if (error instanceof WrongSettings) throw new CommandFailed('usage', error.message, { cause: error });
    throw new CommandFailed('unreachable', `The installation cannot be started. ${(error as Error).message}`, { cause: error });
  }
};
