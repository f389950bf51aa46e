/** The files with which the services begin: in a bundle, those of the bundle. */
export const serviceEntries = {
  commands: new URL('../commands/main.ts', import.meta.url),
  relay: new URL('../relay/main.ts', import.meta.url),
  projector: new URL('../projector/main.ts', import.meta.url),
  'query-gateway': new URL('../query-gateway/main.ts', import.meta.url),
  notary: new URL('../notary/main.ts', import.meta.url),
  auditor: new URL('../auditor/main.ts', import.meta.url),
  auth: new URL('../auth/main.ts', import.meta.url),
  operator: new URL('../operator/main.ts', import.meta.url),
  edge: new URL('../edge/main.ts', import.meta.url),
};

/** A service that a process of a cluster runs. */
export type Service = keyof typeof serviceEntries;

export const isService = (name: string): name is Service => Object.hasOwn(serviceEntries, name);
