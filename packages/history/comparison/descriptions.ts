import { align, type Run } from './alignment.ts';
import { wordLimits } from './limits.ts';
import { compareLinks, type LinkChange } from './links.ts';
import { readMarkedText } from './marked-text.ts';
import { createNumbering } from './numbering.ts';
import { type Word, wordsOf } from './words.ts';

/** Consecutive words. `restyled`: both sides have the text, with different markup. */
export type Segment = { readonly change: 'same' | 'added' | 'removed' | 'restyled'; readonly text: string };

export type DescriptionComparison = {
  /** All words of both sides. Without those added, they are the old text; without those removed, the new one. */
  readonly words: readonly Segment[];
  readonly links: readonly LinkChange[];
  /** Whether the changes are as few as possible. If the texts have more words or edits than the limits, one change of words, or of links,
   * spans all from the first difference to the last. */
  readonly complete: boolean;
};

/** Compares two descriptions, which are sanitised HTML, by their words. The same descriptions always give the same result. */
export const compareDescriptions = (from: string, to: string): DescriptionComparison => {
  const markup = createNumbering();
  const [old, current] = [readMarkedText(from, markup), readMarkedText(to, markup)];
  const words = align(wordsOf(old.pieces, markup), wordsOf(current.pieces, markup), ({ text }) => text, wordLimits);
  const links = (['href', 'src'] as const).map((attribute) => compareLinks(attribute, old.links[attribute], current.links[attribute]));
  return {
    words: words.runs.flatMap(segmentsOf),
    links: links.flatMap(({ changes }) => changes),
    complete: [words, ...links].every(({ complete }) => complete),
  };
};

const segmentsOf = (run: Run<Word>): readonly Segment[] =>
  run.kept ? keptSegments(run) : [...segment('removed', run.old), ...segment('added', run.new)];

const segment = (change: Segment['change'], words: readonly Word[]): readonly Segment[] =>
  words.length === 0 ? [] : [{ change, text: words.map(({ text }) => text).join('') }];

/** Divides words with equal texts where their markup begins or ceases to be equal. */
const keptSegments = (run: Run<Word>): readonly Segment[] => {
  const segments: { readonly change: Segment['change']; text: string }[] = [];
  for (const [nth, { text, markup }] of run.new.entries()) {
    const change = run.old[nth]?.markup === markup ? 'same' : 'restyled';
    const last = segments.at(-1);
    if (last?.change === change) last.text += text;
    else segments.push({ change, text });
  }
  return segments;
};
