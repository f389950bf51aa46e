#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Rebuilt } from '../waymark.ts';

// Rebuilds the read models of a log with the thread of a checkout, and prints the cost as JSON.
//
//     node test/performance/bench/rebuild/rebuild-process.ts CHECKOUT LOG DIRECTORY

/** `processorSeconds`: the processor time of all threads, less that of a rebuild of no events. */
export type Cost = Rebuilt & { readonly processorSeconds: number };

const [checkout = '', log = '', directory = ''] = process.argv.slice(2);
// Releases up to 0.1.1 have it in another folder.
const places = ['services/standalone/read-side/rebuild-thread.ts', 'services/standalone/rebuild-thread.ts'];
const thread = places.map((place) => join(checkout, place)).find(existsSync) ?? '';
/** The memory that a rebuild plans with. */
const memoryBytes = 1_024 * 1_024 * 1_024;

const rebuild = async (file: string, upTo: number | null): Promise<Cost> => {
  const before = process.cpuUsage();
  const workerData = { log, file: join(directory, file), upTo, memoryBytes };
  const done = await new Promise<Rebuilt>((resolve, reject) => {
    new Worker(pathToFileURL(thread), { workerData }).once('message', resolve).once('error', reject);
  });
  const { user, system } = process.cpuUsage(before);
  return { ...done, processorSeconds: (user + system) / 1e6 };
};

const empty = await rebuild('empty.db', 0);
const full = await rebuild('full.db', null);
const cost: Cost = { ...full, processorSeconds: full.processorSeconds - empty.processorSeconds };
process.stdout.write(JSON.stringify(cost));
