import { setImmediate as settled } from 'node:timers/promises';
import { parsePinpoint } from '@waymark/http/api/schemas/pinpoint.ts';
import type { Inspection } from '@waymark/media/image/inspect.ts';
import { type Media, MediaUnavailable } from '@waymark/media/media.ts';
import { accountPicturesWaitingMax } from '../limits.ts';
import { acceptInto } from './uploads.ts';

/** The inspections in progress, if the test ends them itself. */
let mockHeld: PromiseWithResolvers<Inspection>[] | undefined;
jest.mock('@waymark/media/image/inspect.ts', () => {
  const { inspectImage } = jest.requireActual<typeof import('@waymark/media/image/inspect.ts')>('@waymark/media/image/inspect.ts');
  return {
    inspectImage: (bytes: Uint8Array, type: string) => {
      if (mockHeld === undefined) return inspectImage(bytes, type);
      const inspection = Promise.withResolvers<Inspection>();
      mockHeld.push(inspection);
      return inspection.promise;
    },
  };
});

const unused = (): never => {
  throw new Error('A faulty file was stored.');
};
const media: Media = { put: unused, get: unused, erase: unused, remove: unused, list: unused };

/** Returns the faults of a file, as a pinpoint would have them. */
const faultsOf = async (file: unknown): Promise<unknown> => {
  const json = { name: 'x', latitude: 1, longitude: 1, media_file: file };
  const { errors } = parsePinpoint(json);
  return { ...errors, ...(await acceptInto(media)('acme', 'media_file', json, errors)).errors }['media_file'];
};

const content = Buffer.from('GIF89a').toString('base64');
const required = ['This field is required.'];
const type = ['Must be one of image/png, image/jpeg, image/gif, image/webp, image/avif.'];
const name = ['A file name with an extension is required.'];
const encoding = ['Must be standard base64, padded.'];

describe('the faults of a file', () => {
  it.each([
    [
      { content: '!', type: 'text/plain' },
      { name: required, type, content: encoding },
    ],
    [{ content, name: 'a.gif', type: 'constructor' }, { type }],
    [
      { name: 'a', type: 7 },
      { name, type: ['Not a valid string.'], content: required },
    ],
    [
      { name: 'a', content: '!' },
      { name, type: required, content: encoding },
    ],
    [{ name: 'a.png', content: `data:image/gif;base64,${content}` }, { type: required }],
    [
      { content, type: 'image/png' },
      { name: required, content: ['The content is not image/png.'] },
    ],
    [
      { content, type: 'image/png', name: 'a' },
      { name, content: ['The content is not image/png.'] },
    ],
    [{}, { name: required, type: required, content: required }],
    ['a', ['Invalid data. Expected an object, but got string.']],
    [[], ['Invalid data. Expected an object, but got array.']],
  ])('are reported at once: %j', async (file, faults) => {
    expect(await faultsOf(file)).toEqual(faults);
  });

  it.each([undefined, null])('are none without a file: %j', async (file) => {
    expect(await faultsOf(file)).toBeUndefined();
  });

  it.each([null, 5, 'a text', []])('are none in a body that is no object: %j', async (json) => {
    expect(await acceptInto(media)('acme', 'media_file', json, {})).toEqual({ upload: undefined, errors: {} });
  });

  it('include a size above the limit', async () => {
    const large = Buffer.alloc(5 * 1024 * 1024 + 1).toString('base64');
    await expect(faultsOf({ content: large })).rejects.toMatchObject({ status: 413 });
  });
});

describe('the pictures of an account', () => {
  const accepted = (account: string) => acceptInto(media)(account, 'media_file', { media_file: { content, type: 'image/gif' } }, {});
  const isBroken = { upload: undefined, errors: { media_file: { content: ['The image cannot be read.'] } } };
  const holding = (): PromiseWithResolvers<Inspection>[] => {
    mockHeld = [];
    return mockHeld;
  };
  /** Ends each inspection as it begins, until all pictures are inspected. */
  const endAll = async (held: readonly PromiseWithResolvers<Inspection>[], pictures: readonly Promise<unknown>[]): Promise<unknown> => {
    const timer = setInterval(() => {
      for (const { resolve } of held) resolve('broken');
    }, 0);
    return Promise.all(pictures).finally(() => clearInterval(timer));
  };
  afterEach(() => {
    mockHeld = undefined;
  });

  it('are inspected one after the other, while those of another account do not wait', async () => {
    const held = holding();
    const pictures = Array.from({ length: 3 }, () => accepted('busy'));
    await settled();
    expect(held).toHaveLength(1);
    pictures.push(accepted('other'));
    await settled();
    expect(held).toHaveLength(2);
    expect(await endAll(held, pictures)).toEqual(pictures.map(() => isBroken));
    expect(held).toHaveLength(4);
  });

  it('are refused while too many of them wait', async () => {
    const held = holding();
    const pictures = Array.from({ length: 2 + accountPicturesWaitingMax }, () => accepted('full'));
    await expect(endAll(held, pictures)).rejects.toThrow(MediaUnavailable);
  });
});
