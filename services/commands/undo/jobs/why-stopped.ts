import type { ObjectJob } from './undo-object.ts';

/** Returns why a job must stop, as a code; null if its application may still do this.
 * @throws LogUnavailable */
export const whyStopped = async ({ ports, job }: Pick<ObjectJob, 'ports' | 'job'>): Promise<string | null> => {
  const { state } = await ports.applications.find(job.origin.actor);
  switch (state.status) {
    case 'absent':
    case 'deleted':
      return 'application-deleted';
    case 'suspended':
      return 'application-suspended';
    case 'active':
      return (['audit', 'write'] as const).every((scope) => state.scopes.includes(scope)) ? null : 'scope-lost';
  }
};
