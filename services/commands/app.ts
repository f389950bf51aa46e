import { type ResourceKind, resourceKinds } from '@waymark/domain/streams.ts';
import type { Routes } from '@waymark/http/call.ts';
import { categoryRoutes } from './resources/category.ts';
import { happeningRoutes } from './resources/happening.ts';
import { listRoutes } from './resources/list.ts';
import { pinpointRoutes } from './resources/pinpoint.ts';
import { type Commands, type CommandsOptions, createCommands } from './service.ts';

/** Returns the routes that change content: POST, PUT and DELETE of all four resources, or of the named ones. */
export const commandRoutes = (options: CommandsOptions, resources: readonly ResourceKind[] = resourceKinds): Routes => {
  const commands = createCommands(options);
  return Object.assign({}, ...resources.map((resource) => routesOf[resource](commands)));
};

const routesOf: Readonly<Record<ResourceKind, (commands: Commands) => Routes>> = {
  pinpoint: pinpointRoutes,
  list: listRoutes,
  category: categoryRoutes,
  happening: happeningRoutes,
};
