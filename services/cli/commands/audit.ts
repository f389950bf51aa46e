import { createReadStream } from 'node:fs';
import type { ExportVerification } from '@waymark/proof/export/verify.ts';
import { type Command, InvalidArgumentError } from 'commander';
import type { ClientCredentials } from '../client/api.ts';
import { linesOf } from '../load/lines.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';
import { failedToRead, textOf } from '../terminal/named-files.ts';
import { fields, grouped, type OutputOptions, show } from '../terminal/output.ts';
import { collect, keyHelp, keysIn } from './notary-keys.ts';
import { positiveNumber, withJson } from './options.ts';

/** Adds the commands for evidence. They need no installation: one reads its API, the other one nothing but files. */
export const addAudit = (program: Command): void => {
  const audit = program.command('audit').description('evidence that can be checked offline');
  addVerify(audit);
  addExport(audit);
};

const addVerify = (audit: Command): void => {
  withJson(audit.command('verify'))
    .description('check an export of a history offline, trusting only public keys; exit code 5 if something is wrong')
    .argument('<file>', 'the export: NDJSON, with the pages one after the other')
    .requiredOption('--key <key>', keyHelp, collect)
    .option('--checkpoint <file>', 'a signed checkpoint that the export must continue; can be repeated', collect)
    .addHelpText('after', details)
    .action(async (file: string, { key, checkpoint = [], ...options }: VerifyOptions) => {
      const { verifyExport, lineBytesMax } = await import('@waymark/proof/export/verify.ts');
      const trusted = { keys: await keysIn(key), checkpoints: checkpoint.map(textOf) };
      const verification = await verifyExport(bytesOf(file, lineBytesMax), trusted).catch(failedToRead(file));
      show({ json: verification, text: verificationText(verification) }, options);
      if (!verification.sound) throw new CommandFailed('faults', 'The export does not prove its history.');
    });
};

const exportDetails = `
The application needs the scope "audit". Its client_id and client_secret are read
from a JSON file, as \`waymark app create --json\` prints them.
`;

type ExportOptions = OutputOptions & {
  readonly url: string;
  readonly credentials: string;
  readonly object?: string;
  readonly checkpoint?: readonly number[];
  readonly announcements: boolean;
};

const addExport = (audit: Command): void => {
  withJson(audit.command('export'))
    .description('fetch the history of an account or of an object, with proofs, into a file for `waymark audit verify`')
    .argument('<file>', 'the new file')
    .requiredOption('--url <url>', 'public base URL of the installation')
    .requiredOption('--credentials <file>', 'JSON file with the client_id and client_secret of an application of the account')
    .option('--object <object>', 'an object, such as pinpoints/12; by default all of the account', objectPath)
    .option('--checkpoint <number>', 'an earlier checkpoint that the export must continue; can be repeated', collectNumber)
    .option('--no-announcements', 'leave out announced keys and former origins: for a reader who trusts the last key only')
    .addHelpText('after', exportDetails)
    .action(async (file: string, { url, credentials, object, checkpoint: checkpoints = [], announcements, ...options }: ExportOptions) => {
      if (!URL.canParse(url)) throw new CommandFailed('usage', `--url: it is not a URL: ${url}`);
      const { fetchExport } = await import('../audit/fetch-export.ts');
      const request = { url, credentials: credentialsIn(credentials), object, checkpoints, announcements, file };
      const fetched = await fetchExport(request);
      const { events, bytes } = fetched;
      show({ json: fetched, text: `${file}: ${grouped(events)} events, ${grouped(bytes)} bytes.` }, options);
    });
};

const objectPath = (text: string): string => {
  if (/^[a-z]+\/[\w-]+$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a kind and an id, such as pinpoints/12.');
};

const collectNumber = (text: string, before: readonly number[] = []): readonly number[] => [...before, positiveNumber(text)];

/** Reads the credentials in a file. */
const credentialsIn = (file: string): ClientCredentials => {
  const { client_id, client_secret } = parsed(file);
  if (typeof client_id === 'string' && typeof client_secret === 'string') return { client_id, client_secret };
  throw new CommandFailed('usage', `${file} has no client_id and client_secret.`);
};

const parsed = (file: string): Readonly<Record<string, unknown>> => {
  const text = textOf(file);
  try {
    return Object(JSON.parse(text));
  } catch (error) {
    throw new CommandFailed('usage', `${file} is no JSON.`, { cause: error });
  }
};

const details = `
An account's export proves that nothing is left out up to its checkpoint. An
object's export proves each event, and that no revision in between is missing.
Only the account's export proves that no revision is newer.
`;

type VerifyOptions = OutputOptions & { readonly key: readonly string[]; readonly checkpoint?: readonly string[] };

async function* bytesOf(file: string, bytesMax: number) {
  for await (const { bytes } of linesOf(createReadStream(file), bytesMax)) yield bytes;
}

const verificationText = (found: ExportVerification): string => {
  const { account, object, checkpoint, events, contents, erased, withheld, findings, proves } = found;
  const counts = `${grouped(contents)} with content, ${grouped(erased)} erased, ${grouped(withheld)} of applications and accounts`;
  return fields([
    ['account', account ?? 'unknown'],
    ...(object === null ? [] : [['object', object] as const]),
    ['events', `${grouped(events)}: ${counts}`],
    ['checkpoint', checkpoint === null ? 'NOT VALID' : `${checkpoint.number} of ${checkpoint.origin}, signed ${checkpoint.time}`],
    ...(checkpoint === null ? [] : [['key', checkpoint.key] as const]),
    ...findings.map((finding) => ['FOUND', finding] as const),
    ...(proves === null ? [] : [['proven', proves] as const]),
  ]);
};
