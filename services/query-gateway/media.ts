import type { OpenRoute } from '@waymark/http/app.ts';
import { gone, notFound } from '@waymark/http/errors.ts';
import type { Media } from '@waymark/media/media.ts';

/** Every client that has a file's URL may read the file, for ever. A browser is told to do nothing with it but show it. */
const headers = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Access-Control-Allow-Origin': '*',
  Vary: 'Accept-Encoding',
};

/** Creates GET /media/:name, which serves stored files. */
export const mediaRoute = (media: Media): OpenRoute => ({
  method: 'GET',
  path: '/media/:name',
  handle: async ({ parameters }) => {
    const file = await media.get(parameters['name'] ?? '');
    if (file === undefined) throw notFound();
    if (file === 'erased') throw gone();
    return { status: 200, body: file, headers: { ...headers, 'Content-Type': file.type } };
  },
});
