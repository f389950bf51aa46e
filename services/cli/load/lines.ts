/** A line of a file, without its line ending. `bytes` is undefined for a line that is too long to be kept. */
export type Line = {
  /** The line number, from 1. */
  readonly number: number;
  readonly bytes: Buffer | undefined;
  /** The offset in the file at which the line ends. */
  readonly end: number;
};

const newline = 0x0a;

/** Splits chunks into lines. Never holds more than `bytesMax` bytes of a line. */
export async function* linesOf(chunks: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<Line> {
  const line = openLine(bytesMax);
  let number = 0;
  let offset = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let stop = chunk.indexOf(newline); stop >= 0; stop = chunk.indexOf(newline, start)) {
      line.add(chunk.subarray(start, stop));
      number += 1;
      start = stop + 1;
      yield { number, bytes: line.take(), end: offset + start };
    }
    line.add(chunk.subarray(start));
    offset += chunk.length;
  }
  if (!line.isEmpty()) yield { number: number + 1, bytes: line.take(), end: offset };
}

const openLine = (bytesMax: number) => {
  let parts: Buffer[] = [];
  let length = 0;
  return {
    add: (part: Buffer): void => {
      length += part.length;
      if (length > bytesMax) parts = [];
      else if (part.length > 0) parts.push(part);
    },
    isEmpty: (): boolean => length === 0,
    take: (): Buffer | undefined => {
      const [first] = parts;
      const whole = parts.length === 1 && first !== undefined ? first : Buffer.concat(parts);
      const taken = length > bytesMax ? undefined : whole;
      parts = [];
      length = 0;
      return taken;
    },
  };
};
