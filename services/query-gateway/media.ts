import type { OpenRoute } from '@waymark/http/app.ts';
import { gone, notFound } from '@waymark/http/errors.ts';
import type { Media } from '@waymark/media/media.ts';

/** Whoever has a file's URL may have the file, for good; a browser that gets it is told to do nothing with it but show it. */
const headers = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Access-Control-Allow-Origin': '*',
  Vary: 'Accept-Encoding',
};

/** GET /media/:name: stored files. */
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
