// Attacks a server from a separate process, so that its work does not count in the measured client's times. `../attacker.ts` starts it.

import { type Attack, type AttackName, attacks, type Target } from '../attacks.ts';

const [name = '', target = ''] = process.argv.slice(2);
const attack: Attack = attacks[name as AttackName];
process.once('disconnect', () => process.exit());
await attack.run(JSON.parse(target) as Target, () => process.send?.('under way'));
