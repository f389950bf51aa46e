import { storedText } from '@waymark/http/request/text.ts';
import { LRUCache } from 'lru-cache';
import type { IOptions, Transformer } from 'sanitize-html';
import { sanitizedCharacters } from '../limits.ts';
import { isPlainHtml } from './plain-html.ts';

/** Sanitised HTML, and whether sanitising changed what was sent. */
export type Sanitized = { readonly html: string; readonly changed: boolean };

/** Loaded with the first markup: it is too large to be loaded at every start. */
let sanitizeHtml: typeof import('sanitize-html') | undefined;

/** Keeps ordinary formatting, links, images, tables and `class`; drops whatever could act. What is harmless at a glance stays as it is. */
export type Sanitizer = (text: string) => Promise<Sanitized>;

/** @param memoryBytes what the process plans with: what was sanitised is remembered in a share of it */
export const createSanitizer = (memoryBytes: number): Sanitizer => {
  // Edits mostly send the description back as it was.
  const known = new LRUCache<string, Sanitized>({
    maxSize: sanitizedCharacters(memoryBytes),
    sizeCalculation: ({ html }, text) => text.length + html.length,
  });
  return async (text) => {
    // The library takes some 25 us for a short description, a quarter of a whole create.
    if (isPlainHtml(text)) return { html: text, changed: false };
    const before = known.get(text);
    if (before) return before;
    sanitizeHtml ??= (await import('sanitize-html')).default;
    const html = settled(text, sanitizeHtml);
    const result = { html, changed: html !== text };
    known.set(text, result);
    return result;
  };
};

/** Sanitised until that changes nothing more, so that what was read can be sent back as it is: tags that are badly nested are closed
 * differently when they are sanitised again. The sanitiser decodes references, also to combining marks: these are composed (NFC), and what that
 * makes of a tag's end is sanitised again. The sanitiser always has the last word. */
const settled = (text: string, sanitize: typeof import('sanitize-html')): string => {
  let html = text;
  for (let pass = 0; pass < passesMax; pass += 1) {
    const clean = sanitize(html, allowList);
    if (clean === html) return clean;
    const stored = storedText(clean, { trimmed: false, charactersMax: Number.POSITIVE_INFINITY });
    if ('fault' in stored) return clean;
    html = stored.text;
  }
  return sanitize(html, allowList);
};

/** Two are enough but for one text in a hundred of those that are made to be bad. */
const passesMax = 5;
const nestingMax = 100;

const sameWindow = new Set(['', '_self', '_parent', '_top']);

/** A page that a link opens elsewhere gets no hold on the page that it came from, and does not learn which one that was. */
const heldOff = (target: string, rel: string): string => {
  const words = rel
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '' && word !== 'opener');
  return [...new Set(sameWindow.has(target.trim().toLowerCase()) ? words : [...words, 'noopener', 'noreferrer'])].join(' ');
};

const link: Transformer = (tagName, { rel: given = '', ...attribs }) => {
  const rel = heldOff(attribs['target'] ?? '', given);
  return { tagName, attribs: rel === '' ? attribs : { ...attribs, rel } };
};

export const allowList: IOptions = {
  allowedTags: [
    ...['a', 'abbr', 'b', 'blockquote', 'br', 'caption', 'cite', 'code', 'col', 'colgroup', 'dd', 'del', 'details', 'dfn'],
    ...['div', 'dl', 'dt', 'em', 'figcaption', 'figure', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'i', 'img', 'ins', 'kbd'],
    ...['li', 'mark', 'ol', 'p', 'pre', 'q', 's', 'samp', 'section', 'small', 'span', 'strong', 'sub', 'summary', 'sup'],
    ...['table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'time', 'tr', 'u', 'ul', 'var', 'wbr'],
  ],
  allowedAttributes: {
    '*': ['class', 'dir', 'lang', 'title'],
    a: ['href', 'name', 'target', 'rel'],
    img: ['src', 'alt', 'width', 'height', 'loading'],
    td: ['colspan', 'rowspan'],
    th: ['colspan', 'rowspan', 'scope'],
    col: ['span'],
    colgroup: ['span'],
    ol: ['start', 'type'],
    time: ['datetime'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['http', 'https'] },
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  nestingLimit: nestingMax,
  transformTags: { a: link },
};
