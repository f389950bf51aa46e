// Attacks a server, in a process of its own so that its work is not in the measured client's times. `main.ts` of the folder above starts it.

import { type Attack, type AttackName, attacks, type Target } from '../attacks.ts';

const [name = '', target = ''] = process.argv.slice(2);
const attack: Attack = attacks[name as AttackName];
process.once('disconnect', () => process.exit());
await attack.run(JSON.parse(target) as Target, () => process.send?.('under way'));
