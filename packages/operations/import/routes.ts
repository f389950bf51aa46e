import type { OpenRoute } from '@waymark/http/app.ts';
import { json } from '@waymark/http/operator/routes.ts';
import { operatorBody } from '@waymark/http/request/request-body.ts';
import { fileBytesMax } from '@waymark/media/media.ts';
import { fromSummaryMessage } from '@waymark/transfer/stored-manifest.ts';
import type { AnswerOf } from '../api/calls.ts';
import { operatorRoute, parameterOf } from '../api/route.ts';
import type { Importing } from './import.ts';

/** Returns the routes for `waymark import`. The caller has to protect each of them. */
export const importRoutes = (importing: Importing): readonly OpenRoute[] => [
  operatorRoute('POST /operator/import/begin', ({ run, manifest }) => importing.begin(run, fromSummaryMessage(manifest))),
  operatorRoute('POST /operator/import/missing', ({ names }) => importing.missingFiles(names)),
  operatorRoute('POST /operator/import/marks', ({ names }) => importing.markErased(names)),
  {
    method: 'POST',
    path: '/operator/import/media/:name',
    handle: async (call) => {
      const bytes = await call.body.read({ ...operatorBody, bytesMax: fileBytesMax });
      const added: AnswerOf<'POST /operator/import/media/:name'> = await importing.addFile(parameterOf(call, 'name'), bytes);
      return json(200, added);
    },
  },
  operatorRoute('POST /operator/import/events', (batch) => importing.addEvents(batch)),
  operatorRoute('POST /operator/import/end', ({ run, manifest, accounts }) => importing.end(run, fromSummaryMessage(manifest), accounts)),
];
