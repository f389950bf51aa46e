/** Returns the accepted media type that the first bytes match. This check is cheap: other files need no inspection. */
export const signature = (bytes: Uint8Array): string | undefined => {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, headBytes)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif';
  if (head.startsWith('RIFF') && head.startsWith('WEBP', 8)) return 'image/webp';
  // `ftyp` follows four bytes of length; `avis` is a sequence of images. Files that begin with `mif1` may hold AV1 or HEVC: only decoding
  // distinguishes them.
  if (head.startsWith('ftypavif', 4) || head.startsWith('ftypavis', 4)) return 'image/avif';
  return undefined;
};

const headBytes = 16;
