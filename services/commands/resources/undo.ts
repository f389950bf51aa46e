import { resourceOfStream } from '@waymark/domain/streams.ts';
import { streamNamed } from '@waymark/history/reading/streams.ts';
import type { UndoQuestion } from '@waymark/history/reading/undo/undo-questions.ts';
import { parseRevision } from '@waymark/http/api/schemas/undo.ts';
import type { Answer, Call, Routes } from '@waymark/http/call.ts';
import { notFound } from '@waymark/http/errors.ts';
import { readJson } from '@waymark/http/request/body.ts';
import { plainBody } from '@waymark/http/request/request-body.ts';
import { requireValid } from '@waymark/http/request/validation.ts';
import type { Commands } from '../service.ts';
import { reportOf } from '../undo/report.ts';
import { takeBack } from '../undo/take-back.ts';
import { lagHeaders } from './answers.ts';

/** POST of what restores a version of an object, and of what undoes a change of it. */
export const undoRoutes = (commands: Commands): Routes => ({
  'POST /audit/v1/:kind/:id/restore': (call) => answer(commands, call, 'restore'),
  'POST /audit/v1/:kind/:id/undo': (call) => answer(commands, call, 'undo'),
});

const outcomes = { restore: 'restored', undo: 'undone' } as const;

const answer = async (commands: Commands, call: Call, action: 'restore' | 'undo'): Promise<Answer> => {
  const { kind: collection = '', id: number = '' } = call.parameters;
  const stream = streamNamed(collection, number);
  const object = stream === undefined ? undefined : resourceOfStream(stream);
  if (stream === undefined || object === undefined) throw notFound();
  const body = await readJson(call, plainBody);
  const path = `/audit/v1/${collection}/${number}/${action}`;
  return commands.once({ call, path, body, mayBeNoOp: true }, async (claim) => {
    const { revision } = requireValid(parseRevision(body.json));
    const { resource: kind, id } = object;
    const asked = { account: call.access.account, stream };
    const question: UndoQuestion =
      action === 'restore' ? { type: 'restorable', ...asked, revision } : { type: 'undoable', ...asked, revisions: [revision] };
    const taken = await takeBack(commands, { call, claim, kind, id, question });
    const headers = await lagHeaders(commands, call, taken.position);
    const report = reportOf({ kind, id }, outcomes[action], { taken });
    return { status: 200, body: JSON.stringify(report), headers: { ...headers, 'Cache-Control': 'no-store' } };
  });
};
