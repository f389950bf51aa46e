import type { Routes } from '@waymark/http/call.ts';
import { categoryRoutes } from './category.ts';
import { happeningRoutes } from './happening.ts';
import { listRoutes } from './list.ts';
import { pinpointRoutes } from './pinpoint.ts';
import { type CommandsOptions, createCommands } from './service.ts';

export { type HighestIds, reservedBy, skipIds } from './ids.ts';

/** Everything that changes content: POST, PUT and DELETE of all four resources. */
export const commandRoutes = (options: CommandsOptions): Routes => {
  const commands = createCommands(options);
  return {
    ...pinpointRoutes(commands),
    ...listRoutes(commands),
    ...categoryRoutes(commands),
    ...happeningRoutes(commands),
  };
};
