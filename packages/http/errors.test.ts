import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpError } from './errors.ts';
import * as problems from './errors.ts';

/** One problem of each kind, with `…` for the parts that vary. */
const samples: Readonly<Record<string, HttpError>> = {
  badRequest: problems.badRequest('…'),
  invalidFields: problems.invalidFields({ '…': ['…'] }),
  notAuthenticated: problems.notAuthenticated(),
  invalidToken: problems.invalidToken(),
  forbidden: problems.forbidden(),
  notFound: problems.notFound(),
  deletedObject: problems.deletedObject({ id: '…', revision: 0, time: '…' }),
  invalidPage: problems.invalidPage(),
  methodNotAllowed: problems.methodNotAllowed('…', '…'),
  requestTimeout: problems.requestTimeout(),
  conflict: problems.conflict('…'),
  keptAsItIs: problems.keptAsItIs({}),
  requestStillRunning: problems.requestStillRunning(),
  notCovered: problems.notCovered('…', 60),
  gone: problems.gone(),
  preconditionFailed: problems.preconditionFailed(),
  tooLarge: problems.tooLarge('…'),
  unsupportedMediaType: problems.unsupportedMediaType('…'),
  misdirected: problems.misdirected(),
  wrongHost: problems.wrongHost(),
  keyReused: problems.keyReused(),
  throttled: problems.throttled(0, { 'Retry-After': '…' }),
  internalError: problems.internalError(),
  unavailable: problems.unavailable('…'),
};

const cell = (text: string): string => (text === '' ? '' : `\`${text}\``);

const described = (name: string, { status, body, headers }: HttpError): string => {
  const lines = Object.entries(headers).map(([header, value]) => `${header}: ${value}`);
  return [cell(name), String(status), cell(JSON.stringify(body)), cell(lines.join('; '))].join(' | ');
};

const documented = readFileSync(join(import.meta.dirname, 'ERRORS.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) =>
    line
      .split('|')
      .slice(1, 5)
      .map((part) => part.trim())
      .join(' | '),
  );

describe('ERRORS.md', () => {
  it('has every problem as the code defines it', () => {
    expect(documented).toEqual(Object.entries(samples).map(([name, problem]) => described(name, problem)));
  });

  it('omits no problem', () => {
    // Under jest, the module becomes a CommonJS module, which also exports `default`.
    const others = ['HttpError', 'toHttpError', 'default'];
    const made = Object.keys(problems).filter((name) => !others.includes(name));
    expect(made.sort()).toEqual(Object.keys(samples).sort());
  });
});

describe('a problem', () => {
  it('has only its status in its message, which may be logged', () => {
    expect(samples['invalidFields']).toMatchObject({ message: 'answered 400' });
  });

  it('is returned unchanged by toHttpError', () => {
    const problem = problems.notFound();
    expect(problems.toHttpError(problem)).toBe(problem);
  });
});
