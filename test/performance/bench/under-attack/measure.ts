import { aPinpoint } from '../../../api/samples.ts';
import { launch, newSession, waitUntilReady } from '../../../crash/server.ts';
import { residentMostMb } from '../../attacks/resident.ts';
import { startAttacker } from './attacker.ts';
import { type Attack, type AttackName, attacks } from './attacks.ts';
import { sample } from './client.ts';
import type { Row } from './report.ts';

export type MeasureOptions = {
  /** Where the server keeps its data. */
  readonly directory: string;
  /** The memory setting of the server (`WAYMARK_MEMORY_MB`). */
  readonly memoryMb: number;
  /** How long requests are sent without the attack, and again during it. */
  readonly forMs: number;
};

/** Measures an attack on a new server.
 * @throws if the server or the attacker ends */
export const measure = async (name: AttackName, { directory, memoryMb, forMs }: MeasureOptions): Promise<Row> => {
  const attack: Attack = attacks[name];
  const settings = { WAYMARK_MEMORY_MB: String(memoryMb), WAYMARK_RATE_LIMITS: attack.rateLimits, WAYMARK_LOG_LEVEL: 'warn' };
  const launched = launch(directory, { settings });
  try {
    const server = await waitUntilReady(launched);
    const [attacker, client] = [await newSession(server, 'attacker'), await newSession(server, 'client')];
    const path = (await attack.prepare?.(attacker)) ?? '';
    const { id } = await client.create('/pinpoints', aPinpoint());
    const alone = await sample(client, id, forMs);
    const { stop } = await startAttacker(name, { url: server.url, token: attacker.token, path });
    const attacked = await sample(client, id, forMs);
    await stop();
    return { attack: name, alone, attacked, residentMb: residentMostMb(server) };
  } finally {
    await launched.kill();
  }
};
