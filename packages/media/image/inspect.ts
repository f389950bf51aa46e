import type { Metadata } from 'sharp';
import { animationPixelsMax, framePixelsMax, inspectionsMax, inspectionsWaitingMax, inspectionTimeoutMs } from '../limits.ts';
import { MediaUnavailable } from '../media.ts';
import { createTurns, type TurnLimits } from '../turns.ts';
import { signature } from './signature.ts';

/** `mismatch`: not of the type that was declared, or of none that is taken. `broken`: its first bytes say so, but no more can be read of it. */
export type Inspection = 'ok' | 'mismatch' | 'too-many-pixels' | 'broken';

/** Looks at what an image's bytes say of it, without decoding its pixels, off the event loop. @throws MediaUnavailable */
export type InspectImage = (bytes: Uint8Array, declaredType: string) => Promise<Inspection>;

const limits: TurnLimits = {
  runningMax: inspectionsMax,
  waitingMax: inspectionsWaitingMax,
  timeoutMs: inspectionTimeoutMs,
};

export const createImageInspector = (turnLimits = limits, header = readHeader): InspectImage => {
  const turn = createTurns(turnLimits);
  return async (bytes, declaredType) => {
    if (signature(bytes) !== declaredType) return 'mismatch';
    const read = await turn(() => header(bytes));
    return read === 'broken' ? 'broken' : judge(read, declaredType);
  };
};

type Header = Pick<Metadata, 'mediaType' | 'width' | 'height' | 'pages'>;

/** `sharp` costs 35 MB and 70 ms when it is loaded: the first image pays, not the start. It opens images on libuv's threads. */
const readHeader = async (bytes: Uint8Array): Promise<Header | 'broken'> => {
  const { default: sharp } = await import('sharp').catch((cause) => {
    throw new MediaUnavailable('The image library cannot be loaded.', { cause });
  });
  // No operation is asked for twice. Our own limits tell too many pixels from broken.
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

/** The process has one pool of threads, so all its inspections take turns together. */
export const inspectImage: InspectImage = createImageInspector();
