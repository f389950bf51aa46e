import type { Answer, Call } from '../api/client.ts';

/** No response may take longer, however busy the machine is. */
export const answerWithinMs = 60_000;

const traces = /\n\s+at |node_modules|\.[cm]?[jt]s:\d+|Error:/;

/** Returns the fault of a response to any bad input: a server error, a stack trace, a format other than JSON, or a long wait. */
export const faultOf = (call: Call, { status, headers, text, body }: Answer, tookMs: number): string | undefined => {
  if (status >= 500) return 'is a server error';
  if (tookMs > answerWithinMs) return `took ${tookMs} ms`;
  if (traces.test(text) && status >= 400) return 'exposes details of the code';
  if (status === 204 || status === 304 || call.method === 'HEAD') return text === '' ? undefined : 'has a body';
  if (!(headers['content-type'] ?? '').startsWith('application/json')) return `is ${headers['content-type'] ?? 'without a content type'}`;
  return status < 400 ? undefined : faultOfProblem(status, body);
};

/** Checks the body of an error: `detail`, or messages by field, nested like the input. The token endpoints have their own format. */
const faultOfProblem = (status: number, body: unknown): string | undefined => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return 'is not a JSON object';
  if ('detail' in body || 'error' in body)
    return Object.values(body).every((value) => typeof value === 'string') ? undefined : 'has an unexpected format';
  return status === 400 && areMessages(body) ? undefined : 'has an unexpected format';
};

const areMessages = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.every((part) => typeof part === 'string' || areMessages(part));
  return typeof value === 'object' && value !== null && Object.values(value).every(areMessages);
};

/** Formats a request as one line, so that a developer can send it again. */
export const formatRequest = ({ method, path, headers, body }: Call): string =>
  `${method} ${path.slice(0, 300)} ${JSON.stringify(headers).slice(0, 600)} ${JSON.stringify(body?.toString().slice(0, 1_500) ?? '')}`;
