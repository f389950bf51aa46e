import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { Worker } from 'node:worker_threads';

// Loaded into a server before its own code. Records which files run on the main thread: from one SIGUSR2 until an append leaves for the
// writer's thread, or else until the next SIGUSR2. Writes their URLs into the file that WALK_FILE names. That file is
// empty while a recording is in progress.

type Script = { readonly url: string; readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[] };

const session = new Session();
session.connect();
session.post('Profiler.enable');
let isRecording = false;

const file = process.env['WALK_FILE'] ?? '';

const begin = (): void => {
  isRecording = true;
  writeFileSync(file, '');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
};

const end = (): void => {
  isRecording = false;
  // The callback of a session in the same thread runs before `post` returns.
  session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
    const ran = ({ functions }: Script): boolean => functions.some(({ ranges }) => ranges.some(({ count }) => count > 0));
    const urls = result.filter(ran).map(({ url }) => url);
    writeFileSync(`${file}.new`, JSON.stringify(urls));
    renameSync(`${file}.new`, file);
  });
  session.post('Profiler.stopPreciseCoverage');
};

process.on('SIGUSR2', () => (isRecording ? end() : begin()));

const { postMessage } = Worker.prototype;
Worker.prototype.postMessage = function (this: Worker, ...sent: Parameters<typeof postMessage>) {
  if (isRecording) end();
  return postMessage.apply(this, sent);
};
