import { Parser } from 'htmlparser2';
import type { Numbering } from './numbering.ts';

/** Text with one markup. The number stands for the open elements, with their attributes: equal numbers mean equal markup. */
export type Piece = { text: string; readonly markup: number };

export type Link = 'href' | 'src';

export type MarkedText = {
  /** No two consecutive pieces have the same markup. */
  readonly pieces: readonly Piece[];
  /** The values of each attribute, in the order of the text. */
  readonly links: Readonly<Record<Link, readonly string[]>>;
};

/** Elements that begin and end a line. All other elements are part of a line. */
const blocks = new Set([
  ...['blockquote', 'caption', 'dd', 'details', 'div', 'dl', 'dt', 'figcaption', 'figure', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr'],
  ...['li', 'ol', 'p', 'pre', 'section', 'summary', 'table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr', 'ul'],
]);

/** The text of elements without content. An image and a rule are the object replacement character, U+FFFC. */
const textOf = new Map([
  ['br', '\n'],
  ['hr', '\ufffc'],
  ['img', '\ufffc'],
]);

/** Reads sanitised HTML. Between two blocks there is a line break, unless the text has one there.
 * @param numbering for the markup of all texts that are compared */
export const readMarkedText = (html: string, numbering: Numbering): MarkedText => {
  const links: Record<Link, string[]> = { href: [], src: [] };
  const root = numbering('');
  /** The markup within each open element. */
  const open = [root];
  const lines = createLines();
  const parser = new Parser({
    onopentag(name, attributes) {
      if (blocks.has(name)) lines.end(open);
      open.push(numbering(`${open.at(-1)} ${elementKey(name, attributes)}`));
      if (attributes['href'] !== undefined) links.href.push(attributes['href']);
      if (attributes['src'] !== undefined) links.src.push(attributes['src']);
      const text = textOf.get(name);
      if (text !== undefined) lines.add(text, open.at(-1) ?? root);
    },
    onclosetag(name) {
      open.pop();
      if (blocks.has(name)) lines.end(open);
    },
    ontext(text) {
      lines.add(text, open.at(-1) ?? root);
    },
  });
  parser.end(html);
  return { pieces: lines.pieces, links };
};

/** The order of attributes has no meaning. */
const elementKey = (name: string, attributes: Readonly<Record<string, string>>): string => {
  const entries = Object.entries(attributes);
  return entries.length === 0 ? name : JSON.stringify([name, ...entries.sort(([one], [other]) => (one < other ? -1 : 1))]);
};

type Lines = {
  readonly pieces: readonly Piece[];
  readonly add: (text: string, markup: number) => void;
  /** Ends the line before the next text. The line break has the markup that both lines share. */
  readonly end: (open: readonly number[]) => void;
};

const createLines = (): Lines => {
  const pieces: Piece[] = [];
  let isAtStart = true;
  let ended: { readonly depth: number; readonly markup: number } | undefined;
  const push = (text: string, markup: number): void => {
    const last = pieces.at(-1);
    if (last?.markup === markup) last.text += text;
    else pieces.push({ text, markup });
    const blank = text.slice(text.trimEnd().length);
    isAtStart = blank.includes('\n') || (isAtStart && blank.length === text.length);
  };
  return {
    pieces,
    add(text, markup) {
      if (ended !== undefined && !isAtStart) push('\n', ended.markup);
      ended = undefined;
      push(text, markup);
    },
    end(open) {
      if (ended === undefined || open.length < ended.depth) ended = { depth: open.length, markup: open.at(-1) ?? 0 };
    },
  };
};
