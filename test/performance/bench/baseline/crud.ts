/** The service as a good engineer writes it in an afternoon: Express, ajv, better-sqlite3, prepared statements, every write synced, tokens
 * stored as hashes, access to the account's own objects only. It has no audit and no history, stores HTML unchanged, and pages only
 * forward. */
import { hash } from 'node:crypto';
import express, { type NextFunction, type Request, type Response } from 'express';
import { openPinpoints } from './crud-database.ts';
import { parsePinpoint } from './crud-pinpoint.ts';

const pageSize = 20;
const pageSizeMax = 500;

const database = openPinpoints(process.env['CRUD_FILE'] ?? '');
const sha256 = (text: string): string => hash('sha256', text);
database.saveToken(sha256(process.env['CRUD_TOKEN'] ?? ''), 1, Date.now() + 36_000_000);

const authenticate = (request: Request, response: Response, next: NextFunction): void => {
  const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
  const found = token === undefined ? undefined : database.findToken(sha256(token), Date.now());
  if (found === undefined) {
    response.status(401).json({ detail: 'Authentication credentials were not provided.' });
    return;
  }
  response.locals['account'] = found.account;
  next();
};

const notFound = (response: Response): Response => response.status(404).json({ detail: 'Not found.' });
const accountOf = (response: Response): number => response.locals['account'];

const router = express.Router();
router.use(authenticate);

router.post('/', (request, response) => {
  const parsed = parsePinpoint(request.body);
  if ('errors' in parsed) response.status(400).json(parsed.errors);
  else response.status(201).json(database.insert(accountOf(response), parsed.pinpoint));
});

router.get('/', (request, response) => {
  const limit = Math.min(Number(request.query['limit']) || pageSize, pageSizeMax);
  const after = Number(request.query['after']) || 0;
  const found = database.page(accountOf(response), after, limit + 1);
  const results = found.slice(0, limit);
  const next = found.length > limit ? `${publicUrl}/v3.0/pinpoints?limit=${limit}&after=${results.at(-1)?.id}` : null;
  response.json({ results, next, previous: null });
});

router.get('/:id', (request, response) => {
  const pinpoint = database.find(accountOf(response), Number(request.params.id));
  if (pinpoint === undefined) notFound(response);
  else response.json(pinpoint);
});

router.put('/:id', (request, response) => {
  const id = Number(request.params.id);
  const parsed = parsePinpoint(request.body);
  const current = database.find(accountOf(response), id);
  if (current === undefined) notFound(response);
  else if ('errors' in parsed) response.status(400).json(parsed.errors);
  else response.json(database.update(accountOf(response), id, { ...current, ...parsed.pinpoint }));
});

router.delete('/:id', (request, response) => {
  if (database.remove(accountOf(response), Number(request.params.id))) response.status(204).end();
  else notFound(response);
});

const port = Number(process.env['PORT']);
const publicUrl = `http://127.0.0.1:${port}`;
const app = express();
app.disable('x-powered-by');
app.use(express.json({ limit: '8mb' }));
app.use('/v3.0/pinpoints', router);
const server = app.listen(port, '127.0.0.1');

process.on('SIGTERM', () => {
  server.close(() => database.close());
  server.closeAllConnections();
});
