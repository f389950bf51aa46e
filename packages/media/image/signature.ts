/** The media type that the first bytes claim, of those that are taken. Cheap: whatever is none of them needs no closer look. */
export const signature = (bytes: Uint8Array): string | undefined => {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, headBytes)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif';
  if (head.startsWith('RIFF') && head.startsWith('WEBP', 8)) return 'image/webp';
  // After four bytes of length; `avis` is a sequence of images. Files that begin `mif1` may hold AV1 or HEVC: nothing short of decoding tells.
  if (head.startsWith('ftypavif', 4) || head.startsWith('ftypavis', 4)) return 'image/avif';
  return undefined;
};

const headBytes = 16;
