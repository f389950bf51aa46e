import { type Line, linesOf } from './lines.ts';

const read = async (
  chunks: readonly string[],
  bytesMax = 100,
): Promise<(Omit<Line, 'bytes'> & { readonly text: string | undefined })[]> => {
  async function* buffers() {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  const lines = [];
  for await (const { bytes, ...place } of linesOf(buffers(), bytesMax)) lines.push({ ...place, text: bytes?.toString() });
  return lines;
};

describe('the lines of a file', () => {
  it('are the same for every division of the file into chunks', async () => {
    const whole = await read(['one\ntwo\n\nfour']);
    expect(whole).toEqual([
      { number: 1, end: 4, text: 'one' },
      { number: 2, end: 8, text: 'two' },
      { number: 3, end: 9, text: '' },
      { number: 4, end: 13, text: 'four' },
    ]);
    expect(await read([...'one\ntwo\n\nfour'])).toEqual(whole);
  });

  it('end with the last newline', async () => {
    expect(await read(['one\n'])).toHaveLength(1);
    expect(await read([''])).toHaveLength(0);
  });

  it('are not kept where they are too long, and the next line is complete again', async () => {
    expect(await read(['12345', '6789\nok\n'], 8)).toEqual([
      { number: 1, end: 10, text: undefined },
      { number: 2, end: 13, text: 'ok' },
    ]);
  });
});
