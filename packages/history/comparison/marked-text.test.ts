import { readMarkedText } from './marked-text.ts';
import { createNumbering } from './numbering.ts';

describe('The text of a description', () => {
  it.each([
    ['<p>a</p><p>b</p>', 'a\nb'],
    ['<p>a</p>\n<p>b</p>', 'a\n\nb'],
    ['<ul><li>a</li><li><p>b</p></li></ul>c', 'a\nb\nc'],
    ['<p>a<br></p><p>b</p>', 'a\nb'],
    ['<div><div></div>a</div><div></div>', 'a'],
    ['<table><tr><td>a</td><td>b</td></tr></table>', 'a\nb'],
    ['a<hr>b', 'a\n\ufffc\nb'],
    ['a<img src="/b">c<wbr>d', 'a\ufffccd'],
  ])('of %j is %j', (html, text) => {
    const { pieces } = readMarkedText(html, createNumbering());
    expect(pieces.map((piece) => piece.text).join('')).toBe(text);
  });

  it('has equal numbers for equal markup, also in another text', () => {
    const numbering = createNumbering();
    const markupOf = (html: string) => readMarkedText(html, numbering).pieces.map(({ markup }) => markup);
    const [plain, bold, both] = markupOf('a<b>b<i>c</i></b>');
    expect(new Set([plain, bold, both]).size).toBe(3);
    expect(markupOf('<b><i>x</i>y</b>z')).toEqual([both, bold, plain]);
    expect(markupOf('<i><b>x</b></i>')).not.toEqual([both]);
  });
});
