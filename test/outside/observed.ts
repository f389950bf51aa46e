import type { Masked, Masking } from './masked.ts';
import type { Answered, Printed, Recording } from './recorded.ts';
import type { Exchange } from './recorder.ts';

/** Headers that depend on the time or on the connection. */
const ofTransport = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding']);

/** Returns the output and the responses that clients and operators received. */
export const observed = ({ printed, answered }: Recording, exchanges: readonly Exchange[], masking: Masking) => ({
  commands: printed.map((one) => command(one, masking)),
  operator: exchanges.filter(({ method, path }) => !(method === 'GET' && path === '/operator/status')).map((one) => exchange(one, masking)),
  api: answered.map((one) => answer(one, masking)),
});

const command = ({ words, code, stdout }: Printed, masking: Masking): Masked => ({
  command: masking.text(words.join(' ')),
  code,
  json: masking.stored(stdout),
});

const exchange = ({ method, path, body, status, answer: text }: Exchange, masking: Masking): Masked => ({
  request: masking.text(`${method} ${path}`),
  body: masking.stored(body),
  status,
  answer: masking.stored(text),
});

const answer = ({ call, answer: { status, headers, text } }: Answered, masking: Masking): Masked => ({
  request: masking.text(`${call.method} ${call.path}`),
  status,
  headers: masking.value(Object.fromEntries(Object.entries(headers).filter(([name]) => !ofTransport.has(name)))),
  body: headers['content-type'] === 'application/x-ndjson' ? masking.lines(text) : masking.stored(text),
});
