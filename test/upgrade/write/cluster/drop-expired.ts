import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { urlOf } from '@waymark/test-engines/test-engines.ts';

type Housekeeping = typeof import('@waymark/operator/housekeeping.ts');
type Adapter = Readonly<Record<string, typeof import('@waymark/event-log/eventstoredb/event-log.ts')['openEventStoreLog']>>;

/** The adapter of the event store, and its factory: from 0.1.2 on, and before. */
const adapters = [
  { path: 'packages/event-log/eventstoredb/event-log.ts', factory: 'openEventStoreLog' },
  { path: 'packages/event-log/eventstoredb.ts', factory: 'eventStoreLog' },
] as const;

/** Drops all tokens and claims with a release's own code, which would do so only after 48 hours. */
export const dropExpired = async (checkout: string): Promise<void> => {
  const adapter = adapters.find(({ path }) => existsSync(join(checkout, path)));
  if (adapter === undefined) throw new Error(`${checkout} has no adapter of the event store.`);
  const { [adapter.factory]: open }: Adapter = await import(join(checkout, adapter.path));
  const { dropExpired: drop }: Housekeeping = await import(join(checkout, 'services/operator/housekeeping.ts'));
  const log = open?.({ url: urlOf('eventstore') });
  if (log === undefined) throw new Error(`${adapter.path} does not export ${adapter.factory}.`);
  try {
    const dropped = await drop({ log, truncate: log.truncate }, { beforeMs: Date.now(), signal: new AbortController().signal });
    if (dropped === 0) throw new Error('Nothing was dropped.');
  } finally {
    await log.close();
  }
};
