import { storedText } from '@waymark/http/request/text.ts';
import { LRUCache } from 'lru-cache';
import type { IOptions, Transformer } from 'sanitize-html';
import { sanitizedCharacters } from '../limits.ts';
import { isPlainHtml } from './plain-html.ts';

/** Sanitised HTML, and whether sanitising changed the submitted text. */
export type Sanitized = { readonly html: string; readonly changed: boolean };

/** The library, loaded for the first text with markup: it is too large to be loaded at every start. */
let sanitizeHtml: typeof import('sanitize-html') | undefined;

/** Keeps ordinary formatting, links, images, tables and `class`, and drops all active content. Text that passes the check for plain HTML
 * stays unchanged. */
export type Sanitizer = (text: string) => Promise<Sanitized>;

/** Creates a sanitiser.
 * @param memoryBytes the memory that the process plans with: results are cached in a share of it */
export const createSanitizer = (memoryBytes: number): Sanitizer => {
  // Most edits send the description back unchanged.
  const known = new LRUCache<string, Sanitized>({
    maxSize: sanitizedCharacters(memoryBytes),
    sizeCalculation: ({ html }, text) => text.length + html.length,
  });
  return async (text) => {
    // The library takes about 25 us for a short description: a quarter of a whole create.
    if (isPlainHtml(text)) return { html: text, changed: false };
    const before = known.get(text);
    if (before) return before;
    sanitizeHtml ??= (await import('sanitize-html')).default;
    const html = sanitizeRepeatedly(text, sanitizeHtml);
    const result = { html, changed: html !== text };
    known.set(text, result);
    return result;
  };
};

/** Sanitises repeatedly until nothing changes, so that a client can send back a text that it has read: badly nested tags are closed
 * differently in each pass. The sanitiser decodes references, including those to combining marks. These are composed (NFC), and a tag end
 * that this changes is sanitised again. The last step is always the sanitiser. */
const sanitizeRepeatedly = (text: string, sanitize: typeof import('sanitize-html')): string => {
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

/** Two passes are enough for 99 in 100 of the texts that are made to be difficult. */
const passesMax = 5;
const nestingMax = 100;

/** The targets that open no other window. A browser compares a target as it is, without trimming it. */
const sameWindow = new Set(['', '_self', '_parent', '_top']);

/** Returns the `rel` of a link. A page that a link opens in another window gets no access to the page it came from, and does not learn its
 * address. */
const isolatedRel = (target: string, rel: string): string => {
  const words = rel
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '' && word !== 'opener');
  return [...new Set(sameWindow.has(target.toLowerCase()) ? words : [...words, 'noopener', 'noreferrer'])].join(' ');
};

const link: Transformer = (tagName, { rel: given = '', ...attribs }) => {
  const rel = isolatedRel(attribs['target'] ?? '', given);
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
  // `//host/path` names another host, like `https:`, and never another scheme.
  allowProtocolRelative: true,
  disallowedTagsMode: 'discard',
  nestingLimit: nestingMax,
  transformTags: { a: link },
};
