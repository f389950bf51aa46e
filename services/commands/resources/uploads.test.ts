import { parsePinpoint } from '@waymark/http/api/schemas/pinpoint.ts';
import type { Media } from '@waymark/media/media.ts';
import { acceptInto } from './uploads.ts';

const unused = (): never => {
  throw new Error('A faulty file was stored.');
};
const media: Media = { put: unused, get: unused, erase: unused, remove: unused, list: unused };

/** Returns the faults of a file, as a pinpoint would have them. */
const faultsOf = async (file: unknown): Promise<unknown> => {
  const json = { name: 'x', latitude: 1, longitude: 1, media_file: file };
  const { errors } = parsePinpoint(json);
  return { ...errors, ...(await acceptInto(media)('media_file', json, errors)).errors }['media_file'];
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
    expect(await acceptInto(media)('media_file', json, {})).toEqual({ upload: undefined, errors: {} });
  });

  it('include a size above the limit', async () => {
    const large = Buffer.alloc(5 * 1024 * 1024 + 1).toString('base64');
    await expect(faultsOf({ content: large })).rejects.toMatchObject({ status: 413 });
  });
});
