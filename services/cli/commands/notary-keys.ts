import type { VerifierKey } from '@waymark/proof/signed-note.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';
import { textOf } from '../terminal/named-files.ts';

/** Collects the values of an option that can be repeated. */
export const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** The help of an option that takes keys. */
export const keyHelp = 'public key of the notary, or a file with one on each line; can be repeated';

/** Reads the keys that are given as text, or in files. */
export const keysIn = async (values: readonly string[]): Promise<readonly VerifierKey[]> => {
  const { InvalidKey, parseVerifierKey } = await import('@waymark/proof/signed-note.ts');
  const texts = values.flatMap((value) => (/^[^+]+\+[0-9a-f]{8}\+/.test(value) ? [value] : linesOf(value)));
  try {
    return texts.map((text) => parseVerifierKey(text.trim()));
  } catch (error) {
    if (!(error instanceof InvalidKey)) throw error;
    throw new CommandFailed('usage', `--key: ${error.message}`, { cause: error });
  }
};

/** Returns the lines of a file that are not blank. Without one, the command would trust what it is to check. */
const linesOf = (file: string): readonly string[] => {
  const lines = textOf(file)
    .split('\n')
    .filter((line) => line.trim() !== '');
  if (lines.length === 0) throw new CommandFailed('usage', `--key: ${file} has no key.`);
  return lines;
};
