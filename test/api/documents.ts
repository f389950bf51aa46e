import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const documentOf = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');

/** A line of a Markdown table: its cells by the titles of their columns. */
type Line = { readonly section: string; readonly cells: Readonly<Record<string, string>> };

/** A row of the contract: a line of one of its tables, or a sentence outside of them. */
type ContractRow = { readonly section: string; readonly topic: string };

/** A response that the specification lists. */
export type EndpointStatus = { readonly method: string; readonly path: string; readonly status: number };

const sectionsOf = (text: string): { readonly title: string; readonly lines: readonly string[] }[] =>
  text
    .split(/^#+ /m)
    .slice(1)
    .map((part) => {
      const [title = '', ...lines] = part.split('\n');
      return { title, lines };
    });

/** Returns the cells of every line of the tables in a Markdown text, including titles and separator lines. */
export const tableLinesOf = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map(cellsOf);

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

const tableOf = (section: string, lines: readonly string[]): Line[] => {
  const [titles = [], , ...rows] = tableLinesOf(lines.join('\n'));
  return rows.map((row) => ({ section, cells: Object.fromEntries(titles.map((title, at) => [title, row[at] ?? ''])) }));
};

/** Returns the sentences outside a section's table. Messages that are quoted one after the other are one sentence. */
const sentencesOf = (lines: readonly string[]): string[] =>
  lines
    .filter((line) => !line.startsWith('|'))
    .join(' ')
    .trim()
    .split(/(?<=[.;]|\.`)\s+(?!`[A-Z][^`]*\.`)/)
    .filter((sentence) => sentence !== '');

export const contractRows = (): ContractRow[] =>
  sectionsOf(documentOf('contract.md'))
    .slice(1)
    .flatMap(({ title, lines }) => {
      const topics = tableOf(title, lines).map(({ cells }) => cells['Topic'] ?? cells['Status'] ?? '');
      return [...topics, ...sentencesOf(lines)].map((topic) => ({ section: title.replace(/[,(].*/, '').trim(), topic }));
    });

const numbersIn = (text = ''): number[] => (text.match(/\b\d{3}\b/g) ?? []).map(Number);

/** Returns every endpoint with every status that the specification lists for it. The specification leaves the statuses of events open;
 * there the contract applies: as for pinpoints. */
export const endpointStatuses = (): EndpointStatus[] => {
  const lines = sectionsOf(documentOf('spec.md'))
    .filter(({ title }) => /^4\.\d/.test(title))
    .flatMap(({ title, lines }) => tableOf(title, lines))
    .filter(({ cells }) => cells['Method'] !== undefined);
  const listed = (method: string, path: string): number[] => {
    const cells = lines.find((line) => line.cells['Method'] === method && pathOf(line) === path)?.cells;
    return numbersIn(cells?.['Status codes'] ?? cells?.['Response']);
  };
  return lines.flatMap((line) => {
    const { Method: method = '', 'Status codes': statuses } = line.cells;
    const path = pathOf(line);
    const from = statuses === undefined ? path.replace('/events', '/pinpoints') : path;
    return listed(method, from).map((status) => ({ method, path, status }));
  });
};

const pathOf = (line: Line): string => line.cells['Path'] ?? '';

/** Returns the messages that the contract quotes. */
export const quotedMessages = (): string[] => {
  const sentence = contractRows().find(({ topic }) => topic.startsWith('Messages:'))?.topic ?? '';
  return [...sentence.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message);
};
