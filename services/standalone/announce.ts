import type { Credentials } from '@waymark/access/registry.ts';
import { writePrivate } from '@waymark/files/private.ts';
import type { Installation } from './serve.ts';
import { automaticThreads } from './threads/plan.ts';

/** The account of the first application and of the demonstration data. */
export const firstAccount = 'demo';

/** The content of `first-application.json`. Stored: never rename. */
type StoredFirstApplication = {
  readonly account: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly secret_id: string;
};

const toStored = (owner: string, credentials: Credentials): StoredFirstApplication => ({
  account: owner,
  client_id: credentials.client_id,
  client_secret: credentials.client_secret,
  secret_id: credentials.secret_id,
});

/** Prints the addresses of the server and, at the very first start, the commands for the first calls. */
export const announce = async ({ operator, directory, registry, threads, isNew }: Installation): Promise<void> => {
  const lines = [
    '',
    `Waymark is ready at ${operator.api}`,
    `  data      ${directory.path}`,
    `  operator  ${operator.url}  (health, metrics, commands)`,
    ...moreThreads(threads),
    '',
  ];
  if (isNew) lines.push(...(await firstSteps({ operator, directory, registry })));
  process.stdout.write(`${lines.join('\n')}\n`);
};

/** Returns a line that says what more cores could do; nothing if they could not do more. */
const moreThreads = (threads: number): readonly string[] => {
  const automatic = automaticThreads();
  if (threads >= automatic) return [];
  return [`  threads   ${threads + 1} answers requests; the cores suffice for ${automatic + 1} (WAYMARK_HTTP_THREADS=auto)`];
};

const firstSteps = async ({ operator, directory, registry }: Pick<Installation, 'operator' | 'directory' | 'registry'>) => {
  const credentials = await registry.register(firstAccount, 'First application', ['write', 'read']);
  const { client_id: id, client_secret: secret } = credentials;
  const shown = process.stdout.isTTY === true;
  if (!shown) writePrivate(directory.firstApplication, JSON.stringify(toStored(firstAccount, credentials)));
  return [
    `A first application was created in the account "${firstAccount}":`,
    `  client id      ${id}`,
    shown ? `  client secret  ${secret}  (shown only once)` : `  client secret  in ${directory.firstApplication}`,
    '',
    'Get a token, create a pinpoint, list pinpoints:',
    `  TOKEN=$(curl -s -u ${id}:${shown ? secret : `$(sed 's/.*"client_secret":"\\([^"]*\\)".*/\\1/' '${directory.firstApplication}')`} -d grant_type=client_credentials ${operator.api}/v3.0/oauth2/token | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `  curl -s -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"name":"Harbour","latitude":54.32,"longitude":10.14}' ${operator.api}/v3.0/pinpoints`,
    `  curl -s -H "Authorization: Bearer $TOKEN" ${operator.api}/v3.0/pinpoints`,
    '',
  ];
};
