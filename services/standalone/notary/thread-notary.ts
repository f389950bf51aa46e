import { notaryDirectory } from '@waymark/checkpoints/notary-directory.ts';
import { openPlace } from '@waymark/checkpoints/urls.ts';
import type { LogReader } from '@waymark/event-log/sqlite/reader.ts';
import { type EarlierNotary, type Notary, type NotaryPorts, type NotaryStatus, parseNotaryKeys, startNotary } from '@waymark/notary/app.ts';
import { openSqliteProofStore } from '@waymark/proof-store/sqlite/proof-store.ts';
import { quietAccountsMax } from './limits.ts';
import { createThreadLog, type RemoteAppend } from './thread-log.ts';

/** The settings of the notary of a standalone server. */
export type NotaryData = {
  /** The directory of the notary. */
  readonly directory: string;
  /** The file of the proof store. */
  readonly proofs: string;
  /** The private keys, as the setting has them; empty: the one in the directory. */
  readonly keys: string;
  /** The place of published checkpoints; empty for none. */
  readonly place: string;
  readonly intervalMs: number;
};

export type ThreadNotaryPorts = {
  readonly reader: LogReader;
  readonly append: RemoteAppend;
  readonly logger: NotaryPorts['logger'];
  readonly changed: (status: NotaryStatus) => void;
};

export type ThreadNotary = Notary & {
  /** Returns whether there is nothing to sign until the next event, and no place of checkpoints to look after. */
  readonly isQuiet: () => boolean;
};

/** Starts the notary in the thread that has the history. */
export const startThreadNotary = (
  data: NotaryData,
  { reader, append, logger, changed }: ThreadNotaryPorts,
  earlier: EarlierNotary | undefined,
): ThreadNotary => {
  const { proofs, keys, place, intervalMs } = data;
  const directory = notaryDirectory(data.directory);
  const { wake, ...log } = createThreadLog(reader, append);
  const notary = startNotary(
    {
      ...{ log, logger, intervalMs, ...directory },
      openPlace: place === '' ? undefined : () => openPlace(place),
      openStore: async () => openSqliteProofStore(proofs),
      seeds: () => parseNotaryKeys(keys || directory.key()),
    },
    changed,
    earlier,
  );
  return {
    status: notary.status,
    isQuiet: () => {
      const { state, number, isGrown, accounts } = notary.status();
      return place === '' && state === 'signing' && number > 0 && !isGrown && accounts <= quietAccountsMax;
    },
    close: () => {
      wake();
      return notary.close();
    },
  };
};
