/** The floor: a node:http server with the same I/O. It sends the same responses, and makes each body durable in a second thread before it
 * responds. The thread writes all bodies that arrived meanwhile at once. */
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { Worker } from 'node:worker_threads';
import type { FloorAnswers, PreparedAnswer } from './floor.ts';

const answers: FloorAnswers = JSON.parse(readFileSync(process.env['FLOOR_ANSWERS'] ?? '', 'utf8'));
const thread = new Worker(new URL('./floor-thread.ts', import.meta.url), { workerData: process.env['FLOOR_FILE'] });

const send = (response: ServerResponse, { status, headers, body }: PreparedAnswer): void => {
  response.writeHead(status, headers);
  response.end(body);
};

type Stored = { readonly body: string; readonly respond: () => void };
let gathered: Stored[] = [];
let inProgress: Stored[] = [];
const sendGathered = (): void => {
  inProgress = gathered;
  gathered = [];
  if (inProgress.length > 0) thread.postMessage(inProgress.map(({ body }) => body));
};
thread.on('message', () => {
  for (const { respond } of inProgress) respond();
  sendGathered();
});

createServer((request, response) => {
  if (request.method === 'GET') return send(response, request.url?.includes('/pinpoints/') ? answers.one : answers.page);
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const respond = (): void => send(response, request.method === 'POST' ? answers.create : answers.update);
    gathered.push({ body: Buffer.concat(pieces).toString(), respond });
    if (inProgress.length === 0) sendGathered();
  });
}).listen(Number(process.env['PORT']), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
