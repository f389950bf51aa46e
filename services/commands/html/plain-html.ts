/** What editors write most: paragraphs, and a little emphasis within them, without any attribute. */
const token = /[^<>&]+|&(?:amp|lt|gt);|<(\/?)(p|b|i|em|strong|u|s|small|sub|sup|code)>/y;

/** Whether sanitising would leave a text as it is, told at a glance: balanced tags of a few kinds that have no attributes, a paragraph never
 * within anything else, and nothing else that could be markup. Of all other texts it does not say. */
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
