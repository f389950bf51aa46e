/** The most frequent markup of editors: paragraphs with simple emphasis, without attributes. */
const token = /[^<>&]+|&(?:amp|lt|gt);|<(\/?)(p|b|i|em|strong|u|s|small|sub|sup|code)>/y;

/** Checks quickly whether sanitising would leave a text unchanged: balanced tags of a few kinds without attributes, no paragraph within
 * another element, and no other possible markup. False means only that this check cannot decide. */
export const isPlainHtml = (text: string): boolean => {
  const open: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const found = token.exec(text);
    if (found === null) return false;
    const [, slash, tag] = found;
    if (tag === undefined) continue;
    if (slash === '/') {
      if (open.pop() !== tag) return false;
    } else {
      if (tag === 'p' && open.length > 0) return false;
      open.push(tag);
    }
  }
  return open.length === 0;
};
