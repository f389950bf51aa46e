#!/usr/bin/env node
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { median } from '../statistics.ts';
import { writeLog } from './log.ts';
import type { Cost } from './rebuild-process.ts';

// Measures the rebuild of the read models of the standalone form before and after a change. Two builds, each in its own checkout, take turns.
//
//     node test/performance/bench/rebuild/main.ts --before CHECKOUT [--after CHECKOUT] [--rounds 7] [--events 500000]
//
// In each round the old build runs twice. A difference between the builds that is no larger than the one between these two runs means
// nothing.

const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    after: { type: 'string', default: join(import.meta.dirname, '../../../..') },
    rounds: { type: 'string', default: '7' },
    events: { type: 'string', default: '500000' },
  },
});
if (values.before === undefined) throw new Error('--before CHECKOUT is required: the build to compare with, with its libraries installed');
const [before, after, rounds] = [resolve(values.before), resolve(values.after), Number(values.rounds)];
const program = join(import.meta.dirname, 'rebuild-process.ts');

const directory = mkdtempSync(join(tmpdir(), 'waymark-rebuild-'));
const log = join(directory, 'log.db');

const measure = (checkout: string): Cost => {
  const files = mkdtempSync(join(directory, 'files-'));
  const cost = JSON.parse(execFileSync(process.execPath, [program, checkout, log, files], { encoding: 'utf8' }));
  rmSync(files, { recursive: true });
  return cost;
};

type Round = { readonly old: Cost; readonly again: Cost; readonly new: Cost };
const all: Round[] = [];
try {
  await writeLog(log, Number(values.events));
  for (let round = 1; round <= rounds; round += 1) {
    // The builds take turns, so that other activity of the machine affects all of them alike.
    all.push(
      round % 2 === 1
        ? { old: measure(before), new: measure(after), again: measure(before) }
        : { again: measure(before), new: measure(after), old: measure(before) },
    );
    process.stderr.write(`round ${round} of ${rounds}\n`);
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}

const line = (title: string, secondsOf: (cost: Cost) => number): string => {
  const of = (which: keyof Round): string => median(all.map((round) => secondsOf(round[which]))).toFixed(2);
  const times = (which: 'new' | 'again'): string => median(all.map((round) => secondsOf(round.old) / secondsOf(round[which]))).toFixed(2);
  return `| ${title} | ${of('old')} s | ${of('new')} s | ${times('new')}× | ${times('again')}× |`;
};
const { model } = cpus()[0] ?? { model: 'unknown processor' };
process.stdout.write(`| rebuild of ${values.events} events | before | after | rate of after | rate of before, once more |
|---|---|---|---|---|
${line('processor time', ({ processorSeconds }) => processorSeconds)}
${line('time', ({ seconds }) => seconds)}

${model}, ${cpus().length} cores; ${rounds} rounds
`);
