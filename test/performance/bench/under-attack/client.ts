import { setTimeout as pause } from 'node:timers/promises';
import type { Answer } from '../../../api/client.ts';
import { aPinpoint } from '../../../api/samples.ts';
import type { Session } from '../../../api/session.ts';

/** One response. Status 0: the connection was closed, or no response arrived. */
export type Sample = { readonly ms: number; readonly status: number; readonly retryAfter: boolean };
export type Samples = { readonly get: readonly Sample[]; readonly create: readonly Sample[] };

type Outcome = Pick<Answer, 'status' | 'headers'>;

const failed: Outcome = { status: 0, headers: {} };
/** The pause between two requests. The client causes little load. */
const everyMs = 25;

const timed = async (send: () => Promise<Outcome>): Promise<Sample> => {
  const fromMs = performance.now();
  const { status, headers } = await send().catch(() => failed);
  return { ms: performance.now() - fromMs, status, retryAfter: headers['retry-after'] !== undefined };
};

/** Sends small requests, one after the other: a GET of one pinpoint, a create, and so on. */
export const sample = async (client: Session, id: number, forMs: number): Promise<Samples> => {
  const samples = { get: [] as Sample[], create: [] as Sample[] };
  const endMs = performance.now() + forMs;
  do {
    samples.get.push(await timed(() => client.get(`/pinpoints/${id}`)));
    await pause(everyMs);
    samples.create.push(await timed(() => client.post('/pinpoints', aPinpoint())));
    await pause(everyMs);
  } while (performance.now() < endMs);
  return samples;
};
