import { setImmediate as turn } from 'node:timers/promises';
import { largeBodyBytes } from '../limits.ts';
import { createBodyTurns } from './body-turns.ts';

describe('large bodies', () => {
  const parsing = () => {
    const parsed: string[] = [];
    const mayParse = createBodyTurns();
    const parse = async (name: string, bytes: number): Promise<void> => {
      const wait = mayParse(bytes);
      if (wait !== undefined) await wait;
      parsed.push(name);
    };
    return { parsed, parse };
  };

  it('are parsed one per turn of the event loop, in order of arrival', async () => {
    const { parsed, parse } = parsing();
    for (const name of ['a', 'b', 'c']) void parse(name, largeBodyBytes);
    expect(parsed).toEqual(['a']);
    await turn();
    expect(parsed).toEqual(['a', 'b']);
    await turn();
    expect(parsed).toEqual(['a', 'b', 'c']);
    await turn();
    void parse('d', largeBodyBytes);
    expect(parsed).toEqual(['a', 'b', 'c', 'd']);
  });

  it('do not delay a small body', () => {
    const { parsed, parse } = parsing();
    for (const name of ['a', 'b']) void parse(name, largeBodyBytes);
    void parse('small', largeBodyBytes - 1);
    expect(parsed).toEqual(['a', 'small']);
  });
});
