import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { AttackName, Target } from './attacks.ts';

export type Attacker = {
  /** Ends the attack.
   * @throws if the attacker has already ended */
  readonly stop: () => Promise<void>;
};

const program = join(import.meta.dirname, 'attacker/main.ts');

/** Starts an attack, and waits until it is in progress.
 * @throws if the attacker ends first */
export const startAttacker = async (name: AttackName, target: Target): Promise<Attacker> => {
  const child = fork(program, [name, JSON.stringify(target)]);
  const exited = once(child, 'exit');
  const first = await Promise.race([once(child, 'message').then(() => 'under way'), exited.then(() => 'ended')]);
  if (first === 'ended') throw new Error(`The attacker ended: ${name}`);
  return {
    stop: async () => {
      if (child.exitCode !== null) throw new Error(`The attacker ended with ${child.exitCode}: ${name}`);
      child.kill('SIGKILL');
      await exited;
    },
  };
};
