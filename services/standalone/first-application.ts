import { existsSync, rmSync } from 'node:fs';
import { syncDirectory } from '@waymark/files/durable.ts';
import { notFound } from '@waymark/http/errors.ts';
import type { Logger } from 'pino';
import type { DataDirectory } from './data-directory/data-directory.ts';

/** Warns while the secret of the first application is in a file. The first start writes this file if it cannot show the secret on a
 * terminal. Only the command of an operator removes it, because a program may read it. */
export const warnOfFirstApplication = ({ firstApplication: file }: DataDirectory, logger: Logger): void => {
  if (existsSync(file)) logger.warn({ file }, "the first application's secret is in a file: `waymark app forget-first` removes it");
};

/** Removes the file with the secret of the first application.
 * @throws HttpError 404 if there is none */
export const forgetFirst = ({ path, firstApplication: file }: DataDirectory): { readonly file: string } => {
  if (!existsSync(file)) throw notFound();
  rmSync(file);
  syncDirectory(path);
  return { file };
};
