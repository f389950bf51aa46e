import { existsSync, rmSync } from 'node:fs';
import { syncDirectory } from '@waymark/files/durable.ts';
import { notFound } from '@waymark/http/errors.ts';
import type { Logger } from 'pino';
import type { DataDirectory } from './data-directory/data-directory.ts';

/** The first start leaves a secret in a file where it cannot show it. Nothing but an operator's command removes it: a program may read it. */
export const warnOfFirst = ({ firstApplication: file }: DataDirectory, logger: Logger): void => {
  if (existsSync(file)) logger.warn({ file }, "the first application's secret is in a file: `waymark app forget-first` removes it");
};

/** @throws HttpError 404 where there is none */
export const forgetFirst = ({ path, firstApplication: file }: DataDirectory): { readonly file: string } => {
  if (!existsSync(file)) throw notFound();
  rmSync(file);
  syncDirectory(path);
  return { file };
};
