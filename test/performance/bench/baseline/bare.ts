/** The upper bound: a node:http server that answers every request with the same prepared bytes. */
import { readFileSync } from 'node:fs';
import { createServer, type OutgoingHttpHeaders } from 'node:http';
import type { PreparedAnswer } from '../subjects.ts';

const { headers, body }: PreparedAnswer = JSON.parse(readFileSync(process.env['BARE_ANSWER'] ?? '', 'utf8'));
const bytes = Buffer.from(body);
const prepared = Object.fromEntries(headers) as OutgoingHttpHeaders;

const server = createServer((_request, response) => {
  response.writeHead(200, prepared);
  response.end(bytes);
});
server.listen(Number(process.env['PORT']), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
