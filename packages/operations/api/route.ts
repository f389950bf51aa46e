import type { TObject } from '@sinclair/typebox';
import type { OpenCall, OpenRoute } from '@waymark/http/app.ts';
import { json } from '@waymark/http/operator/routes.ts';
import { readJson } from '@waymark/http/request/body.ts';
import { operatorBody } from '@waymark/http/request/request-body.ts';
import { bodies } from './bodies.ts';
import type { AnswerOf, BodyOf, CallName } from './calls.ts';
import { createBodyParser } from './parse-body.ts';

/** Returns the route of a call of the operator API. Its handler gets the body in the form of the call's schema. The caller has to protect
 * the route. */
export const operatorRoute = <Name extends CallName>(
  name: Name,
  handle: (body: BodyOf<Name>, call: OpenCall) => Promise<AnswerOf<Name>>,
  status = 200,
): OpenRoute => {
  const [method, path] = name.split(' ') as [OpenRoute['method'], string];
  const schema = (bodies as Readonly<Record<string, TObject>>)[name];
  const parse = schema && createBodyParser(schema);
  return {
    method,
    path,
    handle: async (call) => {
      const body = parse?.((await readJson(call, operatorBody)).json);
      return json(status, await handle(body as BodyOf<Name>, call));
    },
  };
};

/** Returns a parameter of the path. */
export const parameterOf = ({ parameters }: OpenCall, name: string): string => parameters[name] ?? '';
