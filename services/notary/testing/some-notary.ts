import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loggedCheckpointIn } from '@waymark/checkpoints/logged.ts';
import { openSqliteRecord } from '@waymark/checkpoints/sqlite/record.ts';
import { openPlace } from '@waymark/checkpoints/urls.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { checkpointsStream, isHistory } from '@waymark/domain/streams.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { readEvents } from '@waymark/event-log/read-stream.ts';
import { scan } from '@waymark/event-log/scan.ts';
import { newEventId, seal } from '@waymark/event-log/seal.ts';
import { type OwnedSqliteEventLog, openSqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { type AccountRoot, createAccountMap } from '@waymark/proof/account-map.ts';
import { type OpenedCheckpoint, openCheckpoint } from '@waymark/proof/checkpoint.ts';
import { eventLeaf } from '@waymark/proof/leaf.ts';
import { parseVerifierKey } from '@waymark/proof/signed-note.ts';
import { createGrowingTree } from '@waymark/proof/tree.ts';
import { openSqliteProofStore } from '@waymark/proof-store/sqlite/proof-store.ts';
import { type Notary, startNotary } from '../app.ts';
import { notaryKeys } from '../keys.ts';
import type { NotaryPorts } from '../ports.ts';
import type { NotaryStatus } from '../status.ts';

export const someKey = (byte: number): Buffer => Buffer.alloc(32, byte);

/** An event of an account in a stream of its own. */
export const someEvent = (account: string) =>
  seal({
    ...{ id: newEventId(), type: 'PinpointEdited', version: 1, content: '{}', account, sanitized: false },
    origin: { actor: 'test', token: null, request: null },
  });

/** An installation with a notary, in a folder of its own. Long because a test uses all of it. */
export const someInstallation = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-notary-'));
  const place = join(folder, 'place');
  mkdirSync(place);
  const files = { log: join(folder, 'log.db'), record: join(folder, 'record.db'), proofs: join(folder, 'proofs.db'), place };
  let log = await openSqliteEventLog({ file: files.log });
  const notaries: Notary[] = [];
  const logged: string[] = [];
  const verifierKeys: string[] = [];
  let isBeginning = false;
  let streams = 0;

  const note = (level: string) => (_: object, message: string) => void logged.push(`${level}: ${message}`);
  const ports = (changes: Partial<NotaryPorts> = {}): NotaryPorts => ({
    log,
    openRecord: () => openSqliteRecord(files.record),
    openPlace: () => openPlace(place),
    openStore: async () => openSqliteProofStore(files.proofs),
    seeds: () => [someKey(1)],
    beginning: {
      isOrdered: () => isBeginning,
      done: () => {
        isBeginning = false;
      },
    },
    keepVerifierKeys: (keys) => void verifierKeys.push(...keys),
    intervalMs: 20,
    logger: { info: note('info'), warn: note('warn'), error: note('error') },
    ...changes,
  });
  const start = (changes: Partial<NotaryPorts> = {}): Notary => {
    const notary = startNotary(ports(changes));
    notaries.push(notary);
    return notary;
  };
  return {
    ...{ folder, files, logged, verifierKeys, start, ports },
    log: (): OwnedSqliteEventLog => log,
    begin: () => {
      isBeginning = true;
    },
    isBeginning: () => isBeginning,
    /** Appends events, each in a stream of its own. */
    write: async (account: string, count = 1): Promise<void> => {
      for (let nth = 0; nth < count; nth += 1) {
        streams += 1;
        await log.append(`pinpoint-${process.pid}${streams}`, [someEvent(account)], 'none');
      }
    },
    /** Starts a notary and closes it at once, so that it signs one checkpoint at most. */
    sign: async (changes: Partial<NotaryPorts> = {}): Promise<NotaryStatus> => {
      const notary = start({ intervalMs: 2_000, ...changes });
      await settled(notary);
      await notary.close();
      return notary.status();
    },
    closeLog: () => log.close(),
    reopenLog: async () => {
      log = await openSqliteEventLog({ file: files.log });
    },
    close: async () => {
      for (const notary of notaries) await notary.close();
      await log.close();
      rmSync(folder, { recursive: true });
    },
  };
};

export type SomeInstallation = Awaited<ReturnType<typeof someInstallation>>;

/** Waits until a notary has read the log, and signs or refuses. */
export const settled = async (notary: Notary): Promise<NotaryStatus> => {
  while (notary.status().state === 'reading') await new Promise((resolve) => setTimeout(resolve, 5));
  return notary.status();
};

/** Waits until a condition holds. */
export const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
};

export type CheckedCheckpoint = OpenedCheckpoint & { readonly note: string; readonly through: number };

/** Returns the checkpoints of a log, after computing the map of each from the events: an oracle that shares no code with the notary but the
 * hashes. */
export const checkedCheckpoints = async (log: EventLog, seeds: readonly Buffer[] = [someKey(1)]): Promise<readonly CheckedCheckpoint[]> => {
  const { installation, head } = await log.state();
  const keys = seeds.flatMap((seed) => notaryKeys(installation, [seed]).verifierKeys).map(parseVerifierKey);
  const events: RecordedEvent[] = [];
  await scan(log, { after: 0, through: head }, async (batch) => void events.push(...batch.filter(({ stream }) => isHistory(stream))));
  const checkpoints: CheckedCheckpoint[] = [];
  for await (const event of readEvents(log.read, checkpointsStream)) {
    const logged = loggedCheckpointIn(event);
    if (logged === undefined) throw new Error('It is no checkpoint.');
    const opened = openCheckpoint(logged.note, keys);
    const map = createAccountMap(rootsOf(events.filter(({ position }) => position <= logged.through)));
    expect({ size: opened.checkpoint.size, root: opened.checkpoint.root }).toEqual({ size: map.size, root: map.root });
    expect(logged.accounts).toBe(map.size);
    checkpoints.push({ ...opened, note: logged.note, through: logged.through });
  }
  return checkpoints;
};

const rootsOf = (events: readonly RecordedEvent[]): readonly AccountRoot[] => {
  const accounts = Map.groupBy(events, ({ envelope }) => envelope.account);
  return [...accounts].map(([account, own]) => {
    const tree = createGrowingTree();
    for (const event of own) tree.append(eventLeaf(event));
    return { account, size: tree.size(), root: tree.root() };
  });
};
