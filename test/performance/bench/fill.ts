import { call, type Endpoint } from './client.ts';
import { limits } from './limits.ts';
import type { Generator } from './load.ts';
import { creates } from './loads.ts';
import { runLoad } from './measure.ts';
import { firstNumber, pinpointParts } from './pinpoint.ts';
import { type Walk, walk, walkOn } from './walk.ts';

/** Creates exactly `limits.existingPinpoints` pinpoints, from which reads and updates choose. */
export const fill = async (server: Endpoint): Promise<readonly number[]> => {
  const first = firstNumber();
  let made = 0;
  const creator = async (): Promise<void> => {
    while (made < limits.existingPinpoints) {
      made += 1;
      const body = pinpointParts.join(String(first + made));
      await call(`${server.base}/v3.0/pinpoints`, { method: 'POST', token: server.token, body });
    }
  };
  await Promise.all(Array.from({ length: limits.connections }, creator));
  const { ids } = await walk(server);
  if (ids.length === limits.existingPinpoints) return ids;
  throw new Error(`${ids.length} pinpoints instead of ${limits.existingPinpoints}`);
};

/** Creates pinpoints until there are at least `least`. For a million, the load generator is the fastest way. */
export const grow = async (server: Endpoint, generator: Generator, least: number): Promise<readonly number[]> => {
  let walked: Walk = await walk(server);
  for (let tries = 0; walked.ids.length < least; tries += 1) {
    if (tries > limits.growTries) throw new Error(`still fewer than ${least} pinpoints`);
    await runLoad(generator, creates(server), limits.growSeconds);
    const { ids, last } = await walkOn(server, walked);
    walked = { ids: walked.ids.concat(ids), last };
  }
  return walked.ids;
};
