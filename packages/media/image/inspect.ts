import type { Metadata } from 'sharp';
import { animationPixelsMax, framePixelsMax, inspectionsMax, inspectionsWaitingMax, inspectionTimeoutMs } from '../limits.ts';
import { MediaUnavailable } from '../media.ts';
import { createWorkQueue, type TurnLimits } from '../work-queue.ts';
import { signature } from './signature.ts';

/** `mismatch`: not of the declared type, or of no accepted type. `broken`: the first bytes match the type, but the library cannot read the
 * image. */
export type Inspection = 'ok' | 'mismatch' | 'too-many-pixels' | 'broken';

/** Checks the header of an image off the event loop, without decoding the pixels.
 * @throws MediaUnavailable */
export type InspectImage = (bytes: Uint8Array, declaredType: string) => Promise<Inspection>;

const limits: TurnLimits = {
  runningMax: inspectionsMax,
  waitingMax: inspectionsWaitingMax,
  timeoutMs: inspectionTimeoutMs,
};

export const createImageInspector = (turnLimits = limits, header = readHeader): InspectImage => {
  const turn = createWorkQueue(turnLimits);
  return async (bytes, declaredType) => {
    if (signature(bytes) !== declaredType) return 'mismatch';
    const read = await turn(() => header(bytes));
    return read === 'broken' ? 'broken' : judge(read, declaredType);
  };
};

type Header = Pick<Metadata, 'mediaType' | 'width' | 'height' | 'pages'>;

/** Loads `sharp` with the first image, not at the start: loading takes 35 MB and 70 ms. `sharp` opens images on the threads of libuv. */
const readHeader = async (bytes: Uint8Array): Promise<Header | 'broken'> => {
  const { default: sharp } = await import('sharp').catch((cause) => {
    throw new MediaUnavailable('The image library cannot be loaded.', { cause });
  });
  // No operation is repeated, so a cache has no benefit. The limits of this module distinguish images with too many pixels from broken
  // ones.
  sharp.cache(false);
  return sharp(bytes, { limitInputPixels: false, failOn: 'none' })
    .metadata()
    .catch(() => 'broken');
};

const judge = ({ mediaType, width, height, pages = 1 }: Header, declaredType: string): Inspection => {
  if (mediaType !== declaredType) return 'mismatch';
  const pixels = width * height;
  return pixels > framePixelsMax || pixels * pages > animationPixelsMax ? 'too-many-pixels' : 'ok';
};

/** Inspects images for the whole process. All inspections share one queue, because the process has one pool of threads. */
export const inspectImage: InspectImage = createImageInspector();
