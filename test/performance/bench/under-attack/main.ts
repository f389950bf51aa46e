#!/usr/bin/env node
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeMachine } from '../machine.ts';
import { chosen } from '../options.ts';
import { type AttackName, attacks } from './attacks.ts';
import { measure } from './measure.ts';
import { heading, lineOf } from './report.ts';

// Measures how long another client's small requests take during an attack on the standalone form, compared with the same requests without
// the attack.
//
//     node test/performance/bench/under-attack/main.ts [--attack NAME,…] [--memory MB] [--seconds 10]
//
// Each attack has its own server, to which the requests are first sent without the attack.

const { values } = parseArgs({
  options: {
    attack: { type: 'string', default: Object.keys(attacks).join(',') },
    memory: { type: 'string', default: '512' },
    seconds: { type: 'string', default: '10' },
  },
});
const names = chosen(values.attack, Object.keys(attacks) as AttackName[]);
const memoryMb = Number(values.memory);
const machine = describeMachine(tmpdir());

process.stdout.write(`${heading}\n`);
for (const name of names) {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-under-attack-'));
  try {
    process.stdout.write(`${lineOf(await measure(name, { directory, memoryMb, forMs: Number(values.seconds) * 1_000 }), memoryMb)}\n`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
process.stdout.write(
  `\n${machine.processor}, ${machine.cores} cores shared with attacker and client; WAYMARK_MEMORY_MB=${memoryMb}; ${values.seconds} s each; load before ${machine.loadBefore.toFixed(1)}; commit ${machine.commit}\n`,
);
