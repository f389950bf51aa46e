import { createEventCheck, type EventCounts } from './events.ts';
import { type ExportHeader, parseEvent, parseHeader } from './format.ts';
import { checkRoots, type Trusted } from './roots.ts';

/** The result of the verification of an export. */
export type ExportVerification = EventCounts & {
  /** True if nothing was found. */
  readonly sound: boolean;
  /** Sentences, at most `findingsMax`. */
  readonly findings: readonly string[];
  readonly account: string | null;
  /** The stream of the object; null in an account's export. */
  readonly object: string | null;
  /** The checkpoint up to which the export goes; null where it is not valid. `key`: the trusted key that signed it. */
  readonly checkpoint: { readonly origin: string; readonly number: number; readonly time: string; readonly key: string } | null;
  /** What the export proves, as a sentence; null where it proves nothing. */
  readonly proves: string | null;
};

/** The verification ends after this many findings. */
const findingsMax = 100;
/** The longest line. A content of 8 MiB, the largest of any release, takes twice as much where every character is escaped. */
export const lineBytesMax = 20 * 1024 * 1024;

/** Verifies an export offline. It trusts only the given keys and checkpoints, and reads the lines once.
 * @param lines without their line ends; undefined for a line of more than `lineBytesMax` bytes */
export const verifyExport = async (lines: AsyncIterable<Uint8Array | undefined>, trusted: Trusted): Promise<ExportVerification> => {
  const findings: string[] = [];
  const report = (finding: string): void => void (findings.length < findingsMax && findings.push(finding));
  let [number, header, verification]: [number, ExportHeader | undefined, Opened | undefined] = [0, undefined, undefined];
  for await (const bytes of lines) {
    number += 1;
    const line = textOf(bytes);
    if (verification === undefined || header === undefined) {
      header = line === undefined ? undefined : parseHeader(line);
      if (header === undefined) return unreadable;
      verification = open(header, trusted, report);
      continue;
    }
    const event = line === undefined ? undefined : parseEvent(line, header.object !== null);
    if (event === undefined) report(`Line ${number} is no event of an export.`);
    else verification.check.add(event);
    if (findings.length >= findingsMax) break;
  }
  if (verification === undefined || header === undefined) return unreadable;
  if (findings.length < findingsMax) verification.check.end();
  const { check, checkpoint } = verification;
  const sound = findings.length === 0;
  const { account, object } = header;
  return { sound, findings, account, object, checkpoint, ...check.counts(), proves: sound ? provenBy(header, check.counts()) : null };
};

type Opened = { readonly check: ReturnType<typeof createEventCheck>; readonly checkpoint: ExportVerification['checkpoint'] };

const open = (header: ExportHeader, trusted: Trusted, report: (finding: string) => void): Opened => {
  const { findings, opened, roots } = checkRoots(header, trusted);
  for (const finding of findings) report(finding);
  const check = createEventCheck(header, roots, report);
  if (opened === undefined) return { check, checkpoint: null };
  const { origin, number, time } = opened.checkpoint;
  return { check, checkpoint: { origin, number, time, key: opened.signedBy.text } };
};

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const textOf = (bytes: Uint8Array | undefined): string | undefined => {
  try {
    return bytes && decoder.decode(bytes);
  } catch {
    return undefined;
  }
};

const unreadable: ExportVerification = {
  sound: false,
  findings: ['The first line is no header of an export.'],
  account: null,
  object: null,
  checkpoint: null,
  ...{ events: 0, contents: 0, erased: 0, withheld: 0 },
  proves: null,
};

const provenBy = ({ object }: ExportHeader, { events }: EventCounts): string =>
  object === null
    ? 'These are all events of the account up to the checkpoint: nothing is changed, added or left out.'
    : `Each event is in the account's history as exported, and none of the revisions 0 to ${events - 1} is missing. There may be later revisions.`;
