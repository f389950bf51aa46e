import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, openClient } from '../../api/client.ts';
import { type Application, formCall, openSession, tokenCall } from '../../api/session.ts';

const everyMs = 40;
/** After this time a revoked token is refused everywhere. */
const refusedAfterMs = 1_000;

/** A client that requests tokens, uses them and revokes them. */
export type TokenLoad = {
  readonly run: (ending: () => boolean) => Promise<void>;
  /** Requests for tokens, and requests with tokens, that got a wrong response, as text. */
  readonly findings: readonly string[];
  /** The requests that failed or got a 503, with their times. */
  readonly errors: readonly RequestError[];
  readonly issued: () => number;
};

export type RequestError = { readonly what: string; readonly startedMs: number; readonly endedMs: number };

export const tokenLoad = (url: string, application: Application): TokenLoad => {
  const findings: string[] = [];
  const errors: RequestError[] = [];
  const revoked: { readonly token: string; readonly atMs: number }[] = [];
  const client = openClient(url);
  let issued = 0;

  /** Sends a request.
   * @returns undefined if it failed, or got an unexpected response */
  const attempt = async (what: string, sent: () => Promise<Answer>, allowed: readonly number[]): Promise<Answer | undefined> => {
    const startedMs = performance.now();
    const answer = await sent().catch((error: Error) => error);
    const endedMs = performance.now();
    if (answer instanceof Error) errors.push({ what: `${what}: lost`, startedMs, endedMs });
    else if (answer.status === 503 && answer.headers['retry-after'] !== undefined)
      errors.push({ what: `${what}: 503`, startedMs, endedMs });
    else if (allowed.includes(answer.status)) return answer;
    else findings.push(`${what} was answered ${answer.status}: ${answer.text.slice(0, 300)}`);
    return undefined;
  };
  const use = (token: string) => openSession(client.send, application, token).get('/lists?limit=1');

  const once = async (): Promise<void> => {
    const answer = await attempt('a request for a token', () => client.send(tokenCall(application)), [200]);
    if (answer === undefined) return;
    issued += 1;
    const { access_token: token } = answer.body as { access_token: string };
    await attempt('a read with a new token', () => use(token), [200]);
    const form = { token, client_id: application.client_id };
    const revocation = await attempt('a revocation', () => client.send(formCall('revoke', form, application)), [200]);
    if (revocation) revoked.push({ token, atMs: performance.now() });
    const revokedToken = revoked.find(({ atMs }) => performance.now() - atMs > refusedAfterMs);
    if (revokedToken === undefined) return;
    revoked.splice(revoked.indexOf(revokedToken), 1);
    const sinceMs = Math.round(performance.now() - revokedToken.atMs);
    await attempt(`a read with a token that was revoked ${sinceMs} ms before`, () => use(revokedToken.token), [401]);
  };
  return {
    findings,
    errors,
    issued: () => issued,
    run: async (ending) => {
      while (!ending()) {
        await once();
        await pause(everyMs);
      }
      client.close();
    },
  };
};
